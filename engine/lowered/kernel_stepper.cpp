#include "engine/lowered/kernel_stepper.h"

#include "engine/lowered/access_watches.h"
#include "engine/lowered/line_watch.h"
#include "engine/lowered/step_history.h"
#include "engine/lowered/step_state.h"
#include "engine/lowered/stepped_run.h"
#include "engine/lowered/stop_search.h"

#include <algorithm>
#include <limits>

namespace sw {

namespace {

constexpr std::uint64_t kBehindEveryEnd = std::numeric_limits<std::uint64_t>::max();

} // namespace

class KernelStepper::Implementation {
public:
    Implementation(LoweredKernel stepped, std::unique_ptr<SteppedRun> steppedRun)
        : kernel(std::move(stepped)), run(std::move(steppedRun)), reader(kernel)
    {
    }

    // Returns to where the run was before a move that did not reach its goal.
    [[nodiscard]] Failure cameBack(std::uint64_t from, const std::stop_token &stop, const Diagnostic &otherwise)
    {
        comeBack(from);
        if (stop.stop_requested())
            return Failure({Diagnostic::error(Code::Cancelled, {}, "stepping through kernel {} was cancelled", kernel.name)});
        return Failure({otherwise});
    }

    void comeBack(std::uint64_t from)
    {
        const bool isThere = run->arrive(from, {});
        SW_ASSERT(isThere, "a position that was reached before");
    }

    [[nodiscard]] Result<StepSearch> search(Direction direction, const StopPlan &plan, std::stop_token stop, StartsAt start)
    {
        const std::uint64_t from = run->position();
        const auto keep = direction == Direction::Forward ? StopSearch::Keep::First : StopSearch::Keep::Last;
        StopSearch watch(run->machine(), run->pages(), plan, keep);
        watch.stopWith(stop);
        const std::optional<std::uint64_t> found =
            direction == Direction::Forward ? searchForward(watch, plan, start) : searchBackward(watch, start);
        const std::uint64_t looked = run->position();
        if (watch.isStopped())
            return cameBack(from, stop, Diagnostic::error(Code::Cancelled, {}, "the search was cancelled"));
        comeBack(found.value_or(from));
        const std::uint64_t reached = found.value_or(direction == Direction::Forward ? looked : 0);
        return StepSearch{found.has_value(), reached > from ? reached - from : from - reached};
    }

    [[nodiscard]] std::optional<std::uint64_t> searchForward(StopSearch &watch, const StopPlan &plan, StartsAt start)
    {
        const std::uint64_t from = run->position();
        run->clearLog();
        watch.start(from, start == StartsAt::Here);
        run->runTo(kBehindEveryEnd, watch);
        if (watch.found() || watch.isStopped())
            return watch.found();
        if (!run->endsInAccess())
            watch.end(run->position());
        else if (run->position() > from && (plan.leaves || plan.stopsAtFaults))
            return run->position();
        return watch.found();
    }

    // Searches from one checkpoint to the next, the last ones first.
    [[nodiscard]] std::optional<std::uint64_t> searchBackward(StopSearch &watch, StartsAt start)
    {
        std::uint64_t last = run->position();
        if (start == StartsAt::Next && last-- == 0)
            return std::nullopt;
        while (true) {
            run->restoreBefore(last == 0 ? 0 : last - 1);
            const std::uint64_t first = run->position();
            watch.start(first, first == 0);
            run->runTo(last, watch);
            if (watch.found() || watch.isStopped() || first == 0)
                return watch.found();
            last = first;
        }
    }

    [[nodiscard]] Result<StepSearch> step(Direction direction)
    {
        const std::uint64_t from = run->position();
        if (direction == Direction::Backward && from == 0)
            return StepSearch{false, 0};
        if (run->arrive(direction == Direction::Forward ? from + 1 : from - 1, {}))
            return StepSearch{true, 1};
        comeBack(from);
        return StepSearch{false, 0};
    }

    // The next step of the item whose turn it is; empty at the end.
    [[nodiscard]] std::optional<std::size_t> nextStep() const
    {
        const KernelMachine &machine = run->machine();
        return machine.cursor().isOver ? std::nullopt : std::optional(machine.item().next);
    }

    // The step that opened the loop that the last step ended.
    [[nodiscard]] std::optional<std::size_t> endedLoop() const
    {
        if (run->log().steps() == 0)
            return std::nullopt;
        const LoggedStep &logged = run->log().last();
        const Step &last = run->program().steps[logged.next];
        std::byte *const frame = run->machine().itemAt(logged.before.item).frame;
        if (last.kind != StepKind::LoopEnd || at<std::int64_t>(frame, last.counter) < at<std::int64_t>(frame, last.counter + 8))
            return std::nullopt;
        return last.target - 1;
    }

    // The step that opened the innermost loop around a step.
    [[nodiscard]] std::optional<std::size_t> loopAround(std::size_t step) const
    {
        const std::vector<Step> &steps = run->program().steps;
        for (std::size_t i = step; i-- > 0;)
            if (steps[i].kind == StepKind::LoopBegin && step < steps[i].target)
                return i;
        return std::nullopt;
    }

