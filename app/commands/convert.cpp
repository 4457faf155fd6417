#include "engine/api/convert/convert.h"

#include "app/commands/commands.h"
#include "app/commands/common.h"
#include "engine/api/convert/cut_graph.h"
#include "engine/api/model_options.h"
#include "engine/base/whole_file.h"

#include <filesystem>

namespace sw::command {

namespace {

bool isModel(const std::filesystem::path &file)
{
    return file.extension() == ".onnx";
}

struct Opened {
    GraphPtr graph; // null: the diagnostics say why
    std::vector<LibraryUse> calls = {};
    Diagnostics diagnostics = {};
};

Opened openToConvert(const ProgramInput &input, const std::stop_token &stop)
{
    if (isModel(input.fileName)) {
        ModelResult model = importOnnx(std::filesystem::path(input.fileName), modelOptionsOf(input), stop);
        Opened opened{.graph = nullptr, .calls = std::move(model.libraryUses), .diagnostics = std::move(model.diagnostics)};
        if (model.graph)
            opened.graph = std::make_shared<const Graph>(std::move(*model.graph));
        return opened;
    }
    FrontEndResult program = openProgram(input, stop);
    Opened opened{.graph = nullptr, .diagnostics = std::move(program.diagnostics)};
    const auto *graph = program.stage ? std::get_if<GraphPtr>(&*program.stage) : nullptr;
    if (graph != nullptr)
        opened.graph = *graph;
    else if (program.stage)
        opened.diagnostics.push_back(Diagnostic::error(Code::Unsupported, {input.fileName},
                                                       "a lowered program has no graph that could be a program of the language"));
    return opened;
}

// The weights first: the program never names a missing file, and the check loads them.
Result<ConvertedProgram> writtenAs(const Graph &graph, const std::filesystem::path &file, const ConvertOptions &options)
{
    SW_TRY(ConvertedProgram program, convertGraph(graph, options));
    const std::filesystem::path folder = file.parent_path();
    if (!program.weights.empty())
        SW_CHECK(writeTensorArchive(folder / options.weightsFile, program.weights));
    SW_CHECK(checkConverted(graph, program.text, folder, options.libraryFolder));
    SW_CHECK(writeWholeFile(file, {program.text}, Durability::Synced));
    return program;
}

// A call that gives other operations in the place of a program than it gave in a model is written out.
Result<ConvertedProgram> written(const Graph &graph, const std::filesystem::path &file, const ConvertOptions &options)
{
    Result<ConvertedProgram> program = writtenAs(graph, file, options);
    if (program || options.calls.empty())
        return program;
    ConvertOptions plain = options;
    plain.calls.clear();
    return writtenAs(graph, file, plain);
}

} // namespace

Outcome convert(const Arguments &arguments, const Environment &environment)
{
    const std::filesystem::path file = arguments.value("-o", {});
    if (file.filename().empty() || file.extension() != ".sw")
        return usageFailed({Diagnostic::error(Code::Argument, {}, "convert needs -o OUT.sw")});
    const Result<CompileRequest> request = requestOf(arguments, environment, CompileUntil::Program);
    if (!request)
        return requestFailed(request.error());
    const Opened opened = openToConvert(request->program, environment.stop);
    if (opened.graph == nullptr)
        return failed(opened.diagnostics);
    const Result<GraphPart> part = cutGraph(*opened.graph, arguments.values("--from"), arguments.values("--to"));
    if (!part)
        return failed(part.error());
    const std::filesystem::path source = request->program.fileName;
    const ConvertOptions options{.title = format("Made of {} by stepwellc convert.", source.filename().string()),
                                 .weightsFile = file.stem().string() + ".safetensors",
                                 .libraryFolder = std::filesystem::path(environment.resourceFolder) / "library",
                                 .calls = usesIn(opened.calls, part->made),
                                 .showsSources = isModel(source)};
    const Result<ConvertedProgram> program = written(part->graph, file, options);
    if (!program)
        return failed(program.error());
    Outcome outcome = failed(opened.diagnostics);
    outcome.output = format("{} operations in {} lines, {} tensors of weights: {}\n", part->graph.size() - 1, program->lines,
                            program->weights.size(), file.string());
    return outcome;
}

} // namespace sw::command
