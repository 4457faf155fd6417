#include "engine/lowered/undo_log.h"

namespace sw {

void UndoLog::begin(const MachineCursor &cursor, std::size_t next)
{
    m_isTooLarge = false;
    if (bytesUsed() > m_limit / 4 * 3)
        dropFirst((m_steps.size() + 1) / 2);
    m_steps.push_back({cursor, next, m_changes.size()});
}

void UndoLog::keep(ChangeKind kind, std::byte *at, std::size_t bytes)
{
    Change change;
    change.at = at;
    change.bytes = bytes;
    change.kind = kind;
    add(change);
}

void UndoLog::note(const Step &step, std::int64_t index, std::uint32_t lanes, std::byte *at)
{
    Change change;
    change.at = at;
    change.kind = step.kind == StepKind::Store ? ChangeKind::Memory : ChangeKind::Read;
    change.bytes = step.kind == StepKind::Store ? std::size_t{lanes} * bytesOf(step.lanes.dtype) : 0;
    change.first = index;
    change.count = lanes;
    change.memory = step.memory;
    add(change);
}

void UndoLog::add(Change change)
{
    if (m_steps.empty() || !makeRoom(change.bytes + sizeof(Change)))
        return;
    change.kept = m_bytes.size();
    m_bytes.insert(m_bytes.end(), change.at, change.at + change.bytes);
    m_changes.push_back(change);
}

// A step that does not fit even alone leaves the log empty.
bool UndoLog::makeRoom(std::size_t bytes)
{
    if (!m_isTooLarge && bytesUsed() + bytes <= m_limit)
        return true;
    if (!m_isTooLarge && m_steps.size() > 1)
        dropFirst(m_steps.size() - 1);
    m_isTooLarge = m_isTooLarge || bytesUsed() + bytes > m_limit;
    if (m_isTooLarge)
        clear();
    return !m_isTooLarge;
}

void UndoLog::clear()
{
    m_steps.clear();
    m_changes.clear();
    m_bytes.clear();
}

void UndoLog::dropFirst(std::size_t steps)
{
    if (steps >= m_steps.size()) {
        clear();
        return;
    }
    const std::size_t changes = m_steps[steps].changes;
    const std::size_t bytes = changes < m_changes.size() ? m_changes[changes].kept : m_bytes.size();
    m_steps.erase(m_steps.begin(), m_steps.begin() + static_cast<std::ptrdiff_t>(steps));
    m_changes.erase(m_changes.begin(), m_changes.begin() + static_cast<std::ptrdiff_t>(changes));
    m_bytes.erase(m_bytes.begin(), m_bytes.begin() + static_cast<std::ptrdiff_t>(bytes));
    for (LoggedStep &step : m_steps)
        step.changes -= changes;
    for (Change &change : m_changes)
        change.kept -= bytes;
}

std::span<const Change> UndoLog::lastChanges() const
{
    return m_steps.empty() ? std::span<const Change>() : changesOf(m_steps.size() - 1);
}

std::span<const Change> UndoLog::changesOf(std::size_t step) const
{
    const std::size_t first = m_steps[step].changes;
    const std::size_t end = step + 1 < m_steps.size() ? m_steps[step + 1].changes : m_changes.size();
    return std::span(m_changes).subspan(first, end - first);
}

void UndoLog::undo(PagedMemory &memory)
{
    const LoggedStep step = m_steps.back();
    while (m_changes.size() > step.changes) {
        const Change &change = m_changes.back();
        if (change.kind != ChangeKind::Fault)
            memory.touch(change.at, change.bytes);
        std::copy_n(m_bytes.data() + change.kept, change.bytes, change.at);
        m_bytes.resize(change.kept);
        m_changes.pop_back();
    }
    m_steps.pop_back();
}

std::size_t UndoLog::bytesUsed() const
{
    return m_steps.size() * sizeof(LoggedStep) + m_changes.size() * sizeof(Change) + m_bytes.size();
}

std::size_t UndoLog::bytesHeld() const
{
    return m_steps.capacity() * sizeof(LoggedStep) + m_changes.capacity() * sizeof(Change) + m_bytes.capacity();
}

} // namespace sw
