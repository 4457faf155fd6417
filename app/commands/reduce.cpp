#include "engine/api/reduce/reduce.h"

#include "app/commands/commands.h"
#include "app/commands/common.h"
#include "app/commands/execution.h"
#include "engine/base/whole_file.h"
#include "engine/types/npy.h"

#include <filesystem>

namespace sw::command {

namespace {

constexpr std::uint64_t kUsualSeconds = 60;
constexpr std::uint64_t kMostSeconds = 86'400;

// The files that it loads first, so that the program never names a missing one. Returns the name of the program's file.
Result<std::string> written(const ReducedProgram &reduced, const std::filesystem::path &wanted)
{
    std::filesystem::path file = wanted;
    file.replace_extension(reduced.ending);
    for (const auto &[name, value] : reduced.files)
        SW_CHECK(writeNpyFile(file.parent_path() / name, value));
    SW_CHECK(writeWholeFile(file.string(), {reduced.text}, Durability::Synced));
    return file.string();
}

std::string jsonText(const ReducedProgram &reduced, const std::string &file)
{
    JsonWriter json;
    json.beginObject().field("version", kJsonVersion);
    json.field("property", reduced.property.kind == PropertyKind::Fails ? "fails" : "different");
    json.field("device", reduced.property.device).field("text", reduced.property.text);
    if (reduced.property.kind == PropertyKind::Fails)
        json.field("code", reduced.property.code).field("where", reduced.property.where);
    else
        json.field("compared_with", reduced.property.other.empty() ? "reference" : reduced.property.other);
    json.field("divergence", reduced.divergence).field("file", file);
    json.field("nodes_before", static_cast<std::uint64_t>(reduced.nodesBefore));
    json.field("nodes_after", static_cast<std::uint64_t>(reduced.nodesAfter));
    json.field("tried", reduced.tried).field("complete", reduced.isComplete).endObject();
    return json.text();
}

} // namespace

Outcome reduce(const Arguments &arguments, const Environment &environment)
{
    const Result<CompileRequest> request = requestOf(arguments, environment, CompileUntil::Machine);
    if (!request)
        return requestFailed(request.error());
    const Result<std::uint64_t> seed = seedOf(arguments);
    const Result<std::uint64_t> seconds = arguments.number("--budget", kUsualSeconds, 1, kMostSeconds);
    if (!seed || !seconds)
        return usageFailed(seed ? seconds.error() : seed.error());
    const std::vector<std::string> devices = namesIn(arguments.value("--devices", {}));
    const std::filesystem::path file = arguments.value("-o", {});
    if (devices.empty() || file.filename().empty())
        return usageFailed({Diagnostic::error(Code::Argument, {}, "reduce needs devices and a file: --devices D1,D2 -o OUT.sw")});
    ReduceOptions options;
    options.budget = std::chrono::seconds(*seconds);
    options.stop = environment.stop;
    options.stem = file.stem().string();
    // A program that crashes must end a host, and not this process.
    ProgramCompiler compiler(environment.hosted != nullptr ? *environment.hosted : environment.registry);
    const Result<ReducedProgram> reduced = reduceProgram(
        compiler, *request, devices, [&](const Compilation &compilation) { return runInputsOf(*request, compilation, *seed); },
        options);
    if (!reduced)
        return failed(reduced.error());
    const Result<std::string> name = written(*reduced, file);
    if (!name)
        return failed(name.error());
    Outcome outcome;
    if (arguments.has("--json"))
        outcome.output = jsonText(*reduced, *name);
    else
        outcome.output = format("{}\n{}{} operations became {}, in {} programs{}: {}\n", reduced->property.text,
                                reduced->divergence, reduced->nodesBefore, reduced->nodesAfter, reduced->tried,
                                reduced->isComplete ? "" : ", until time was over", *name);
    return outcome;
}

} // namespace sw::command