    // What is known of the past without running anything again: all that lies behind `from`, newest first.
    template <class Past>
    struct Known {
        std::vector<Past> newest;
        std::uint64_t from = 0;
    };

    // The log tells the accesses of the steps that it can take back.
    [[nodiscard]] Known<PastAccess> loggedAccesses(std::size_t count) const
    {
        const UndoLog &log = run->log();
        Known<PastAccess> known{{}, run->position()};
        for (std::size_t step = log.steps(); step-- > 0 && known.newest.size() < count; --known.from) {
            const std::span<const Change> changes = log.changesOf(step);
            for (auto change = changes.rbegin(); change != changes.rend() && known.newest.size() < count; ++change)
                if (change->count != 0)
                    known.newest.push_back({known.from, change->kind == ChangeKind::Memory ? AccessKind::Store : AccessKind::Load,
                                            run->program().memories[change->memory].instruction, change->first, change->count});
        }
        return known;
    }

    // Collects the last `count` of what a watch keeps, newest first, from one checkpoint to the next, the last ones first.
    template <class Past, class Watch>
    [[nodiscard]] Result<std::vector<Past>> lastOf(Watch &watch, std::size_t count, const std::stop_token &stop,
                                                   Known<Past> known)
    {
        if (known.newest.size() == count || known.from == 0)
            return std::move(known.newest);
        const std::uint64_t from = run->position();
        watch.stopWith(stop);
        std::vector<Past> newest = std::move(known.newest);
        for (std::uint64_t last = known.from; last != 0 && newest.size() < count && !watch.isStopped();) {
            run->restoreBefore(last - 1);
            const std::uint64_t first = run->position();
            watch.start(count - newest.size());
            run->runTo(last, watch);
            watch.moveTo(newest);
            last = first;
        }
        comeBack(from);
        if (watch.isStopped())
            return cameBack(from, stop, Diagnostic::error(Code::Cancelled, {}, "the search was cancelled"));
        return newest;
    }

