#include "tests/support/one_kernel.h"

#include "engine/loops/verifier.h"
#include "engine/lowered/interpreter.h"
#include "engine/lowered/verifier.h"
#include "engine/passes/loops/build_loops.h"
#include "engine/passes/loops/choose_transforms.h"
#include "engine/passes/loops/lower_loops.h"
#include "engine/passes/schedule/plan_steps.h"

#include <algorithm>
#include <map>

namespace sw::test {

namespace {

bool isComputed(const Node &node)
{
    const NodeFamily family = familyOf(node.kind);
    return family != NodeFamily::Leaf && family != NodeFamily::Movement && family != NodeFamily::Root;
}

ScheduledBuffer bufferFor(const Node &node, NodeId id, BufferRole role)
{
    return ScheduledBuffer{.role = role,
                           .dtype = node.dtype,
                           .shape = node.shape,
                           .node = id,
                           .name = format("b{}", id.value),
                           .origin = node.origin};
}

} // namespace

DeviceInfo vectorDevice(std::uint32_t threads, std::uint32_t vectorBytes)
{
    DeviceInfo device;
    device.id = "test";
    device.kind = DeviceKind::Cpu;
    device.threads = threads;
    device.vectorBytes = vectorBytes;
    device.vectorRegisters = 32;
    return device;
}

void setCaches(DeviceInfo &device, std::int64_t ownBytes)
{
    device.cacheBytesPerCore = ownBytes;
    device.sharedCacheBytes = 8 * ownBytes;
}

SchedulePtr oneKernelSchedule(const GraphPtr &graph)
{
    auto schedule = std::make_shared<Schedule>();
    schedule->graph = graph;
    schedule->nodeBuffers.resize(graph->size());
    schedule->nodeKernels.resize(graph->size());
    ScheduledKernel kernel{.name = "k0_test",
                           .symbol = "test",
                           .root = graph->outputs()[0],
                           .members = {},
                           .results = {},
                           .reads = {},
                           .writes = {},
                           .estimate = {},
                           .origin = graph->nodes().back().origin};
    for (std::size_t i = 0; i < graph->size(); ++i) {
        const Node &node = graph->nodes()[i];
        const NodeId id(i);
        const bool isResult = std::ranges::find(graph->outputs(), id) != graph->outputs().end();
        if (node.kind == NodeKind::Placeholder || node.kind == NodeKind::Vconst) {
            schedule->nodeBuffers[i] = BufferId(schedule->buffers.size());
            kernel.reads.push_back(schedule->nodeBuffers[i]);
            schedule->buffers.push_back(
                bufferFor(node, id, node.kind == NodeKind::Vconst ? BufferRole::Constant : BufferRole::Input));
        } else if (isComputed(node) || isResult) {
            kernel.members.push_back(id);
            schedule->nodeKernels[i] = KernelId(0U);
        }
        if (isResult) {
            schedule->nodeBuffers[i] = BufferId(schedule->buffers.size());
            kernel.results.push_back(id);
            kernel.writes.push_back(schedule->nodeBuffers[i]);
            schedule->buffers.push_back(bufferFor(node, id, BufferRole::Output));
        }
    }
    for (const NodeId output : graph->outputs())
        schedule->outputs.push_back(schedule->nodeBuffers[output.value]);
    schedule->kernels.push_back(std::move(kernel));
    schedule->devices.push_back({.id = "test"});
    SW_ASSERT(planSteps(*schedule, launchesOf(*schedule), {}).has_value(), "a program that fits into memory");
    return schedule;
}

Result<LoopProgramPtr> loopsFor(const SchedulePtr &schedule, const DeviceInfo &device, const CompileOptions &options)
{
    PassContext context(device, TargetLanguage::Lowered, options, {});
    SW_TRY(LoopProgram built, buildLoops(schedule, context));
    SW_CHECK(verifyLoops(built));
    SW_TRY(std::optional<LoopProgram> chosen, chooseTransforms(built, context));
    LoopProgramPtr program = std::make_shared<const LoopProgram>(chosen ? std::move(*chosen) : std::move(built));
    SW_CHECK(verifyLoops(*program));
    return program;
}

Result<LoweredProgramPtr> lowerFor(const SchedulePtr &schedule, const DeviceInfo &device, const CompileOptions &options)
{
    PassContext context(device, TargetLanguage::Lowered, options, {});
    SW_TRY(const LoopProgramPtr loops, loopsFor(schedule, device, options));
    SW_TRY(LoweredProgram lowered, lowerLoops(loops, context));
    for (const LoweredKernel &kernel : lowered.kernels)
        SW_CHECK(verifyLowered(kernel));
    return LoweredProgramPtr(std::make_shared<const LoweredProgram>(std::move(lowered)));
}

Result<std::vector<HostTensor>> runLowered(const LoweredProgram &program, const std::vector<HostTensor> &inputs)
{
    const Schedule &schedule = *program.schedule;
    std::vector<std::vector<std::byte>> memory;
    std::size_t input = 0;
    for (const ScheduledBuffer &buffer : schedule.buffers) {
        memory.emplace_back(static_cast<std::size_t>(buffer.bytes()));
        const Node &node = schedule.graph->node(buffer.node);
        if (node.kind == NodeKind::Placeholder)
            std::ranges::copy(inputs.at(input++).bytes(), memory.back().begin());
        else if (node.kind == NodeKind::Vconst)
            std::ranges::copy(attributesOf<TensorAttributes>(node).value->bytes(), memory.back().begin());
    }
    for (const ScheduleItem &item : schedule.items) {
        if (!item.kernel().isValid())
            continue;
        const LoweredKernel &kernel = program.kernels.at(item.kernel().value);
        SW_TRY(PreparedKernel prepared, PreparedKernel::prepare(kernel));
        InterpretRequest request;
        for (const BufferId id : kernel.arguments)
            request.buffers.emplace_back(memory[id.value]);
        request.globalSize = kernel.globalSize;
        request.localSize = kernel.localSize;
        SW_TRY([[maybe_unused]] const auto faults, prepared.run(request));
    }
    std::vector<HostTensor> outputs;
    for (std::size_t i = 0; i < schedule.outputs.size(); ++i) {
        const ScheduledBuffer &buffer = schedule.buffer(schedule.outputs[i]);
        HostTensor tensor(buffer.dtype, schedule.graph->node(schedule.graph->outputs()[i]).shape);
        std::ranges::copy(memory[schedule.outputs[i].value], tensor.mutableBytes().begin());
        outputs.push_back(std::move(tensor));
    }
    return outputs;
}

} // namespace sw::test
