#include "engine/lowered/step_state.h"

#include "engine/lowered/type_rules.h"
#include "engine/lowered/value_names.h"

namespace sw {

namespace {

bool isConstant(InstructionKind kind)
{
    return kind == InstructionKind::Const || kind == InstructionKind::Vconst;
}

// Whether the last step changed any of these bytes.
bool isChanged(const SteppedRun &run, const std::byte *at, std::size_t bytes)
{
    return std::ranges::any_of(run.log().lastChanges(), [&](const Change &change) {
        return change.kind == ChangeKind::Register && change.at < at + bytes && at < change.at + change.bytes;
    });
}

} // namespace

StepReader::StepReader(const LoweredKernel &kernel)
    : m_kernel(kernel), m_names(valueNames(kernel)), m_firstAssign(kernel.instructions.size(), kernel.instructions.size())
{
    for (std::size_t i = kernel.instructions.size(); i-- > 0;)
        if (const Instruction &instruction = kernel.instructions[i]; instruction.kind == InstructionKind::Assign)
            m_firstAssign[instruction.operands[0].value] = i;
}

// The values that the next instruction can see; accumulators from their first assignment on.
std::vector<InstructionId> StepReader::visibleAt(std::size_t next) const
{
    std::vector<InstructionId> visible;
    std::vector<std::size_t> scopes;
    for (std::size_t i = 0; i < next; ++i) {
        const Instruction &instruction = m_kernel.instructions[i];
        if (closesScope(instruction.kind)) {
            visible.resize(scopes.back());
            scopes.pop_back();
        }
        if (opensScope(instruction.kind))
            scopes.push_back(visible.size());
        const bool isHidden = isMemory(instruction.kind) || isConstant(instruction.kind) ||
                              (instruction.kind == InstructionKind::Acc && m_firstAssign[i] >= next);
        if (infoOf(instruction.kind).makesValue && !isHidden)
            visible.emplace_back(i);
    }
    return visible;
}

StepRegister StepReader::registerOf(const SteppedRun &run, InstructionId id) const
{
    const Instruction &instruction = m_kernel.instruction(id);
    StepRegister made;
    made.instruction = id;
    made.name = m_names[id.value];
    made.dtype = instruction.kind == InstructionKind::Ptrcat ? DType::I64 : instruction.dtype;
    const std::byte *const at = run.machine().item().frame + run.program().places[id.value];
    const std::size_t size = sw::bytesOf(made.dtype);
    for (std::uint32_t lane = 0; lane < instruction.lanes; ++lane)
        made.lanes.push_back(Scalar::load(made.dtype, at + lane * size));
    made.isChanged = isChanged(run, at, instruction.lanes * size);
    return made;
}

void StepReader::addValues(StepState &state, const SteppedRun &run) const
{
    const std::size_t next = state.next.isValid() ? state.next.value : m_kernel.instructions.size();
    for (const InstructionId id : visibleAt(next)) {
        if (!isLoop(m_kernel.instruction(id).kind)) {
            state.registers.push_back(registerOf(run, id));
            continue;
        }
        std::byte *const frame = run.machine().item().frame;
        const std::uint32_t place = run.program().places[id.value];
        state.counters.push_back({id, m_names[id.value], at<std::int64_t>(frame, place), at<std::int64_t>(frame, place + 8),
                                  isChanged(run, frame + place, sizeof(std::int64_t))});
    }
}

// Adds what the last step did, and its value if the item that made it still has its turn.
void StepReader::addLast(StepState &state, const SteppedRun &run) const
{
    if (run.log().steps() == 0)
        return;
    const LoggedStep &logged = run.log().last();
    state.last = run.program().steps[logged.next].instruction;
    for (const Change &change : run.log().lastChanges()) {
        if (change.count == 0)
            continue;
        const AccessKind kind = change.kind == ChangeKind::Read ? AccessKind::Load : AccessKind::Store;
        state.accesses.push_back({kind, run.program().memories[change.memory].instruction, change.first, change.count});
    }
    const MachineCursor &now = run.machine().cursor();
    const Instruction &last = m_kernel.instruction(state.last);
    const bool hasValue = infoOf(last.kind).makesValue && !isLoop(last.kind);
    const bool isSameItem = now.item == logged.before.item && now.group == logged.before.group;
    const bool isListed =
        std::ranges::any_of(state.registers, [&](const StepRegister &listed) { return listed.instruction == state.last; });
    if (hasValue && isSameItem && !isListed)
        state.registers.push_back(registerOf(run, state.last));
}

StepState StepReader::state(const SteppedRun &run) const
{
    StepState state;
    state.position = run.position();
    state.steps = run.end();
    const KernelMachine &machine = run.machine();
    const WorkItem &item = machine.item();
    if (!machine.cursor().isOver)
        state.next = run.program().steps[item.next].instruction;
    state.item = {item.global, item.local, item.group};
    addValues(state, run);
    addLast(state, run);
    for (const IndexFault &fault : machine.faults())
        if (fault.count != 0)
            state.faults.push_back(fault);
    if (run.isAtEnd())
        state.problem = run.problem();
    return state;
}

std::span<const std::byte> StepReader::bytesOf(const SteppedRun &run, InstructionId memory) const
{
    const InterpreterProgram &program = run.program();
    for (std::size_t i = 0; i < program.memories.size(); ++i) {
        if (program.memories[i].instruction != memory)
            continue;
        const Memory &bytes = run.machine().item().memories[i];
        return {bytes.bytes, static_cast<std::size_t>(bytes.elements) * sw::bytesOf(program.memories[i].dtype)};
    }
    return {};
}

} // namespace sw