    LoweredKernel kernel;
    std::unique_ptr<SteppedRun> run;
    StepReader reader;
};

KernelStepper::KernelStepper(std::unique_ptr<Implementation> implementation) : m_implementation(std::move(implementation)) {}
KernelStepper::~KernelStepper() = default;
KernelStepper::KernelStepper(KernelStepper &&) noexcept = default;
KernelStepper &KernelStepper::operator=(KernelStepper &&) noexcept = default;

Result<KernelStepper> KernelStepper::open(const LoweredKernel &kernel, const StepperRequest &request)
{
    SW_TRY(auto run, SteppedRun::open(kernel, request));
    return KernelStepper(std::make_unique<Implementation>(kernel, std::move(run)));
}

const LoweredKernel &KernelStepper::kernel() const
{
    return m_implementation->kernel;
}

std::uint64_t KernelStepper::position() const
{
    return m_implementation->run->position();
}

std::uint64_t KernelStepper::reached() const
{
    return m_implementation->run->reached();
}

StepState KernelStepper::state() const
{
    return m_implementation->reader.state(*m_implementation->run);
}

std::span<const std::byte> KernelStepper::bytesOf(InstructionId memory) const
{
    return m_implementation->reader.bytesOf(*m_implementation->run, memory);
}

StepperMemory KernelStepper::memory() const
{
    return m_implementation->run->memory();
}

bool KernelStepper::stepForward()
{
    return m_implementation->step(Direction::Forward)->isFound;
}

bool KernelStepper::stepBackward()
{
    return m_implementation->step(Direction::Backward)->isFound;
}

Result<Done> KernelStepper::goTo(std::uint64_t position, std::stop_token stop)
{
    Implementation &own = *m_implementation;
    const std::uint64_t from = own.run->position();
    if (own.run->arrive(position, stop))
        return Done{};
    const std::uint64_t end = own.run->end().value_or(0);
    return own.cameBack(from, stop,
                        Diagnostic::error(Code::Argument, {}, "the run of kernel {} has {} steps; there is no position {}",
                                          own.kernel.name, end, position));
}

Result<std::uint64_t> KernelStepper::findEnd(std::stop_token stop)
{
    Implementation &own = *m_implementation;
    if (!own.run->end()) {
        const std::uint64_t from = own.run->position();
        MovingWatch watch(own.run->machine(), own.run->pages());
        watch.stopWith(stop);
        own.run->clearLog();
        own.run->runTo(kBehindEveryEnd, watch);
        own.comeBack(from);
        if (watch.isStopped())
            return own.cameBack(from, stop, Diagnostic::error(Code::Cancelled, {}, "the run was cancelled"));
    }
    return *own.run->end();
}

Result<StepSearch> KernelStepper::run(Direction direction, const StopCondition &condition, std::stop_token stop, StartsAt start)
{
    return run(direction, std::span(&condition, 1), std::move(stop), start);
}

Result<StepSearch> KernelStepper::run(Direction direction, std::span<const StopCondition> conditions, std::stop_token stop,
                                      StartsAt start)
{
    Implementation &own = *m_implementation;
    SW_TRY(const StopPlan plan, planOf(conditions, own.kernel, own.run->program()));
    return own.search(direction, plan, std::move(stop), start);
}

Result<StepSearch> KernelStepper::stepOver(Direction direction, std::stop_token stop)
{
    Implementation &own = *m_implementation;
    StopPlan plan;
    if (direction == Direction::Forward) {
        const std::optional<std::size_t> next = own.nextStep();
        if (!next || own.run->program().steps[*next].kind != StepKind::LoopBegin)
            return own.step(direction);
        plan.leaves = {own.run->machine().cursor(), *next, own.run->program().steps[*next].target - std::size_t{1}};
    } else {
        const std::optional<std::size_t> loop = own.endedLoop();
        if (!loop)
            return own.step(direction);
        plan.atStep = {own.run->log().last().before, *loop};
    }
    return own.search(direction, plan, std::move(stop), StartsAt::Next);
}

Result<StepSearch> KernelStepper::stepOut(Direction direction, std::stop_token stop)
{
    Implementation &own = *m_implementation;
    const std::optional<std::size_t> next = own.nextStep();
    if (!next)
        return StepSearch{};
    const std::optional<std::size_t> loop = own.loopAround(*next);
    const std::vector<Step> &steps = own.run->program().steps;
    StopPlan plan;
    if (direction == Direction::Forward)
        plan.leaves = {own.run->machine().cursor(), loop.value_or(0), (loop ? steps[*loop].target : steps.size()) - 1};
    else
        plan.atStep = {own.run->machine().cursor(), loop.value_or(0)};
    return own.search(direction, plan, std::move(stop), StartsAt::Next);
}

Result<std::vector<PastValue>> KernelStepper::history(InstructionId value, std::size_t count, std::stop_token stop)
{
    Implementation &own = *m_implementation;
    const StopCondition made = AfterValue{value};
    SW_TRY(const StopPlan plan, planOf({&made, 1}, own.kernel, own.run->program()));
    ValueHistory watch(own.run->machine(), own.run->pages(), plan.values);
    return own.lastOf<PastValue>(watch, count, stop, {{}, own.run->position()});
}

Result<std::vector<PastAccess>> KernelStepper::lastAccesses(std::size_t count, std::stop_token stop)
{
    Implementation &own = *m_implementation;
    AccessHistory watch(own.run->machine(), own.run->pages());
    return own.lastOf<PastAccess>(watch, count, stop, own.loggedAccesses(count));
}

Result<AccessCounts> KernelStepper::countAccesses(const AccessLimits &limits, std::stop_token stop)
{
    Implementation &own = *m_implementation;
    const std::uint64_t from = own.run->position();
    AccessCounter watch(own.run->machine(), own.run->pages(), limits);
    watch.stopWith(stop);
    own.run->restoreBefore(0);
    own.run->runTo(limits.steps, watch);
    AccessCounts counts{own.run->position(), own.run->isAtEnd(), watch.take()};
    own.comeBack(from);
    if (watch.isStopped())
        return own.cameBack(from, stop, Diagnostic::error(Code::Cancelled, {}, "the count was cancelled"));
    return counts;
}

Result<LineCounts> KernelStepper::countLines(const LineLimits &limits, std::stop_token stop)
{
    Implementation &own = *m_implementation;
    const std::uint64_t from = own.run->position();
    LineWatch watch(own.run->machine(), own.run->pages(), limits.cachedLines);
    watch.stopWith(stop);
    own.run->restoreBefore(0);
    own.run->runTo(limits.steps, watch);
    LineCounts counts = watch.counts();
    counts.steps = own.run->position();
    counts.isWhole = own.run->isAtEnd();
    own.comeBack(from);
    if (watch.isStopped())
        return own.cameBack(from, stop, Diagnostic::error(Code::Cancelled, {}, "the count was cancelled"));
    return counts;
}

Result<std::vector<WrittenMemory>> KernelStepper::writtenAtEnd(std::span<const InstructionId> memories, std::stop_token stop)
{
    Implementation &own = *m_implementation;
    const std::vector<MemoryPlan> &plans = own.run->program().memories;
    std::vector<bool> isWatched;
    for (const MemoryPlan &plan : plans)
        isWatched.push_back(std::ranges::find(memories, plan.instruction) != memories.end());
    const std::uint64_t from = own.run->position();
    LastWriters watch(own.run->machine(), own.run->pages(), isWatched);
    watch.stopWith(stop);
    own.run->restoreBefore(0);
    own.run->runTo(kBehindEveryEnd, watch);
    std::vector<WrittenMemory> written;
    for (std::size_t i = 0; i < plans.size(); ++i) {
        if (!isWatched[i])
            continue;
        const std::span<const std::byte> bytes = bytesOf(plans[i].instruction);
        written.push_back({plans[i].instruction, {bytes.begin(), bytes.end()}, watch.take(i)});
    }
    own.comeBack(from);
    if (watch.isStopped())
        return own.cameBack(from, stop, Diagnostic::error(Code::Cancelled, {}, "the run was cancelled"));
    return written;
}

} // namespace sw
