#include "engine/api/item_value.h"

#include "engine/api/describe.h"
#include "engine/loops/printer.h"
#include "engine/lowered/type_rules.h"

#include <utility>

namespace sw {

namespace {

ItemValue without(std::string reason)
{
    return {nullptr, {}, nullptr, {}, std::move(reason)};
}

ItemValue ofNode(const GraphPtr &graph, NodeId id)
{
    if (id.value >= graph->size())
        return without(format("there is no value %{}", id.value));
    if (id == graph->sink())
        return without("it stands for all outputs: choose one of them");
    return {graph, id};
}

ItemValue ofBuffer(const SchedulePtr &schedule, BufferId id)
{
    return {schedule->graph, schedule->buffer(id).node, schedule, id};
}

ItemValue ofKernel(const SchedulePtr &schedule, KernelId id)
{
    const ScheduledKernel &kernel = schedule->kernel(id);
    if (kernel.writes.size() == 1)
        return ofBuffer(schedule, kernel.writes.front());
    return without(format("{} stores {} values: choose one of its buffers", kernel.name, kernel.writes.size()));
}

// A step that moves data leaves it in the buffer that it writes.
ItemValue ofStep(const SchedulePtr &schedule, ItemIndex index)
{
    for (const ScheduleItem &step : schedule->items) {
        if (step.kernel().isValid() || index-- > 0)
            continue;
        const ItemUses uses = usesOf(*schedule, step);
        const std::vector<BufferId> &buffers = uses.writes.empty() ? uses.reads : uses.writes;
        if (buffers.size() == 1)
            return ofBuffer(schedule, buffers.front());
        return without(format("{} moves {} values: choose one of the buffers", titleOf(*schedule, step), buffers.size()));
    }
    return without("there is no such step");
}

ItemValue ofSchedule(const SchedulePtr &schedule, ItemIndex item)
{
    const ScheduleItems items(*schedule);
    if (item < items.buffer(BufferId(0U)))
        return ofKernel(schedule, KernelId(item));
    if (item < items.decision(0))
        return ofBuffer(schedule, BufferId(item - items.buffer(BufferId(0U))));
    if (item < items.decision(schedule->decisions.size()))
        return without("a decision has no value: choose one of the nodes that it is about");
    return ofStep(schedule, item - items.decision(schedule->decisions.size()));
}

ItemValue ofLoopLine(const SchedulePtr &schedule, const LoopNest &kernel, const LoopLine &line)
{
    const LoopNest &nest = nestOf(kernel, line);
    switch (line.kind) {
    case LoopLineKind::Kernel:
        return ofKernel(schedule, nest.kernel);
    case LoopLineKind::Axis:
    case LoopLineKind::Loop:
        return without("a loop has no value: choose what it computes, loads or stores");
    case LoopLineKind::Transform:
        return without("a transformation has no value: choose what the loops compute, load or store");
    case LoopLineKind::Reduction:
        return ofNode(schedule->graph, nest.reductions.at(line.index).node);
    case LoopLineKind::Store:
        if (const StoreStatement &store = nest.stores.at(line.index); !store.buffer.isValid())
            return ofNode(schedule->graph, store.node);
        return ofBuffer(schedule, nest.stores.at(line.index).buffer);
    case LoopLineKind::Value:
        break;
    }
    const Value &value = nest.values.at(line.index);
    if (value.buffer.isValid())
        return ofBuffer(schedule, value.buffer);
    if (value.node.isValid())
        return ofNode(schedule->graph, value.node);
    return without("it is computed from the loops' indices, anew at each of their steps: step through the kernel to see it");
}

ItemValue ofLoops(const LoopProgram &program, ItemIndex item)
{
    for (const auto &nest : program.nests) {
        const std::vector<LoopLine> lines = linesOf(*nest, *program.schedule);
        if (item < lines.size())
            return ofLoopLine(program.schedule, *nest, lines[item]);
        item -= static_cast<ItemIndex>(lines.size());
    }
    return without("there is no such line");
}

// The memory that an instruction is, loads from or stores to; invalid: it is about none.
InstructionId memoryAt(const LoweredKernel &kernel, InstructionId id)
{
    const Instruction &instruction = kernel.instruction(id);
    const bool isAccess = instruction.kind == InstructionKind::Load || instruction.kind == InstructionKind::MaskedLoad ||
                          instruction.kind == InstructionKind::Store || instruction.kind == InstructionKind::Ptrcat;
    if (isMemory(instruction.kind))
        return id;
    return isAccess ? memoryOf(instruction, kernel.instructions) : InstructionId();
}

ItemValue ofInstruction(const SchedulePtr &schedule, const LoweredKernel &kernel, InstructionId id)
{
    const InstructionId memory = memoryAt(kernel, id);
    const std::string_view name = nameOf(kernel.instruction(id).kind);
    if (!memory.isValid() && !infoOf(kernel.instruction(id).kind).makesValue)
        return without(format("{} makes no value", name));
    if (!memory.isValid())
        return without(
            format("%{} {} is a register, made anew at each step: step through {} to see it", id.value, name, kernel.name));
    if (kernel.instruction(memory).kind != InstructionKind::DefineGlobal)
        return without(
            format("%{} is memory that {} has only while it runs: step through it to see it", memory.value, kernel.name));
    const BufferId buffer = kernel.arguments.at(kernel.instruction(memory).argument);
    if (!buffer.isValid())
        return without(format("%{} holds the values of dimensions", memory.value));
    return ofBuffer(schedule, buffer);
}

ItemValue ofLowered(const LoweredProgram &program, ItemIndex item)
{
    for (const LoweredKernel &kernel : program.kernels) {
        if (item < kernel.instructions.size())
            return ofInstruction(program.schedule, kernel, InstructionId(item));
        item -= static_cast<ItemIndex>(kernel.instructions.size());
    }
    return without("there is no such instruction");
}

} // namespace

ItemValue valueOfItem(const Stage &stage, StageKind kind, ItemIndex item)
{
    const auto *graph = std::get_if<GraphPtr>(&stage);
    const auto *schedule = std::get_if<SchedulePtr>(&stage);
    const auto *loops = std::get_if<LoopProgramPtr>(&stage);
    const auto *lowered = std::get_if<LoweredProgramPtr>(&stage);
    switch (kind) {
    case StageKind::Graph:
        if (graph != nullptr || schedule != nullptr)
            return ofNode(graph != nullptr ? *graph : (*schedule)->graph, NodeId(item));
        break;
    case StageKind::Schedule:
        if (schedule != nullptr)
            return ofSchedule(*schedule, item);
        break;
    case StageKind::Loops:
        if (loops != nullptr)
            return ofLoops(**loops, item);
        break;
    case StageKind::Lowered:
        if (lowered != nullptr)
            return ofLowered(**lowered, item);
        break;
    case StageKind::Program:
    case StageKind::Code:
    case StageKind::Machine:
        break;
    }
    return without("it has no value at this moment");
}

std::string whyNotStored(const Schedule &schedule, NodeId id)
{
    const Node &node = schedule.graph->node(id);
    if (const KernelId kernel = schedule.kernelOf(id); kernel.isValid())
        return format("%{} is not stored: the kernel {} computes it in registers", id.value, schedule.kernel(kernel).name);
    if (familyOf(node.kind) == NodeFamily::Movement)
        return format("%{} is not stored: it is a view, and the kernels that read it compute its places", id.value);
    if (familyOf(node.kind) == NodeFamily::Leaf)
        return format("%{} is not stored: the kernels that read it hold it as a literal or compute it from their indices",
                      id.value);
    return format("%{} is not stored: no kernel needs it", id.value);
}

} // namespace sw
