#include "engine/api/instruments.h"

#include "engine/api/explorer_implementation.h"

#include <exception>
#include <utility>

namespace sw {

Instruments::Instruments(const BackendRegistry &registry, std::string resourceFolder)
    : m_registry(registry), m_resourceFolder(std::move(resourceFolder))
{
}

TimelineAnswer Instruments::timelines(const ExploreRequest &program, const RunInputs &inputs, const TimelineOptions &options,
                                      const std::stop_token &stop) const
{
    try {
        const Result<CompileRequest> request = compileRequestOf(program, m_resourceFolder);
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

SweepAnswer Instruments::sweep(const ExploreRequest &program, const RunInputs &inputs, const SweepPlan &plan,
                               const std::stop_token &stop, const SweepObserver &observer) const
{
    SweepAnswer answer;
    try {
        const auto ended = [&]() -> Result<Done> {
            SW_TRY(const CompileRequest request, compileRequestOf(program, m_resourceFolder));
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

} // namespace sw
