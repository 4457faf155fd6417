#include "engine/api/instruments.h"

#include "engine/api/explorer_implementation.h"
#include "engine/api/reproduce/reproducer.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <utility>

namespace sw {

namespace {

Result<Done> writeReproducer(ProgramCompiler &compiler, const CompileRequest &request, const RunInputs &inputs,
                             const ReproducedFolder &wanted, const std::stop_token &stop)
{
    SW_CHECK(checkFolderIsFree(wanted.folder));
    const Compilation compilation = compiler.compile(request, stop);
    if (compilation.cancelled)
        return Diagnostic::error(Code::Cancelled, {}, "it was stopped");
    if (compilation.code == nullptr)
        return Failure(compilation.diagnostics);
    const std::vector<ScheduledKernel> &kernels = compilation.schedule->kernels;
    const auto kernel = std::ranges::find(kernels, wanted.kernel, &ScheduledKernel::name);
    if (kernel == kernels.end())
        return Diagnostic::error(Code::UnknownName, {}, "there is no kernel {} any more", sw::quoted(wanted.kernel));
    SW_TRY(const std::vector<FolderFile> files,
           reproducerOf(compiler, request, compilation,
                        {.kernel = KernelId(static_cast<std::size_t>(kernel - kernels.begin())),
                         .inputs = inputs,
                         .program = std::filesystem::path(request.program.fileName).filename().string(),
                         .command = wanted.command,
                         .limit = wanted.limit},
                        stop));
    return writeWholeFolder(wanted.folder, files);
}

} // namespace

Instruments::Instruments(const BackendRegistry &registry, std::string resourceFolder, const FiguresStore *figures)
    : m_registry(registry), m_resourceFolder(std::move(resourceFolder)), m_figures(figures), m_tunings(figures)
{
}

Result<CompileRequest> Instruments::requestOf(const ExploreRequest &program) const
{
    return compileRequestOf(program, m_resourceFolder, m_tunings.current());
}

TimelineAnswer Instruments::timelines(const ExploreRequest &program, const RunInputs &inputs, const TimelineOptions &options,
                                      const std::stop_token &stop) const
{
    try {
        const Result<CompileRequest> request = requestOf(program);
        if (!request)
            return {nullptr, firstError(request.error())};
        Result<RecordedTimelines> made =
            recordTimelines(m_registry, *request, [&](const Compilation &) { return inputs; }, options, stop);
        if (!made)
            return {nullptr, firstError(made.error())};
        return {std::make_shared<const RecordedTimelines>(*std::move(made)), {}};
    } catch (const std::exception &exception) {
        return {nullptr, diagnosticOf(exception).message};
    }
}

std::string Instruments::reproduce(const ExploreRequest &program, const RunInputs &inputs, const ReproducedFolder &wanted,
                                   const std::stop_token &stop) const
{
    try {
        const auto written = [&]() -> Result<Done> {
            SW_TRY(const CompileRequest request, requestOf(program));
            ProgramCompiler compiler(m_registry);
            return writeReproducer(compiler, request, inputs, wanted, stop);
        }();
        return written ? std::string() : firstError(written.error());
    } catch (const std::exception &exception) {
        return diagnosticOf(exception).message;
    }
}

SweepAnswer Instruments::sweep(const ExploreRequest &program, const RunInputs &inputs, const SweepPlan &plan,
                               const std::stop_token &stop, const SweepObserver &observer) const
{
    SweepAnswer answer;
    try {
        const auto ended = [&]() -> Result<Done> {
            SW_TRY(const CompileRequest request, requestOf(program));
            ProgramCompiler compiler(m_registry);
            // What the swept dimension is at a point is said by the program at that point.
            const auto inputsAt = [&](const Compilation &) {
                RunInputs own = inputs;
                if (plan.swept == Swept::Dimension)
                    own.dimensions.erase(plan.range.name);
                return own;
            };
            return runSweep(compiler, plan, request, inputsAt, answer.sweep, stop, observer);
        }();
        if (!ended)
            answer.error = firstError(ended.error());
    } catch (const std::exception &exception) {
        answer.error = diagnosticOf(exception).message;
    }
    return answer;
}

TuneAnswer Instruments::tune(const ExploreRequest &program, const RunInputs &inputs, TunePlan plan, const std::stop_token &stop,
                             const TuneObserver &observer) const
{
    TuneAnswer answer;
    try {
        plan.known = m_tunings.current();
        const auto ended = [&]() -> Result<Done> {
            SW_TRY(const CompileRequest request, requestOf(program));
            ProgramCompiler compiler(m_registry);
            return runTuning(
                compiler, plan, request, [&](const Compilation &) { return inputs; }, answer.tunings, stop, observer);
        }();
        if (!ended)
            answer.error = firstError(ended.error());
    } catch (const std::exception &exception) {
        answer.error = diagnosticOf(exception).message;
    }
    return answer;
}

std::string Instruments::keep(const KernelTuning &tuning, std::size_t candidate, std::uint64_t seed) const
{
    if (m_figures == nullptr)
        return "there is no folder to keep it in";
    const Result<Done> kept = keepCandidate(tuningsBeside(*m_figures), tuning, candidate, seed);
    return kept ? std::string() : firstError(kept.error());
}

std::string Instruments::forget(const std::string &key) const
{
    if (m_figures == nullptr)
        return "there is no folder that it is kept in";
    const Result<bool> gone = tuningsBeside(*m_figures).remove(key);
    return gone ? std::string() : firstError(gone.error());
}

} // namespace sw
