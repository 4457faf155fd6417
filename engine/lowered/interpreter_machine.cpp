#include "engine/lowered/interpreter_machine.h"

namespace sw {

namespace {

constexpr std::int64_t kMaxGroupItems = 1 << 16;

std::size_t alignedUp(std::size_t bytes)
{
    return (bytes + kBlockAlignment - 1) / kBlockAlignment * kBlockAlignment;
}

} // namespace

std::byte *alignedBlock(std::byte *bytes)
{
    const auto address = reinterpret_cast<std::uintptr_t>(bytes);
    return bytes + ((kBlockAlignment - address % kBlockAlignment) % kBlockAlignment);
}

Result<Done> checkRequest(const InterpreterProgram &program, const MachineRequest &request)
{
    if (request.buffers.size() != program.argumentCount)
        return Diagnostic::error(Code::Run, {}, "kernel {} takes {} buffers, but {} are given", program.name,
                                 program.argumentCount, request.buffers.size());
    for (const MemoryPlan &plan : program.memories) {
        if (plan.kind != MemoryKind::Argument)
            continue;
        const std::size_t bytes = request.buffers[plan.position].size();
        if (static_cast<std::int64_t>(bytes / bytesOf(plan.dtype)) < plan.elements)
            return Diagnostic::error(Code::Run, {},
                                     "kernel {} needs {} elements of {} as argument {}, but the buffer has {} bytes",
                                     program.name, plan.elements, nameOf(plan.dtype), plan.position, bytes);
    }
    for (std::size_t d = 0; d < 3; ++d) {
        const std::int64_t local = request.localSize[d];
        if (local < 1 || request.globalSize[d] < 0 || request.globalSize[d] % local != 0)
            return Diagnostic::error(Code::Run, {}, "kernel {}: local size {} does not divide global size {}", program.name,
                                     local, request.globalSize[d]);
    }
    const std::array<std::int64_t, 3> size = request.localSize;
    if (size[0] > kMaxGroupItems || size[1] > kMaxGroupItems / size[0] || size[2] > kMaxGroupItems / size[0] / size[1])
        return Diagnostic::error(Code::Limit, {}, "kernel {}: groups of [{}] work items; at most {} are supported", program.name,
                                 join(size, ", "), kMaxGroupItems);
    return Done{};
}

// With barriers every work item of a group needs a frame of its own, else they share one in turn.
MachineLayout layoutOf(const InterpreterProgram &program, const std::array<std::int64_t, 3> &localSize)
{
    const auto items = static_cast<std::size_t>(localSize[0] * localSize[1] * localSize[2]);
    return {alignedUp(program.frame.size()), alignedUp(program.scratchBytes), alignedUp(program.sharedBytes),
            program.hasBarriers ? items : 1};
}

KernelMachine::KernelMachine(const InterpreterProgram &program, MachineRequest request, std::byte *block)
    : m_program(program),
      m_request(std::move(request)),
      m_layout(layoutOf(program, m_request.localSize)),
      m_groupItems(static_cast<std::uint32_t>(m_request.localSize[0] * m_request.localSize[1] * m_request.localSize[2])),
      m_shared(block),
      m_items(m_layout.items)
{
    for (const InstructionId check : program.checks)
        m_faults.push_back({check, 0, 0});
    m_cursor.isOver = program.steps.empty();
    for (std::size_t d = 0; d < 3; ++d) {
        m_groups[d] = m_request.globalSize[d] / m_request.localSize[d];
        m_cursor.isOver = m_cursor.isOver || m_groups[d] == 0;
    }
    std::byte *bytes = block + m_layout.sharedBytes;
    for (WorkItem &item : m_items) {
        item.frame = bytes;
        item.scratch = bytes + m_layout.frameBytes;
        bytes = item.scratch + m_layout.scratchBytes;
        std::ranges::copy(program.frame, item.frame); // the program's may be empty
        bindMemory(item);
    }
    Unwatched nothing;
    if (!m_cursor.isOver)
        beginGroup(nothing);
}

void KernelMachine::bindMemory(WorkItem &item)
{
    for (const MemoryPlan &plan : m_program.memories) {
        std::byte *bytes = nullptr;
        if (plan.kind == MemoryKind::Argument)
            bytes = m_request.buffers[plan.position].data();
        else
            bytes = (plan.kind == MemoryKind::Scratch ? item.scratch : m_shared) + plan.position;
        item.memories.push_back({bytes, plan.elements});
    }
}

void KernelMachine::locate(WorkItem &item, std::int64_t flatLocal) const
{
    item.group = m_cursor.group;
    for (std::size_t d = 0; d < 3; ++d) {
        item.local[d] = flatLocal % m_request.localSize[d];
        flatLocal /= m_request.localSize[d];
        item.global[d] = item.group[d] * m_request.localSize[d] + item.local[d];
    }
}

void KernelMachine::locateItems()
{
    if (!m_program.hasBarriers) {
        locate(m_items.front(), m_cursor.item);
        return;
    }
    for (std::size_t i = 0; i < m_items.size(); ++i)
        locate(m_items[i], static_cast<std::int64_t>(i));
}

void KernelMachine::stepGroup()
{
    std::array<std::int64_t, 3> &group = m_cursor.group;
    for (std::size_t d = 0; d < 3; ++d) {
        if (++group[d] < m_groups[d])
            return;
        group[d] = 0;
    }
    m_cursor.isOver = true;
}

// Whether all items of the group wait at the same barrier, or are finished.
bool KernelMachine::waitTogether()
{
    for (const WorkItem &item : m_items) {
        if (item.next == m_items.front().next)
            continue;
        m_problem =
            Diagnostic::error(Code::Run, {}, "kernel {}: work items of one group wait at different barriers", m_program.name);
        m_cursor.item = 0;
        m_cursor.isOver = true;
        return false;
    }
    return true;
}

void KernelMachine::noteAccess(const Step &step, std::int64_t index, std::int64_t lanes)
{
    const MemoryPlan &plan = m_program.memories[step.memory];
    m_problem = Diagnostic::error(Code::Run, {}, "kernel {}: %{} ({}) accesses {} elements of {} at index {}, but it has {}",
                                  m_program.name, step.instruction.value, step.kind == StepKind::Store ? "store" : "load", lanes,
                                  plan.name.empty() ? "its memory" : plan.name, index, plan.elements);
}

std::int64_t KernelMachine::specialOf(const WorkItem &item, SpecialIndex index)
{
    switch (index) {
    case SpecialIndex::GlobalX:
        return item.global[0];
    case SpecialIndex::GlobalY:
        return item.global[1];
    case SpecialIndex::GlobalZ:
        return item.global[2];
    case SpecialIndex::LocalX:
        return item.local[0];
    case SpecialIndex::LocalY:
        return item.local[1];
    case SpecialIndex::LocalZ:
        return item.local[2];
    case SpecialIndex::GroupX:
        return item.group[0];
    case SpecialIndex::GroupY:
        return item.group[1];
    case SpecialIndex::GroupZ:
        return item.group[2];
    }
    SW_UNREACHABLE();
}

MachineState KernelMachine::save() const
{
    MachineState state{m_cursor, {}, m_faults};
    for (const WorkItem &item : m_items)
        state.next.push_back(item.next);
    return state;
}

void KernelMachine::restore(const MachineState &state)
{
    m_cursor = state.cursor;
    std::ranges::copy(state.faults, m_faults.begin()); // in place: nothing is reallocated
    m_problem.reset();
    locateItems();
    for (std::size_t i = 0; i < m_items.size(); ++i)
        m_items[i].next = state.next[i];
}

void KernelMachine::rewind(const MachineCursor &before, std::size_t next)
{
    const bool isOtherGroup = m_cursor.group != before.group;
    // When a group was left, all its items had come to the end.
    if (isOtherGroup && !m_cursor.isOver)
        for (WorkItem &item : m_items)
            item.next = m_program.steps.size();
    m_cursor = before;
    m_problem.reset();
    if (isOtherGroup || !m_program.hasBarriers)
        locateItems();
    currentItem().next = next;
}

} // namespace sw
