#include "engine/pipeline/runner.h"

#include "engine/graph/verify.h"
#include "engine/loops/verifier.h"
#include "engine/lowered/verifier.h"
#include "engine/schedule/verify.h"

#include <chrono>
#include <deque>
#include <exception>
#include <future>
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

// Runs the pass, measures its time and keeps its result, which is to be verified; exceptions pass through to the caller.
void run(PassStep &step, PassContext &context)
{
    step.begin = std::chrono::steady_clock::now();
    Result<Stage> made = step.pass->run(step.before, context);
    step.time = std::chrono::steady_clock::now() - step.begin;
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
    step.after = std::move(*made);
    step.changed = true;
}

// Its rewrites are still in the context.
PassStep unverifiedStep(const Stage &before, const PassInfo &pass, PassContext &context)
{
    PassStep step;
    step.pass = &pass;
    step.before = before;
    step.after = before;
    try {
        run(step, context);
    } catch (const std::exception &exception) {
        fail(step, {diagnosticOf(exception)});
    }
    return step;
}

void takeRewrites(PassStep &step, PassContext &context)
{
    if (!context.isCancelled()) // nobody reads the rewrites of a cancelled pass
        step.rewrites = std::move(context.rewrites());
}

// What a verifier says of a stage.
struct Verdict {
    Result<Done> outcome = Done{};
    std::chrono::steady_clock::time_point begin = {};
    std::chrono::nanoseconds time{0};
};

Verdict verdictOn(const Stage &stage, const Verify &verify)
{
    Verdict verdict;
    verdict.begin = std::chrono::steady_clock::now();
    try {
        verdict.outcome = std::visit(verify, stage);
    } catch (const std::exception &exception) {
        verdict.outcome = diagnosticOf(exception);
    }
    verdict.time = std::chrono::steady_clock::now() - verdict.begin;
    return verdict;
}

void apply(PassStep &step, const Verdict &verdict)
{
    step.verifyBegin = verdict.begin;
    step.verifyTime = verdict.time;
    if (!verdict.outcome)
        fail(step, verdict.outcome.error());
}

PassStep stepOf(const Stage &before, const PassInfo &pass, PassContext &context)
{
    PassStep step = unverifiedStep(before, pass, context);
    const bool isBetween = step.pass->isIncompleteBetween && !context.mayRewrite();
    if (step.changed && !isBetween)
        apply(step, verdictOn(step.after, {&step.before, context.memo()}));
    takeRewrites(step, context);
    return step;
}

// The passes of a run that goes to its end. Every stage that a pass makes is verified. Graphs, which one thread verifies, are
// verified while the passes after them run; should one be wrong, what they made of it is thrown away. Who watches is told of all
// of a level before the passes of the next one run.
class Runner {
public:
    Runner(PipelineRun &run, const StepObserver &observer, KernelMemo *memo) : m_run(run), m_observer(observer), m_memo(memo) {}

    // False: the run ends here.
    bool add(PassStep step)
    {
        const bool isLater = step.changed && levelOf(step.after) == StageLevel::Graph;
        if (isLater && !settleAll()) // one check at a time
            return false;
        Waiting &added = m_waiting.emplace_back(Waiting{std::move(step), {}});
        if (isLater)
            added.verdict = std::async(std::launch::async, [stage = added.step.after] { return verdictOn(stage, {}); });
        const bool isDecided = !isLater && (added.step.changed || added.step.failed);
        return isDecided ? settleAll() : settleReady();
    }

    // Waits for all verdicts. False: a stage is wrong.
    bool settleAll()
    {
        while (!m_waiting.empty())
            if (!settleFirst())
                return false;
        return true;
    }

private:
    struct Waiting {
        PassStep step;
        std::future<Verdict> verdict; // nothing: what is new is verified when it is settled
    };

    // Those whose verdict is there, in order.
    bool settleReady()
    {
        const auto isReady = [](const std::future<Verdict> &verdict) {
            return !verdict.valid() || verdict.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
        };
        while (!m_waiting.empty() && isReady(m_waiting.front().verdict))
            if (!settleFirst())
                return false;
        return true;
    }
    bool settleFirst()
    {
        Waiting first = std::move(m_waiting.front());
        m_waiting.pop_front();
        if (first.verdict.valid())
            apply(first.step, first.verdict.get());
        else if (first.step.changed)
            apply(first.step, verdictOn(first.step.after, {&first.step.before, m_memo}));
        return settle(std::move(first.step));
    }
    bool settle(PassStep step)
    {
        m_run.diagnostics.insert(m_run.diagnostics.end(), step.diagnostics.begin(), step.diagnostics.end());
        m_run.steps.push_back(std::move(step));
        const PassStep &settled = m_run.steps.back();
        if (m_observer)
            m_observer(settled);
        if (settled.failed)
            return false;
        m_run.last = settled.after;
        return true;
    }

    PipelineRun &m_run;
    const StepObserver &m_observer;
    KernelMemo *m_memo;
    std::deque<Waiting> m_waiting;
};

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
    Runner runner(run, observer, use.kernels());
    Stage last = start; // not verified yet
    for (const PassInfo &pass : passes) {
        if (pass.input < levelOf(start))
            continue;
        const bool isLevelDone = pass.output != levelOf(last) || stop.stop_requested();
        if ((isLevelDone && !runner.settleAll()) || stop.stop_requested()) {
            run.cancelled = stop.stop_requested();
            return run;
        }
        if (progress != nullptr)
            progress->begin(pass.title);
        PassContext context(target.device, target.language, target.options, stop, kNoRewriteLimit, target.others, kNoRewrites);
        context.tell(progress);
        context.remember(use.kernels());
        PassStep step = unverifiedStep(last, pass, context);
        takeRewrites(step, context);
        last = step.after;
        if (!runner.add(std::move(step))) {
            run.cancelled = stop.stop_requested();
            return run;
        }
    }
    if (!runner.settleAll()) {
        run.cancelled = stop.stop_requested();
        return run;
    }
    run.succeeded = true;
    use.succeed();
    return run;
}

} // namespace sw
