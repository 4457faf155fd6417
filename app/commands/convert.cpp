#include "engine/api/convert/convert.h"

#include "app/commands/commands.h"
#include "app/commands/common.h"
#include "engine/api/convert/cut_graph.h"
#include "engine/api/convert/open_dimensions.h"
#include "engine/api/model_options.h"
#include "engine/base/whole_file.h"
#include "engine/graph/structure.h"

#include <filesystem>
#include <functional>
#include <optional>
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

struct Part {
    GraphPart graph;
    ConvertOptions options;
};

Result<Part> partOf(const Opened &opened, const Wanted &wanted, LibraryCalls calls)
{
    SW_TRY(GraphPart graph, cutGraph(*opened.graph, wanted.from, wanted.to));
    Part part{std::move(graph), wanted.options};
    if (calls == LibraryCalls::AsCalls)
        part.options.calls = usesIn(opened.calls, part.graph.made);
    return part;
}

Result<Done> writeWeights(const ConvertedProgram &program, const Wanted &wanted)
{
    if (!program.weights.empty())
        SW_CHECK(writeTensorArchive(wanted.file.parent_path() / wanted.options.weightsFile, program.weights));
    return Done{};
}

// The weights first: the program never names a missing file, and the check loads them.
Result<Done> write(const ConvertedProgram &program, const Wanted &wanted, const std::function<Result<Done>()> &check)
{
    SW_CHECK(writeWeights(program, wanted));
    SW_CHECK(check());
    return writeWholeFile(wanted.file, {program.text}, Durability::Synced);
}

Result<ConvertedProgram> writtenAs(const Opened &opened, const Wanted &wanted, LibraryCalls calls)
{
    SW_TRY(const Part part, partOf(opened, wanted, calls));
    SW_TRY(ConvertedProgram program, convertGraph(part.graph.graph, part.options));
    SW_CHECK(write(program, wanted, [&] {
        return checkConverted(part.graph.graph, program.text, wanted.file.parent_path(), part.options.libraryFolder);
    }));
    return program;
}

// Which dimensions stay open, and who may stop that.
struct Open {
    std::vector<std::string> names;
    std::stop_token stop;
    Diagnostics told = {}; // of the import when they are not assumed
    bool hasWrittenWeights = false;
};

// For the sizes that a run has.
Result<ConvertedProgram> writtenOpenAs(Open &open, const Wanted &wanted, LibraryCalls calls)
{
    const std::vector<std::string> &names = open.names;
    const auto programOf = [&](const std::vector<std::int64_t> &sizes) -> Result<ConvertedProgram> {
        ProgramInput input = wanted.input;
        for (std::size_t i = 0; i < names.size(); ++i)
            input.dimensions[names[i]] = sizes[i];
        const Opened opened = openToConvert(input, open.stop);
        open.told = opened.diagnostics;
        if (opened.graph == nullptr)
            return Failure(opened.diagnostics);
        SW_TRY(Part part, partOf(opened, wanted, calls));
        part.options.writesSlices = true;
        return convertGraph(part.graph.graph, part.options);
    };
    const std::filesystem::path folder = wanted.file.parent_path();
    const auto graphOfText = [&](const std::string &text) { return graphOf(text, folder, wanted.options.libraryFolder); };
    const auto isSame = [&](const ConvertedProgram &one, const ConvertedProgram &other) {
        if (!open.hasWrittenWeights && !writeWeights(one, wanted))
            return false;
        open.hasWrittenWeights = true; // they are the same for all sizes
        const Result<Graph> first = graphOfText(one.text);
        const Result<Graph> second = graphOfText(other.text);
        return first && second && isSameComputation(*first, *second);
    };
    SW_TRY(ConvertedProgram program, withOpenDimensions(names, programOf, isSame));
    SW_CHECK(write(program, wanted, [&]() -> Result<Done> {
        const Result<Graph> compiled = graphOfText(program.text);
        if (compiled)
            return Done{};
        const Diagnostic &first = compiled.error().front();
        return Diagnostic::error(Code::Unsupported, {}, "{}, at: {}", first.message, modelLineOf(program.text, first.where.line));
    }));
    return program;
}

// A call that gives other operations in the place of a program than it gave in a model is written out.
Result<ConvertedProgram> withOrWithoutCalls(const std::function<Result<ConvertedProgram>(LibraryCalls)> &written)
{
    Result<ConvertedProgram> program = written(LibraryCalls::AsCalls);
    return program ? std::move(program) : written(LibraryCalls::WrittenOut);
}

struct OpenProgram {
    std::optional<ConvertedProgram> program; // nothing: no dimension stays open
    Diagnostics told = {};                   // of its import; of each dimension that does not stay open, why not
};

// As many of the dimensions as stay open together; one that does not even alone is left out.
OpenProgram writtenOpen(Open open, const Wanted &wanted)
{
    OpenProgram made;
    const auto tried = [&](Open &of) {
        return withOrWithoutCalls([&](LibraryCalls calls) { return writtenOpenAs(of, wanted, calls); });
    };
    const auto note = [&](const std::string &name, const Diagnostics &why) {
        made.told.push_back({Severity::Note,
                             Code::Unsupported,
                             format("the dimension {} is 1 in the program: {}", name, why.front().message),
                             {},
                             format("--dim {}=N makes it N", name),
                             {}});
    };
    Result<ConvertedProgram> program = tried(open);
    if (!program && open.names.size() > 1) {
        std::erase_if(open.names, [&](const std::string &name) {
            Open one{{name}, open.stop};
            const auto alone = tried(one);
            if (!alone)
                note(name, alone.error());
            return !alone;
        });
        if (open.names.empty())
            return made;
        program = tried(open);
    }
    if (program) {
        made.program = std::move(*program);
        made.told.insert(made.told.end(), open.told.begin(), open.told.end());
    } else {
        for (const std::string &name : open.names)
            note(name, program.error());
    }
    return made;
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
    const Opened opened = openToConvert(wanted.input, environment.stop);
    if (opened.graph == nullptr)
        return failed(opened.diagnostics);
    OpenProgram open;
    if (!opened.assumedDimensions.empty())
        open = writtenOpen({opened.assumedDimensions, environment.stop}, wanted);
    Result<ConvertedProgram> program =
        open.program ? Result<ConvertedProgram>(std::move(*open.program))
                     : withOrWithoutCalls([&](LibraryCalls calls) { return writtenAs(opened, wanted, calls); });
    if (!program)
        return failed(program.error());
    Diagnostics told = open.program ? Diagnostics() : opened.diagnostics;
    told.insert(told.end(), open.told.begin(), open.told.end());
    Outcome outcome = failed(told);
    outcome.output = format("{} operations in {} lines, {} tensors of weights: {}\n", program->operations, program->lines,
                            program->weights.size(), file.string());
    return outcome;
}

} // namespace sw::command
