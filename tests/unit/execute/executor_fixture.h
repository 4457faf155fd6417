#pragma once
// Programs on fake devices: schedules as the planner makes them, kernels that compute nothing.

#include "engine/execute/executor.h"
#include "engine/passes/schedule/plan_steps.h"
#include "engine/schedule/verify_items.h"
#include "tests/unit/execute/fake_backend.h"
#include "tests/unit/passes/schedule/schedule_fixture.h"

namespace sw {

class FakeDevices {
public:
    explicit FakeDevices(std::size_t count) : FakeDevices(std::vector<FakeCounts>(count)) {}
    explicit FakeDevices(std::vector<FakeCounts> given) : counts(std::move(given))
    {
        for (FakeCounts &of : counts) {
            of.hasFaults = false;
            m_registries.emplace_back();
            m_registries.back().add(std::make_unique<FakeBackend>(of));
            m_opened.push_back(OpenedDevice::open(m_registries.back(), "fake", {}).value());
        }
    }

    [[nodiscard]] std::vector<OpenedDevice *> all() const
    {
        std::vector<OpenedDevice *> devices;
        for (const auto &device : m_opened)
            devices.push_back(device.get());
        return devices;
    }
    [[nodiscard]] std::size_t liveBuffers() const
    {
        std::size_t live = 0;
        for (const FakeCounts &of : counts)
            live += of.liveBuffers;
        return live;
    }

    std::vector<FakeCounts> counts;

private:
    std::vector<BackendRegistry> m_registries;
    std::vector<std::unique_ptr<OpenedDevice>> m_opened;
};

// Kernel i is artifact i.
inline CompiledProgramPtr programOf(Schedule schedule)
{
    auto lowered = std::make_shared<LoweredProgram>();
    CompiledProgram program;
    for (std::size_t i = 0; i < schedule.kernels.size(); ++i) {
        const ScheduledKernel &scheduled = schedule.kernels[i];
        LoweredKernel kernel{.kernel = KernelId(i),
                             .name = scheduled.name,
                             .symbol = scheduled.symbol,
                             .instructions = {},
                             .arguments = scheduled.writes,
                             .globalSize = {1, 1, 1},
                             .localSize = {1, 1, 1},
                             .origin = scheduled.origin};
        kernel.arguments.insert(kernel.arguments.end(), scheduled.reads.begin(), scheduled.reads.end());
        lowered->kernels.push_back(std::move(kernel));
        auto artifact = std::make_shared<Artifact>();
        artifact->id = ArtifactId(i);
        program.artifacts.push_back(std::move(artifact));
    }
    lowered->schedule = std::make_shared<const Schedule>(std::move(schedule));
    program.lowered = std::move(lowered);
    return std::make_shared<const CompiledProgram>(std::move(program));
}

// A random-free value per placeholder: all its elements are 1, 2, 3 ...
inline std::vector<HostTensor> countedInputs(const Schedule &schedule)
{
    std::vector<HostTensor> values;
    for (const NodeId id : schedule.graph->placeholders()) {
        const Node &node = schedule.graph->node(id);
        HostTensor value(node.dtype, node.shape);
        for (std::int64_t i = 0; i < value.elements(); ++i)
            value.set(i, Scalar::of(node.dtype, static_cast<double>(i + 1)));
        values.push_back(std::move(value));
    }
    return values;
}

// x: f32[4, 6] on the first device becomes the output by steps that a test gives; t is a value between, `output` on
// `outputDevice`.
struct HandMade {
    explicit HandMade(Shape outputShape, std::size_t devices = 1)
    {
        TensorProgram p;
        const NodeId x = p.input({4, 6});
        const NodeId moved = p.relu(x);
        const NodeId out = p.relu(p.builder.shrink(p.here, moved, {{0, 0}, {outputShape[0], outputShape[1]}}).value());
        schedule.graph = std::make_shared<const Graph>(std::move(p).finish({out}));
        for (std::size_t i = 0; i < devices; ++i)
            schedule.devices.push_back({.id = format("fake{}", i)});
        const DeviceSlot last(devices - 1);
        schedule.buffers = {
            {.role = BufferRole::Input, .shape = {4, 6}, .node = x, .name = "x", .origin = originOfLine(1)},
            {.role = BufferRole::Intermediate, .shape = {4, 6}, .node = moved, .name = "t", .origin = originOfLine(2)},
            {.role = BufferRole::Output,
             .shape = outputShape,
             .node = out,
             .name = "output",
             .origin = originOfLine(3),
             .device = last}};
        schedule.outputs = {kOutput};
    }

    // The rules for items hold.
    void plan(std::vector<ScheduleItem> run)
    {
        ASSERT_TRUE(planSteps(schedule, std::move(run), {}));
        for (const auto &check : {verifyItemTables, verifyItems, verifyMemory}) {
            const Diagnostics errors = check(schedule);
            EXPECT_TRUE(errors.empty()) << toText(errors) << printSchedule(schedule).text;
        }
    }

    static constexpr BufferId kX{0U};
    static constexpr BufferId kT{1U};
    static constexpr BufferId kOutput{2U};
    Schedule schedule;
};

} // namespace sw
