#include "app/commands/commands.h"
#include "app/commands/common.h"
#include "app/commands/execution.h"
#include "engine/base/whole_file.h"
#include "engine/types/npy.h"

#include <cctype>
#include <filesystem>
#include <set>

namespace sw::command {

namespace {

// Replaces characters outside [A-Za-z0-9_.-] by '_'.
std::string fileNameOf(std::string_view name)
{
    std::string text;
    for (const char c : name) {
        const bool isKept = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-';
        text += isKept ? c : '_';
    }
    return text + ".npy";
}

struct OutputFile {
    const NamedTensor *output = nullptr;
    std::string file; // empty if not written
};

// Tells scripts which file holds which output, because names and files may differ.
Result<Done> writeList(const std::vector<OutputFile> &files, const std::string &folder)
{
    JsonWriter json;
    json.beginArray();
    for (const OutputFile &file : files)
        json.beginObject()
            .field("name", file.output->name)
            .field("file", std::filesystem::path(file.file).filename().string())
            .endObject();
    json.endArray();
    const std::string path = (std::filesystem::path(folder) / "outputs.json").string();
    return writeWholeFile(path, {json.text()});
}

Result<std::vector<OutputFile>> writeOutputs(const std::vector<NamedTensor> &outputs, const std::string &folder)
{
    std::vector<OutputFile> files;
    if (folder.empty()) {
        for (const NamedTensor &output : outputs)
            files.push_back({&output, {}});
        return files;
    }
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error)
        return Diagnostic::error(Code::File, {folder}, "cannot make the folder {}: {}", folder, error.message());
    std::set<std::string> taken;
    for (const NamedTensor &output : outputs) {
        const std::string file = (std::filesystem::path(folder) / fileNameOf(output.name)).string();
        if (!taken.insert(file).second)
            return Diagnostic::error(Code::File, {file}, "two outputs would be written to {}", file);
        SW_CHECK(writeNpyFile(file, output.value));
        files.push_back({&output, file});
    }
    SW_CHECK(writeList(files, folder));
    return files;
}

std::string jsonText(const Execution &execution, const StepEstimates &estimates, const std::vector<OutputFile> &files)
{
    JsonWriter json;
    json.beginObject().field("version", kJsonVersion).field("device", execution.compilation.target.device.id);
    json.key("outputs").beginArray();
    for (const OutputFile &file : files) {
        const HostTensor &value = file.output->value;
        json.beginObject().field("name", file.output->name).field("dtype", nameOf(value.dtype()));
        json.key("shape").beginArray();
        for (const std::int64_t extent : value.shape())
            json.value(extent);
        json.endArray();
        json.key("file");
        file.file.empty() ? json.null() : json.value(file.file);
        json.endObject();
    }
    json.endArray();
    writeVerdict(json, execution);
    writeKernels(json, execution, estimates);
    writeEstimates(json, *execution.compilation.schedule, estimates);
    writeDiagnostics(json, execution.result.faults);
    json.endObject();
    return json.text();
}

// The first elements of a tensor, as text for people.
std::string previewOf(const HostTensor &value)
{
    constexpr std::int64_t kShown = 8;
    std::string text = "[";
    for (std::int64_t i = 0; i < std::min(kShown, value.elements()); ++i)
        text += (i == 0 ? "" : ", ") + toText(value.at(i));
    return text + (value.elements() > kShown ? ", ...]" : "]");
}

std::string plainText(const Execution &execution, const StepEstimates &estimates, const std::vector<OutputFile> &files)
{
    std::string text;
    for (const OutputFile &file : files) {
        const HostTensor &value = file.output->value;
        text += format("{}: {}{} = {}\n", file.output->name, nameOf(value.dtype()), toText(value.shape()), previewOf(value));
        if (!file.file.empty())
            text += format("  written to {}\n", file.file);
    }
    return verdictText(execution) + text + "\n" + kernelTable(execution, estimates);
}

} // namespace

Outcome run(const Arguments &arguments, const Environment &environment)
{
    Result<CompileRequest> request = requestOf(arguments, environment, CompileUntil::Machine);
    if (!request)
        return requestFailed(request.error());
    const Result<std::uint64_t> seed = seedOf(arguments);
    if (!seed)
        return usageFailed(seed.error());
    const Result<std::chrono::milliseconds> limit = limitFrom(arguments);
    if (!limit)
        return usageFailed(limit.error());
    ProgramCompiler compiler(registryFor(arguments, *request, environment));
    const CheckAccesses check = arguments.has("--check-accesses") ? CheckAccesses::Yes : CheckAccesses::No;
    Result<Execution> execution =
        execute(compiler, *request, *seed, {.warmup = 0, .repeats = 1}, environment.stop, *limit, check);
    if (!execution)
        return failed(execution.error());
    if (const auto compared = compareWithUnedited(*execution, compiler, *request, *seed, environment.stop); !compared)
        return failed(compared.error());
    const auto files = writeOutputs(execution->result.outputs, arguments.value("--output-dir", {}));
    if (!files)
        return failed(files.error());
    Diagnostics messages = execution->compilation.diagnostics;
    messages.insert(messages.end(), execution->result.faults.begin(), execution->result.faults.end());
    Outcome outcome = failed(messages);
    outcome.exitCode = exitCodeWith(outcome.exitCode, *execution);
    const StepEstimates estimates = estimatesOf(execution->compilation, environment);
    outcome.output = arguments.has("--json") ? jsonText(*execution, estimates, *files) : plainText(*execution, estimates, *files);
    return outcome;
}

} // namespace sw::command
