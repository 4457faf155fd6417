#pragma once
// For tests of single kernels: schedules a whole graph as one kernel whose root is the graph's first output, lowers it for a
// device, and runs it with the lowered interpreter.

#include "engine/graph/graph.h"
#include "engine/passes/pass_context.h"

#include <cstdint>
#include <vector>

namespace sw::test {

[[nodiscard]] DeviceInfo vectorDevice(std::uint32_t threads = 4, std::uint32_t vectorBytes = 64);

// A core's own cache of so many bytes, and eight times as much that the cores share.
void setCaches(DeviceInfo &device, std::int64_t ownBytes);

// Every compute node that the outputs need becomes a member; the outputs are the results.
[[nodiscard]] SchedulePtr oneKernelSchedule(const GraphPtr &graph);

[[nodiscard]] Result<LoopProgramPtr> loopsFor(const SchedulePtr &schedule, const DeviceInfo &device,
                                              const CompileOptions &options);
[[nodiscard]] Result<LoweredProgramPtr> lowerFor(const SchedulePtr &schedule, const DeviceInfo &device,
                                                 const CompileOptions &options);

// Returns the outputs in the graph's order; takes the placeholder values in placeholder order.
[[nodiscard]] Result<std::vector<HostTensor>> runLowered(const LoweredProgram &program, const std::vector<HostTensor> &inputs);

} // namespace sw::test
