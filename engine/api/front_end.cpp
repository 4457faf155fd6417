#include "engine/api/front_end.h"

#include "engine/api/lowered_program.h"
#include "engine/api/model_options.h"
#include "engine/graph/parser.h"
#include "engine/language/compile.h"
#include "engine/lowered/parser.h"
#include "engine/onnx/import.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <span>

namespace sw {

namespace {

constexpr std::uintmax_t kMaxFileBytes = std::uintmax_t{1} << 30U;

// Who waits for the program: may stop, and is told how far it is.
struct Waiting {
    std::stop_token stop;
    WorkProgress *progress = nullptr;
};

FrontEndResult failure(Diagnostics diagnostics)
{
    return {.stage = std::nullopt, .sources = nullptr, .diagnostics = std::move(diagnostics)};
}

Stage stageOf(Graph graph)
{
    return std::make_shared<const Graph>(std::move(graph));
}

std::filesystem::path libraryFolderOf(const ProgramInput &input)
{
    return std::filesystem::path(input.resourceFolder) / "library";
}

FrontEndResult openSource(const ProgramInput &input, const std::string &text, const Waiting &waiting)
{
    const std::filesystem::path folder = std::filesystem::path(input.fileName).parent_path();
    const LanguageOptions options{libraryFolderOf(input)};
    ProgramResult result = compileProgram({input.fileName, text, folder}, options, waiting.stop);
    FrontEndResult opened{
        .sources = result.sources, .runDimensions = input.dimensions, .diagnostics = std::move(result.diagnostics)};
    if (result.graph)
        opened.stage = stageOf(std::move(*result.graph));
    return opened;
}

FrontEndResult openGraph(const ProgramInput &input, const std::string &text, const Waiting &)
{
    Result<Graph> graph = parseGraph(text, input.fileName);
    if (!graph)
        return failure(graph.error());
    const SourceMapPtr sources = graph->sourcesPtr();
    return {.stage = stageOf(std::move(*graph)), .sources = sources, .runDimensions = input.dimensions};
}

FrontEndResult openLowered(const ProgramInput &input, const std::string &text, const Waiting &)
{
    const SourceMapPtr sources = lineSources(input.fileName, text);
    const Result<FramedText> framed = readFrame(text, input.fileName);
    if (!framed)
        return {.sources = sources, .diagnostics = framed.error()};
    LoweredParseOptions options;
    options.file = input.fileName;
    options.firstLine = framed->firstLine;
    options.originOf = [](const SourceRange &place) { return Origin(SourceId(place.line - 1)); };
    options.ignoreFrom = true;
    Result<std::vector<LoweredKernel>> kernels = parseLowered(framed->kernels, options);
    if (!kernels)
        return {.sources = sources, .diagnostics = kernels.error()};
    const LoweredFrame *frame = framed->frame ? &*framed->frame : nullptr;
    Result<LoweredProgram> program = programOfKernels(std::move(*kernels), frame, sources);
    if (!program)
        return {.sources = sources, .diagnostics = program.error()};
    FrontEndResult opened{.stage = Stage(std::make_shared<const LoweredProgram>(std::move(*program))),
                          .sources = sources,
                          .runDimensions = input.dimensions};
    if (frame != nullptr && frame->devices.front() != kAnyDevice)
        opened.device = frame->devices.front();
    return opened;
}

// A model on disk is mapped, because it may be large.
ModelResult importModel(const ProgramInput &input, const std::string &text, const Waiting &waiting)
{
    ModelOptions options = modelOptionsOf(input);
    options.progress = waiting.progress;
    if (!input.isText)
        return importOnnx(std::filesystem::path(input.fileName), options, waiting.stop);
    return importOnnx(std::as_bytes(std::span(text)), input.fileName, options, waiting.stop);
}

FrontEndResult openModel(const ProgramInput &input, const std::string &text, const Waiting &waiting)
{
    ModelResult model = importModel(input, text, waiting);
    FrontEndResult opened;
    opened.sources = std::move(model.sources);
    opened.constantInputs = std::move(model.constantInputs);
    opened.modelDimensions = std::move(model.chosenDimensions);
    opened.diagnostics = std::move(model.diagnostics);
    if (model.graph)
        opened.stage = stageOf(std::move(*model.graph));
    return opened;
}

// Whole: the text of a file is read before it is opened.
enum class FileReading : std::uint8_t { Whole, ByItself };

// Who says in which range a dimension stays open.
enum class Ranges : std::uint8_t { InTheText, OfTheUser };

struct FrontEnd {
    std::string_view ending;
    FrontEndResult (*open)(const ProgramInput &, const std::string &text, const Waiting &);
    FileReading reading = FileReading::Whole;
    Ranges ranges = Ranges::InTheText;
};

constexpr std::array kFrontEnds{
    FrontEnd{".sw", openSource},
    FrontEnd{".onnx", openModel, FileReading::ByItself, Ranges::OfTheUser},
    FrontEnd{".graph", openGraph},
    FrontEnd{".lowered", openLowered},
};

Diagnostic rangesAreInTheText(const ProgramInput &input)
{
    const auto &[name, range] = *input.openDimensions.begin();
    return Diagnostic::error(Code::Argument, {input.fileName},
                             "the dimension {} is to be {}, and only a model's dimensions are given ranges: {} says its own",
                             name, toText(range), input.fileName)
        .withHint(format("give a size for the run: {}={}", name, range.low));
}

} // namespace

ModelOptions modelOptionsOf(const ProgramInput &input)
{
    ModelOptions options{.givenInputs = {},
                         .dimensions = input.dimensions,
                         .openDimensions = input.openDimensions,
                         .libraryFolder = libraryFolderOf(input),
                         .folder = folderOf(input.fileName)};
    for (const NamedTensor &tensor : input.knownInputs)
        options.givenInputs.emplace(tensor.name, tensor.value);
    return options;
}

Result<std::string> readTextFile(const std::string &path)
{
    std::error_code error;
    const bool isFile = std::filesystem::is_regular_file(path, error);
    std::ifstream stream(path, std::ios::binary);
    if (!isFile || !stream)
        return Diagnostic::error(Code::File, {path}, "cannot read {}", path)
            .withHint(error    ? error.message()
                      : isFile ? "it cannot be opened"
                               : "there is no such file");
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    if (error || size > kMaxFileBytes)
        return Diagnostic::error(Code::Limit, {path}, "{} has {} bytes, more than the {} that are read", path, size,
                                 kMaxFileBytes);
    std::string text(static_cast<std::size_t>(size), '\0');
    if (!stream.read(text.data(), static_cast<std::streamsize>(size)))
        return Diagnostic::error(Code::File, {path}, "cannot read {} to its end", path);
    return text;
}

FrontEndResult openProgram(const ProgramInput &input, std::stop_token stop, WorkProgress *progress)
{
    if (progress != nullptr)
        progress->begin("Read the program");
    const Waiting waiting{std::move(stop), progress};
    const auto front =
        std::ranges::find_if(kFrontEnds, [&](const FrontEnd &end) { return input.fileName.ends_with(end.ending); });
    if (front == kFrontEnds.end())
        return failure(
            {Diagnostic::error(Code::File, {input.fileName}, "{} is not a kind of file that can be opened", input.fileName)
                 .withHint(format("the ending tells the kind: {}",
                                  join(kFrontEnds, ", ", [](const FrontEnd &end) { return end.ending; })))});
    if (front->ranges == Ranges::InTheText && !input.openDimensions.empty())
        return failure({rangesAreInTheText(input)});
    if (input.isText || front->reading == FileReading::ByItself)
        return front->open(input, input.text, waiting);
    const Result<std::string> text = readTextFile(input.fileName);
    if (!text)
        return failure(text.error());
    return front->open(input, *text, waiting);
}

} // namespace sw
