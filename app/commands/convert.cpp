#include "engine/api/convert/convert.h"

#include "app/commands/commands.h"
#include "app/commands/common.h"
#include "engine/api/convert/cut_graph.h"
#include "engine/api/model_options.h"
#include "engine/base/whole_file.h"
#include "engine/graph/structure.h"
#include "engine/language/library_uses.h"

#include <filesystem>
#include <utility>

namespace sw::command {

namespace {

bool isModel(const std::filesystem::path &file)
{
    return file.extension() == ".onnx";
}

struct Opened {
    GraphPtr graph; // null: the diagnostics say why
    std::vector<LibraryUse> calls = {};
    std::vector<std::string> assumedDimensions = {};
    Diagnostics diagnostics = {};
};

Opened openToConvert(const ProgramInput &input, const std::stop_token &stop)
{
    if (isModel(input.fileName)) {
        ModelResult model = importOnnx(std::filesystem::path(input.fileName), modelOptionsOf(input), stop);
        Opened opened{.graph = nullptr,
                      .calls = std::move(model.libraryUses),
                      .assumedDimensions = std::move(model.assumedDimensions),
                      .diagnostics = std::move(model.diagnostics)};
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

// Which part of what, and how it is written.
struct Wanted {
    ProgramInput input;
    std::vector<std::string> from;
    std::vector<std::string> to;
    ConvertOptions options; // without calls
    std::filesystem::path file;
};

enum class LibraryCalls : std::uint8_t { AsCalls, WrittenOut };

// The weights first: the program never names a missing file, and the check loads them.
Result<Done> write(const ConvertedProgram &program, const Wanted &wanted, const Graph &graph)
{
    const std::filesystem::path folder = wanted.file.parent_path();
    if (!program.weights.empty())
        SW_CHECK(writeTensorArchive(folder / wanted.options.weightsFile, program.weights));
    SW_CHECK(checkConverted(graph, program.text, folder, wanted.options.libraryFolder));
    return writeWholeFile(wanted.file, {program.text}, Durability::Synced);
}

Result<ConvertedProgram> writtenAs(const Opened &opened, const Wanted &wanted, LibraryCalls calls)
{
    SW_TRY(GraphPart part, cutGraph(*opened.graph, wanted.from, wanted.to));
    ConvertOptions options = wanted.options;
    if (calls == LibraryCalls::AsCalls)
        options.calls = language::usesIn(opened.calls, part.made);
    SW_TRY(ConvertedProgram program, convertGraph(part.graph, options));
    SW_CHECK(write(program, wanted, part.graph));
    return program;
}

// A call that gives other operations in the place of a program than it gave in a model is written out.
Result<ConvertedProgram> written(const Opened &opened, const Wanted &wanted)
{
    Result<ConvertedProgram> program = writtenAs(opened, wanted, LibraryCalls::AsCalls);
    return program ? std::move(program) : writtenAs(opened, wanted, LibraryCalls::WrittenOut);
}

struct OpenProgram {
    Opened opened;
    Result<ConvertedProgram> program;
};

// With these dimensions open, as far as the model allows it.
OpenProgram writtenOpen(const Wanted &wanted, const std::vector<std::string> &names, const std::stop_token &stop)
{
    ProgramInput input = wanted.input;
    for (const std::string &name : names)
        input.openDimensions.emplace(name, DimensionRange());
    Opened open = openToConvert(input, stop);
    if (!open.graph)
        return {open, Failure(open.diagnostics)};
    Result<ConvertedProgram> program = written(open, wanted);
    return {std::move(open), std::move(program)};
}

// With all of the dimensions open that nothing settles, or with one of them, where no program says more.
OpenProgram writtenOpen(const Wanted &wanted, Opened closed, const std::stop_token &stop)
{
    const std::vector<std::string> names = closed.assumedDimensions;
    OpenProgram all = writtenOpen(wanted, names, stop);
    if (all.program)
        return all;
    for (const std::string &name : names) {
        if (names.size() == 1)
            break;
        OpenProgram one = writtenOpen(wanted, {name}, stop);
        if (one.program)
            return one;
    }
    for (const std::string &name : names)
        closed.diagnostics.push_back(
            {Severity::Note,
             Code::Unsupported,
             format("the dimension {} is 1 in the program: {}", name, all.program.error().front().message),
             {},
             format("--dim {}=N makes it N", name),
             {}});
    Result<ConvertedProgram> program = written(closed, wanted);
    return {std::move(closed), std::move(program)};
}

Outcome told(const Opened &opened, const Result<ConvertedProgram> &program, const std::filesystem::path &file)
{
    if (!program)
        return failed(program.error());
    Outcome outcome = failed(opened.diagnostics);
    outcome.output = format("{} operations in {} lines, {} tensors of weights: {}\n", program->operations, program->lines,
                            program->weights.size(), file.string());
    return outcome;
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
    const std::filesystem::path source = request->program.fileName;
    const Wanted wanted{
        .input = request->program,
        .from = arguments.values("--from"),
        .to = arguments.values("--to"),
        .options = {.title = format("Made of {} by stepwellc convert.", source.filename().string()),
                    .weightsFile = file.stem().string() + ".safetensors",
                    .libraryFolder = std::filesystem::path(environment.resourceFolder) / "library",
                    .showsSources = isModel(source)},
        .file = file,
    };
    Opened opened = openToConvert(wanted.input, environment.stop);
    if (opened.graph == nullptr)
        return failed(opened.diagnostics);
    if (!opened.assumedDimensions.empty()) {
        OpenProgram open = writtenOpen(wanted, std::move(opened), environment.stop);
        return told(open.opened, open.program, file);
    }
    return told(opened, written(opened, wanted), file);
}

} // namespace sw::command
