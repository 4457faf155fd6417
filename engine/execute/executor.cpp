#include "engine/execute/executor.h"

#include "engine/execute/memory_limit.h"

#include <algorithm>
#include <utility>

namespace sw {

namespace {

// An empty tensor still needs a buffer to name.
constexpr std::int64_t kMinBufferBytes = 64;

bool isLeafRole(BufferRole role)
{
    return role == BufferRole::Input || role == BufferRole::Param || role == BufferRole::Constant;
}

Diagnostic faultDiagnostic(const LoweredProgram &program, const LoweredKernel &kernel, const IndexFault &fault)
{
    const Instruction &check = kernel.instruction(fault.instruction);
    const std::string axis = check.axis < 0 ? std::string() : format("axis {} of ", check.axis);
    const std::string others =
        fault.count > 1 ? format(" ({} such indices in {})", fault.count, kernel.name) : format(" (in {})", kernel.name);
    return Diagnostic::error(Code::IndexOutOfRange, program.schedule->graph->sources().programRange(check.origin),
                             "index {} is out of range for {}size {}{}", fault.index, axis, check.number, others)
        .withHint("nothing was read for it; the result there is 0");
}

} // namespace

Executor::Executor(OpenedDevice &device, CompiledProgramPtr program) : m_device(device), m_program(std::move(program)) {}

Executor::~Executor()
{
    for (const DeviceBufferId buffer : m_owned)
        m_device.runtime().free(buffer);
}

Result<std::unique_ptr<Executor>> Executor::prepare(OpenedDevice &device, CompiledProgramPtr program,
                                                    std::span<const HostTensor> values)
{
    if (device.info().kind != DeviceKind::Gpu) // which has memory of its own
        SW_CHECK(checkBuffersFit(*program->lowered->schedule, memoryBytes()));
    std::unique_ptr<Executor> executor(new Executor(device, std::move(program)));
    SW_CHECK(executor->allocateBuffers());
    SW_CHECK(executor->uploadLeaves(values));
    return executor;
}

Result<DeviceBufferId> Executor::allocate(std::int64_t bytes)
{
    SW_TRY(const DeviceBufferId buffer, m_device.runtime().allocate(std::max(bytes, kMinBufferBytes)));
    m_owned.push_back(buffer);
    return buffer;
}

Result<Done> Executor::allocateBuffers()
{
    const std::vector<ScheduledBuffer> &buffers = schedule().buffers;
    m_buffers.resize(buffers.size());
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        if (buffers[i].role == BufferRole::Intermediate)
            continue;
        SW_TRY(m_buffers[i], allocate(buffers[i].bytes()));
    }
    return allocateIntermediates();
}

// Each intermediate takes the smallest free block that is large enough, in the order of their first writes.
Result<Done> Executor::allocateIntermediates()
{
    struct Block {
        DeviceBufferId buffer;
        std::int64_t bytes = 0;
        std::uint32_t lastItem = 0;
    };
    const std::vector<ScheduledBuffer> &buffers = schedule().buffers;
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < buffers.size(); ++i)
        if (buffers[i].role == BufferRole::Intermediate)
            order.push_back(i);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return buffers[a].firstItem < buffers[b].firstItem; });

    std::vector<Block> blocks;
    for (const std::size_t i : order) {
        const ScheduledBuffer &wanted = buffers[i];
        Block *best = nullptr;
        for (Block &block : blocks)
            if (block.lastItem < wanted.firstItem && block.bytes >= wanted.bytes() &&
                (best == nullptr || block.bytes < best->bytes))
                best = &block;
        if (best == nullptr) {
            SW_TRY(const DeviceBufferId made, allocate(wanted.bytes()));
            best = &blocks.emplace_back(Block{made, wanted.bytes(), 0});
        }
        best->lastItem = wanted.lastItem;
        m_buffers[i] = best->buffer;
    }
    return Done{};
}

