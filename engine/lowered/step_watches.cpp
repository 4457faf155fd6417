#include "engine/lowered/step_watches.h"

namespace sw {

namespace {

// How many bytes of the frame a step changes, starting at its result or, for a loop's steps, at the counter.
std::size_t changedBytes(const Step &step)
{
    switch (step.kind) {
    case StepKind::Compute:
    case StepKind::Special:
    case StepKind::Load:
    case StepKind::MaskedLoad:
    case StepKind::IndexCheck:
        return std::size_t{step.lanes.lanes} * bytesOf(step.lanes.dtype);
    case StepKind::LoopBegin:
        return 2 * sizeof(std::int64_t); // the extent too
    case StepKind::LoopEnd:
        return sizeof(std::int64_t);
    case StepKind::If:
    case StepKind::Store:
    case StepKind::Barrier:
        return 0;
    }
    SW_UNREACHABLE();
}

} // namespace

bool LoggingWatch::begins(const WorkItem &item, std::size_t stepIndex)
{
    const Step &step = machine().program().steps[stepIndex];
    if (step.startsInstruction) {
        if (!countOne())
            return false;
        m_log.begin(machine().cursor(), stepIndex);
    }
    const bool isLoop = step.kind == StepKind::LoopBegin || step.kind == StepKind::LoopEnd;
    if (const std::size_t bytes = changedBytes(step); bytes != 0)
        m_log.keep(ChangeKind::Register, item.frame + (isLoop ? step.counter : step.lanes.result), bytes);
    return true;
}

void LoggingWatch::touches(const Step &step, std::int64_t index, std::uint32_t lanes, std::byte *at)
{
    MovingWatch::touches(step, index, lanes, at);
    m_log.note(step, index, lanes, at);
}

void LoggingWatch::fails(IndexFault &fault)
{
    m_log.keep(ChangeKind::Fault, reinterpret_cast<std::byte *>(&fault), sizeof(fault));
}

void LoggingWatch::clears(std::span<std::byte> bytes)
{
    MovingWatch::clears(bytes);
    m_log.keep(ChangeKind::Memory, bytes.data(), bytes.size());
}

} // namespace sw
