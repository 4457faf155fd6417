#pragma once
// Runs a compiled program on its device. Buffers are allocated once, constants and parameters uploaded once; intermediates whose
// lifetimes do not meet share memory. Items run in the schedule's order, and each launch is timed.

#include "engine/execute/opened_device.h"
#include "engine/execute/timing.h"
#include "engine/types/host_tensor.h"

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace sw {

// Everything that a device needs to run a program; shared and immutable.
struct CompiledProgram {
    LoweredProgramPtr lowered;
    std::vector<RenderedSource> sources; // by KernelId
    std::vector<ArtifactPtr> artifacts;  // by KernelId
};
using CompiledProgramPtr = std::shared_ptr<const CompiledProgram>;

struct RunCounts {
    std::uint32_t warmup = 0;
    std::uint32_t repeats = 1; // at least 1
};

struct NamedTensor {
    std::string name;
    HostTensor value;
};

struct ExecutionResult {
    std::vector<NamedTensor> outputs; // of the last run, in the program's order
    std::vector<Timing> kernels;      // by KernelId
    Timing total;                     // of all items, first launch to last completion
    Diagnostics faults;               // indices out of range: errors, though the run went to its end
};

class Executor {
public:
    // values: one tensor per placeholder of the schedule's graph, in Graph::placeholders order (see input_values.h).
    [[nodiscard]] static Result<std::unique_ptr<Executor>> prepare(OpenedDevice &device, CompiledProgramPtr program,
                                                                   std::span<const HostTensor> values);
    ~Executor();
    Executor(const Executor &) = delete;
    Executor &operator=(const Executor &) = delete;

    [[nodiscard]] Result<ExecutionResult> run(RunCounts counts, std::stop_token stop);

private:
    struct ItemResult {
        std::chrono::nanoseconds time{0};
        std::vector<IndexFault> faults;
    };

    Executor(OpenedDevice &device, CompiledProgramPtr program);
    [[nodiscard]] const Schedule &schedule() const { return *m_program->lowered->schedule; }
    Result<Done> allocateBuffers();
    Result<Done> allocateIntermediates();
    Result<DeviceBufferId> allocate(std::int64_t bytes);
    Result<Done> uploadLeaves(std::span<const HostTensor> values);
    Result<ItemResult> runItem(const ScheduleItem &item, std::stop_token stop);
    Result<std::vector<NamedTensor>> downloadOutputs();

    OpenedDevice &m_device;
    CompiledProgramPtr m_program;
    std::vector<DeviceBufferId> m_buffers; // by BufferId
    std::vector<DeviceBufferId> m_owned;   // all that were allocated
};

} // namespace sw
