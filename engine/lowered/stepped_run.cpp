#include "engine/lowered/stepped_run.h"

#include <limits>

namespace sw {

namespace {

constexpr std::size_t kMaxLogBytes = std::size_t{16} << 20;
constexpr std::size_t kMinLogBytes = std::size_t{64} << 10;
// How many steps before a position are logged on the way to it, so that as many can be taken back at once.
constexpr std::uint64_t kLoggedSteps = 4096;

std::size_t alignedUp(std::size_t bytes)
{
    return (bytes + kBlockAlignment - 1) / kBlockAlignment * kBlockAlignment;
}

bool isSame(std::span<const std::byte> a, std::span<const std::byte> b)
{
    return !a.empty() && a.data() == b.data() && a.size() == b.size();
}

std::size_t logShare(std::size_t room)
{
    return std::min(kMaxLogBytes, room / 4);
}

} // namespace

Result<std::unique_ptr<SteppedRun>> SteppedRun::open(const LoweredKernel &kernel, const StepperRequest &request)
{
    SW_TRY(auto program, prepareProgram(kernel));
    MachineRequest sizes{{}, request.globalSize, request.localSize, {}};
    // Only the sizes are looked at here; nothing is written.
    for (const std::span<const std::byte> buffer : request.buffers)
        sizes.buffers.emplace_back(const_cast<std::byte *>(buffer.data()), buffer.size());
    SW_CHECK(checkRequest(*program, sizes));
    const Layout layout = layoutOf(*program, request);
    const std::size_t needed = layout.all + layout.changing + layout.changing / 64 + 4 * kMinLogBytes;
    if (needed > request.memoryLimitBytes)
        return Diagnostic::error(Code::Limit, {}, "stepping through kernel {} takes at least {} bytes, but the limit is {}",
                                 kernel.name, needed, request.memoryLimitBytes);
    return std::unique_ptr<SteppedRun>(new SteppedRun(std::move(program), request, layout));
}

SteppedRun::Layout SteppedRun::layoutOf(const InterpreterProgram &program, const StepperRequest &request)
{
    const std::size_t count = request.buffers.size();
    // A buffer that is given twice is placed where it comes first.
    std::vector<std::size_t> first(count);
    for (std::size_t i = 0; i < count; ++i)
        for (first[i] = 0; first[i] < i && !isSame(request.buffers[first[i]], request.buffers[i]);)
            ++first[i];
    std::vector<bool> isWritten(count);
    for (const Step &step : program.steps)
        if (const MemoryPlan *memory = step.kind == StepKind::Store ? &program.memories[step.memory] : nullptr;
            memory != nullptr && memory->kind == MemoryKind::Argument)
            isWritten[first[memory->position]] = true;
    Layout layout;
    layout.buffers.resize(count);
    layout.all = sw::layoutOf(program, request.localSize).bytes();
    for (const bool changing : {true, false}) {
        for (std::size_t i = 0; i < count; ++i) {
            if (first[i] != i || isWritten[i] != changing)
                continue;
            layout.buffers[i] = layout.all;
            layout.all += alignedUp(request.buffers[i].size());
        }
        if (changing)
            layout.changing = layout.all;
    }
    for (std::size_t i = 0; i < count; ++i)
        layout.buffers[i] = layout.buffers[first[i]];
    return layout;
}

SteppedRun::SteppedRun(std::unique_ptr<const InterpreterProgram> program, const StepperRequest &request, const Layout &layout)
    : m_program(std::move(program)),
      m_limit(request.memoryLimitBytes),
      m_interval(std::max<std::uint64_t>(request.stepsBetweenCheckpoints, 1)),
      m_storage(layout.all + kBlockAlignment),
      m_live(alignedBlock(m_storage.data())),
      m_pages({m_live, layout.changing}),
      m_machine(*m_program, machineRequest(request, layout), m_live),
      m_log(logShare(m_limit - layout.all - layout.changing) / 2), // because it may hold twice what it uses
      m_logBytes(logShare(m_limit - layout.all - layout.changing))
{
    // Moves to the first item that has a step.
    MovingWatch watch(m_machine, m_pages);
    if (m_machine.advance(watch) != Pause::Stopped)
        m_end = 0;
    m_checkpoints.push_back({0, m_machine.save(), m_pages.snapshot()});
}

MachineRequest SteppedRun::machineRequest(const StepperRequest &request, const Layout &layout)
{
    MachineRequest made{{}, request.globalSize, request.localSize, {}};
    for (std::size_t i = 0; i < request.buffers.size(); ++i) {
        std::byte *const to = m_live + layout.buffers[i];
        std::ranges::copy(request.buffers[i], to);
        made.buffers.emplace_back(to, request.buffers[i].size());
    }
    return made;
}

StepperMemory SteppedRun::memory() const
{
    return {m_limit, bytesHeld(), m_checkpoints.size(), m_interval, m_log.steps()};
}

std::size_t SteppedRun::stateBytes() const
{
    const MachineState &state = m_checkpoints.front().state;
    return sizeof(Checkpoint) + state.next.size() * sizeof(std::size_t) + state.faults.size() * sizeof(IndexFault);
}

std::size_t SteppedRun::bytesHeld() const
{
    return m_storage.size() + m_pages.bytesHeld() + m_pages.tableBytes() + m_log.bytesHeld() +
           m_checkpoints.size() * stateBytes();
}

const SteppedRun::Checkpoint &SteppedRun::checkpointBefore(std::uint64_t position) const
{
    const auto behind = std::ranges::upper_bound(m_checkpoints, position, {}, &Checkpoint::position);
    return *std::prev(behind);
}

void SteppedRun::restoreBefore(std::uint64_t position)
{
    const Checkpoint &checkpoint = checkpointBefore(position);
    m_pages.restore(checkpoint.pages);
    m_machine.restore(checkpoint.state);
    m_position = checkpoint.position;
    m_log.clear();
}

std::uint64_t SteppedRun::nextCheckpoint() const
{
    return (std::max(m_position, m_checkpoints.back().position) / m_interval + 1) * m_interval;
}

// Adds one if it fits beside a log that is as large as it may become.
void SteppedRun::addCheckpoint()
{
    const auto needed = [&] { return bytesHeld() - m_log.bytesHeld() + m_logBytes + m_pages.snapshotCost() + stateBytes(); };
    while (needed() > m_limit) {
        if (!thinOut()) {
            m_interval *= 2;
            return;
        }
    }
    if (m_position % m_interval == 0)
        m_checkpoints.push_back({m_position, m_machine.save(), m_pages.snapshot()});
}

// Drops every second checkpoint.
bool SteppedRun::thinOut()
{
    if (m_checkpoints.size() == 1)
        return false;
    m_interval *= 2;
    std::erase_if(m_checkpoints, [&](const Checkpoint &checkpoint) {
        const bool goes = checkpoint.position % m_interval != 0;
        if (goes)
            m_pages.release(checkpoint.pages);
        return goes;
    });
    return true;
}

// An access that failed does not count as run; when items wait at different barriers, the last of them has come to its own.
void SteppedRun::fail()
{
    m_problem = m_machine.problem();
    m_endsInAccess = !m_machine.cursor().isOver;
    if (!m_endsInAccess) {
        m_end = m_position;
        return;
    }
    m_end = m_position - 1;
    restoreBefore(*m_end);
    MovingWatch watch(m_machine, m_pages);
    runTo(*m_end, watch);
}

bool SteppedRun::takeBackTo(std::uint64_t position)
{
    // One step stays in the log, to tell what it did.
    const std::uint64_t kept = position == 0 ? 0 : 1;
    if (position > m_position || m_position - position + kept > m_log.steps())
        return false;
    for (; m_position > position; --m_position) {
        const LoggedStep step = m_log.last();
        m_log.undo(m_pages);
        m_machine.rewind(step.before, step.next);
    }
    return true;
}

bool SteppedRun::runLogged(std::uint64_t position, const std::stop_token &stop)
{
    const std::uint64_t before = position == 0 ? 0 : position - 1;
    if (m_position > before || m_position < checkpointBefore(before).position)
        restoreBefore(before);
    const std::uint64_t logged = std::max(kLoggedSteps, m_interval / 16);
    if (position > logged && m_position < position - logged) {
        m_log.clear();
        MovingWatch seeking(m_machine, m_pages);
        seeking.stopWith(stop);
        runTo(position - logged, seeking);
        if (m_position != position - logged)
            return false;
    }
    LoggingWatch logging(m_machine, m_pages, m_log);
    logging.stopWith(stop);
    runTo(position, logging);
    return m_position == position;
}

bool SteppedRun::arrive(std::uint64_t position, const std::stop_token &stop)
{
    if (m_end && position > *m_end)
        return false;
    if (takeBackTo(position))
        return true;
    if (!runLogged(position, stop))
        return false;
    // The end was found on the way, at an access that failed.
    const bool isBare = position != 0 && m_log.steps() == 0 && endsInAccess() && isAtEnd();
    return !isBare || runLogged(position, stop);
}

} // namespace sw
