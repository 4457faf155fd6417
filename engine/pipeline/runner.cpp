#include "engine/pipeline/runner.h"

#include "engine/graph/verify.h"
#include "engine/loops/verifier.h"
#include "engine/lowered/verifier.h"
#include "engine/schedule/verify.h"

#include <chrono>
#include <exception>
#include <new>
#include <utility>

namespace sw {

namespace {

void fail(PassStep &step, Diagnostics diagnostics)
{
    step.after = step.before;
    step.changed = false;
    step.failed = true;
    for (Diagnostic &diagnostic : diagnostics)
        step.diagnostics.push_back(std::move(diagnostic));
}

// Kernels that the stage before had too are sound.
struct Verify {
    const Stage *before = nullptr;    // which was verified; null: there is none
    const KernelMemo *memo = nullptr; // knows bodies that were verified; null: there is none

    Result<Done> operator()(const GraphPtr &graph) const { return verifyGraph(*graph); }
    Result<Done> operator()(const SchedulePtr &schedule) const { return verifySchedule(*schedule); }
    Result<Done> operator()(const LoopProgramPtr &program) const { return verifyLoops(*program); }
    Result<Done> operator()(const LoweredProgramPtr &program) const
    {
        const auto *same = before == nullptr ? nullptr : std::get_if<LoweredProgramPtr>(before);
        const bool hasSame = same != nullptr && (*same)->schedule == program->schedule;
        return verifyLowered(
            *program, {.here = hasSame ? (*same)->kernels.bodies() : std::span<const KernelList::Body>(),
                       .elsewhere = [this](const KernelList::Body &body) { return memo != nullptr && memo->isSound(body); }});
    }
};

// Runs the pass, measures its time and keeps its result; exceptions pass through to the caller.
void runAndVerify(PassStep &step, PassContext &context)
{
    step.begin = std::chrono::steady_clock::now();
    Result<Stage> made = step.pass->run(step.before, context);
    const auto end = std::chrono::steady_clock::now();
    step.time = end - step.begin;
    if (!made) {
        fail(step, made.error());
        return;
    }
    if (*made == step.before)
        return;
    if (context.isCancelled()) { // nobody wants it, so that it need not be right
        fail(step, {Diagnostic::error(Code::Cancelled, {}, "the compilation was cancelled")});
        return;
    }
    SW_ASSERT(levelOf(*made) == step.pass->output, "the stage that the pass's row names");
    const bool isBetween = step.pass->isIncompleteBetween && !context.mayRewrite();
    const Result<Done> sound = isBetween ? Result<Done>(Done{}) : std::visit(Verify{&step.before, context.memo()}, *made);
    step.verifyTime = std::chrono::steady_clock::now() - end;
    if (!sound) {
        fail(step, sound.error());
        return;
    }
    step.after = std::move(*made);
    step.changed = true;
}

PassStep stepOf(const Stage &before, const PassInfo &pass, PassContext &context)
{
    PassStep step;
    step.pass = &pass;
    step.before = before;
    step.after = before;
    try {
        runAndVerify(step, context);
    } catch (const std::exception &exception) {
        fail(step, {diagnosticOf(exception)});
    }
    if (!context.isCancelled()) // nobody reads the rewrites of a cancelled pass
        step.rewrites = std::move(context.rewrites());
    return step;
}

} // namespace

Result<Done> verifyStage(const Stage &stage)
{
    return std::visit(Verify{}, stage);
}

Diagnostic diagnosticOf(const std::exception &exception)
{
    if (dynamic_cast<const std::bad_alloc *>(&exception) != nullptr)
        return Diagnostic::error(Code::Limit, {}, "there is not enough memory for this program");
    return Diagnostic::error(Code::Internal, {}, "a fault of Stepwell itself: {}", exception.what());
}

PassStep runPass(const Stage &before, const PassInfo &pass, const CompileTarget &target, std::stop_token stop,
                 std::uint32_t rewriteBudget, RewriteWindow told)
{
    PassContext context(target.device, target.language, target.options, std::move(stop), rewriteBudget, target.others, told);
    return stepOf(before, pass, context);
}

std::vector<RewriteEvent> rewritesOf(const PassStep &step, const CompileTarget &target, RewriteWindow window,
                                     std::stop_token stop)
{
    if (step.rewrites.empty() || window.count == 0)
        return {};
    // Not limited to the window's end, because a rewrite's result is known only after the rewrites that it caused. Not verified,
    // because the step's own result was.
    PassContext context(target.device, target.language, target.options, std::move(stop), kNoRewriteLimit, target.others, window);
    try {
        (void)step.pass->run(step.before, context);
    } catch (const std::exception &) {
        return context.rewrites().events(); // those before the fault, which the step's diagnostics report
    }
    return context.rewrites().events();
}

PipelineRun runPipeline(const Stage &start, std::span<const PassInfo> passes, const CompileTarget &target, std::stop_token stop,
                        const StepObserver &observer, WorkProgress *progress, PipelineMemo *memo)
{
    PipelineMemo::Use use(memo, target);
    PipelineRun run;
    run.last = start;
    for (const PassInfo &pass : passes) {
        if (pass.input < levelOf(start))
            continue;
        if (stop.stop_requested()) {
            run.cancelled = true;
            return run;
        }
        if (progress != nullptr)
            progress->begin(pass.title);
        PassContext context(target.device, target.language, target.options, stop, kNoRewriteLimit, target.others, kNoRewrites);
        context.tell(progress);
        context.remember(use.kernels());
        run.steps.push_back(stepOf(run.last, pass, context));
        const PassStep &step = run.steps.back();
        run.diagnostics.insert(run.diagnostics.end(), step.diagnostics.begin(), step.diagnostics.end());
        if (observer)
            observer(step);
        if (step.failed) {
            run.cancelled = stop.stop_requested();
            return run;
        }
        run.last = step.after;
    }
    run.succeeded = true;
    use.succeed();
    return run;
}

} // namespace sw
