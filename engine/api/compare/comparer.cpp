#include "engine/api/compare/comparer.h"

#include "engine/api/compilation.h"
#include "engine/api/describe.h"
#include "engine/api/reduce/reduce.h"
#include "engine/api/tune/use_tunings.h"
#include "engine/base/whole_file.h"
#include "engine/types/npy.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <utility>

namespace sw {

struct Comparer::Implementation {
    Implementation(const BackendRegistry &registry, std::string folder, const FiguresStore *figures)
        : resourceFolder(std::move(folder)), tunings(figures), compiler(registry)
    {
    }

    // A column's program, with the overrides of the column.
    [[nodiscard]] CompileRequest request(const ExploreRequest &program)
    {
        CompileRequest made;
        made.program.fileName = program.fileName;
        made.program.text = program.text;
        made.program.isText = !program.isFile;
        made.program.resourceFolder = resourceFolder;
        made.options.tunings = tunings.current();
        return made;
    }
    [[nodiscard]] Result<Compilation> compiled(const ComparedProgram &compared, const MatrixColumn &column,
                                               const std::stop_token &stop)
    {
        SW_TRY(const CompileRequest wanted, requestOf(request(compared.program), column));
        Compilation compilation = compiler.compile(wanted, stop);
        if (!compilation.succeeded || compilation.program == nullptr)
            return Failure(compilation.diagnostics);
        return compilation;
    }

    std::string resourceFolder;
    KeptTunings tunings;
    ProgramCompiler compiler;
};

namespace {

// The lines from `first` to `end`, for nobody to select.
StageDocumentPtr linesOf(const StageDocument &whole, std::size_t first, std::size_t end)
{
    auto made = std::make_shared<StageDocument>();
    made->kind = whole.kind;
    made->title = whole.title;
    for (std::size_t i = first; i < end; ++i)
        made->lines.push_back({whole.lines[i].text, kNoIndex, whole.lines[i].tags});
    return made;
}

StageDocumentPtr codeOf(const Compilation &compilation, std::uint32_t kernel)
{
    const StageDocumentPtr whole = describeCode(*compilation.lowered, *compilation.code);
    const auto isOther = [&](const DocumentLine &line) {
        return line.item != kNoIndex && whole->items[line.item].kernel != kernel;
    };
    const auto isOwn = [&](const DocumentLine &line) {
        return line.item != kNoIndex && whole->items[line.item].kernel == kernel;
    };
    const auto first = std::ranges::find_if(whole->lines, isOwn);
    const auto end = std::find_if(first, whole->lines.end(), isOther);
    return linesOf(*whole, static_cast<std::size_t>(first - whole->lines.begin()),
                   static_cast<std::size_t>(end - whole->lines.begin()));
}

StageDocumentPtr machineOf(ProgramCompiler &compiler, const Compilation &compilation, std::uint32_t kernel)
{
    const StageDocumentPtr whole =
        describeMachine(*compilation.lowered, *compilation.code, compiler.machineListings(compilation, KernelId(kernel)));
    const std::size_t first = whole->parts.at(kernel).line;
    const std::size_t end = kernel + 1 < whole->parts.size() ? whole->parts[kernel + 1].line : whole->lines.size();
    return linesOf(*whole, first, end);
}

} // namespace

Comparer::Comparer(const BackendRegistry &registry, std::string resourceFolder, const FiguresStore *figures)
    : m_implementation(std::make_unique<Implementation>(registry, std::move(resourceFolder), figures))
{
}

Comparer::~Comparer() = default;

Matrix Comparer::matrix(const ComparedProgram &compared, std::vector<MatrixColumn> columns, const MatrixOptions &options)
{
    return makeMatrix(
        m_implementation->compiler, m_implementation->request(compared.program), std::move(columns),
        [&](const Compilation &) { return compared.inputs; }, options);
}

KernelTexts Comparer::kernelTexts(const ComparedProgram &compared, const MatrixColumn &column, std::uint32_t kernel,
                                  const std::stop_token &stop)
{
    try {
        const Result<Compilation> compilation = m_implementation->compiled(compared, column, stop);
        if (!compilation)
            return {nullptr, nullptr, toText(compilation.error())};
        if (kernel >= compilation->lowered->kernels.size())
            return {nullptr, nullptr,
                    format("the program has {} kernels on {}", compilation->lowered->kernels.size(), titleOf(column))};
        return {codeOf(*compilation, kernel), machineOf(m_implementation->compiler, *compilation, kernel), {}};
    } catch (const std::exception &exception) {
        return {nullptr, nullptr, toText(diagnosticOf(exception))};
    }
}

DivergenceAnswer Comparer::divergence(const ComparedProgram &compared, const MatrixColumn &column,
                                      const DivergenceOptions &options)
{
    try {
        const Result<Compilation> compilation = m_implementation->compiled(compared, column, options.stop);
        if (!compilation)
            return {{}, toText(compilation.error())};
        Result<FirstDivergence> found = firstDivergence(m_implementation->compiler, *compilation, compared.inputs, options);
        return found ? DivergenceAnswer{std::move(*found), {}} : DivergenceAnswer{{}, toText(found.error())};
    } catch (const std::exception &exception) {
        return {{}, toText(diagnosticOf(exception))};
    }
}

MinimalProgram Comparer::minimalProgram(const ComparedProgram &compared, const MatrixColumn &column, const std::string &file,
                                        const std::stop_token &stop, const ProgressCallback &onProgress)
{
    try {
        const auto made = [&]() -> Result<MinimalProgram> {
            std::filesystem::path path = file;
            ReduceOptions options;
            options.stop = stop;
            options.stem = path.stem().string();
            options.onProgress = onProgress;
            SW_TRY(const CompileRequest wanted, requestOf(m_implementation->request(compared.program), column));
            SW_TRY(const ReducedProgram reduced, reduceProgram(
                                                     m_implementation->compiler, wanted, {column.device},
                                                     [&](const Compilation &) { return compared.inputs; }, options));
            path.replace_extension(reduced.ending);
            for (const auto &[name, value] : reduced.files)
                SW_CHECK(writeNpyFile(path.parent_path() / name, value));
            SW_CHECK(writeWholeFile(path.string(), {reduced.text}, Durability::Synced));
            return MinimalProgram{
                path.string(),
                format("{}; {} operations became {}", reduced.property.text, reduced.nodesBefore, reduced.nodesAfter),
                {}};
        }();
        return made ? *made : MinimalProgram{{}, {}, toText(made.error())};
    } catch (const std::exception &exception) {
        return {{}, {}, toText(diagnosticOf(exception))};
    }
}

DifferenceAnswer Comparer::difference(const ValueOpening &before, const ValueOpening &after,
                                      const TensorDifferenceOptions &options, const std::stop_token &stop)
{
    if (before.value == nullptr || after.value == nullptr)
        return {nullptr, before.value == nullptr ? before.error : after.error};
    Result<TensorDifference> made = differenceOf(*before.value, *after.value, options, stop);
    if (!made)
        return {nullptr, toText(made.error())};
    return {std::make_shared<const TensorDifference>(std::move(*made)), {}};
}

} // namespace sw