Result<Done> Executor::uploadLeaves(std::span<const HostTensor> values)
{
    const Graph &graph = *schedule().graph;
    const std::vector<NodeId> placeholders = graph.placeholders();
    SW_ASSERT(values.size() == placeholders.size(), "a value for every placeholder");
    for (std::size_t i = 0; i < schedule().buffers.size(); ++i) {
        const ScheduledBuffer &buffer = schedule().buffers[i];
        if (!isLeafRole(buffer.role))
            continue;
        const Node &node = graph.node(buffer.node);
        if (const auto *constant = std::get_if<TensorAttributes>(&node.attributes)) {
            SW_CHECK(m_device.runtime().upload(m_buffers[i], 0, constant->value->bytes()));
            continue;
        }
        const auto found = std::find(placeholders.begin(), placeholders.end(), buffer.node);
        if (found == placeholders.end()) // a Buffer node: zeros, as allocated
            continue;
        const HostTensor &value = values[static_cast<std::size_t>(found - placeholders.begin())];
        SW_ASSERT(value.dtype() == buffer.dtype && value.shape() == buffer.shape, "values of the placeholders' types and shapes");
        SW_CHECK(m_device.runtime().upload(m_buffers[i], 0, value.bytes()));
    }
    return Done{};
}

Result<Executor::ItemResult> Executor::runItem(const ScheduleItem &item, std::stop_token stop)
{
    SW_ASSERT(item.kind == ItemKind::Kernel, "a schedule of kernels only");
    const LoweredKernel &kernel = m_program->lowered->kernels.at(item.kernel.value);
    std::vector<DeviceBufferId> arguments;
    arguments.reserve(kernel.arguments.size());
    for (const BufferId argument : kernel.arguments)
        arguments.push_back(m_buffers.at(argument.value));
    const LaunchRequest request{m_program->artifacts.at(item.kernel.value)->id, arguments, kernel.globalSize, kernel.localSize};
    SW_TRY(LaunchResult result, m_device.runtime().launch(request, std::move(stop)));
    return ItemResult{result.time, std::move(result.faults)};
}

Result<std::vector<NamedTensor>> Executor::downloadOutputs()
{
    std::vector<NamedTensor> outputs;
    const std::vector<std::string> &names = schedule().graph->outputNames();
    for (std::size_t i = 0; i < names.size(); ++i) {
        const BufferId id = schedule().outputs.at(i);
        const ScheduledBuffer &buffer = schedule().buffer(id);
        const Node &node = schedule().graph->node(schedule().graph->outputs()[i]);
        HostTensor value(buffer.dtype, node.shape);
        if (!node.shape.isEmpty())
            SW_CHECK(m_device.runtime().download(m_buffers.at(id.value), 0, value.mutableBytes()));
        outputs.push_back({names[i], std::move(value)});
    }
    return outputs;
}

Result<ExecutionResult> Executor::run(RunCounts counts, std::stop_token stop)
{
    SW_ASSERT(counts.repeats > 0, "at least one measured run");
    const LoweredProgram &program = *m_program->lowered;
    std::vector<std::vector<std::chrono::nanoseconds>> samples(program.kernels.size());
    std::vector<std::chrono::nanoseconds> totals;
    ExecutionResult result;
    for (std::uint32_t round = 0; round < counts.warmup + counts.repeats; ++round) {
        const bool isMeasured = round >= counts.warmup;
        const bool isLast = round + 1 == counts.warmup + counts.repeats;
        const auto begin = std::chrono::steady_clock::now();
        for (const ScheduleItem &item : schedule().items) {
            if (stop.stop_requested())
                return Diagnostic::error(Code::Cancelled, {}, "the run was cancelled");
            SW_TRY(const ItemResult done, runItem(item, stop));
            if (isMeasured)
                samples[item.kernel.value].push_back(done.time);
            for (const IndexFault &fault : done.faults)
                if (isLast)
                    result.faults.push_back(faultDiagnostic(program, program.kernels.at(item.kernel.value), fault));
        }
        if (isMeasured)
            totals.push_back(std::chrono::steady_clock::now() - begin);
    }
    for (const auto &times : samples)
        result.kernels.push_back(times.empty() ? Timing{} : timingOf(times));
    result.total = timingOf(totals);
    SW_TRY(result.outputs, downloadOutputs());
    return result;
}

} // namespace sw
