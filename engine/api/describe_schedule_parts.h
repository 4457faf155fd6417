#pragma once
// The parts of the schedule's document.

#include "engine/api/stage_document.h"
#include "engine/loops/loop_nest.h"
#include "engine/schedule/step_estimates.h"

#include <span>
#include <string>
#include <vector>

namespace sw {

// Without its fields, and these. launch: the step that runs it, or null. loops: its nest, or null while there is none.
[[nodiscard]] DocumentItem describeKernel(const Schedule &schedule, KernelId id);
[[nodiscard]] std::vector<DocumentField> kernelFields(const Schedule &schedule, KernelId id, const ScheduleItem *launch,
                                                      const LoopNest *loops, const StepEstimates &estimates);
// Likewise. neighbours: the buffers of its alias group, including the buffer itself.
[[nodiscard]] DocumentItem describeBuffer(const Schedule &schedule, BufferId id);
[[nodiscard]] std::vector<DocumentField> bufferFields(const Schedule &schedule, BufferId id,
                                                      std::span<const BufferId> neighbours);
// "c is true and d is false": the conditions of an item, or nothing.
[[nodiscard]] std::string whenText(const Schedule &schedule, const ScheduleItem &item);
// Describes a step that is not a kernel.
[[nodiscard]] DocumentItem describeStep(const Schedule &schedule, std::uint32_t index, const StepEstimates &estimates);
// Charts the arena of each device over the steps of the program. steps: the document's item for each step.
[[nodiscard]] std::vector<DocumentChart> memoryCharts(const Schedule &schedule, const std::vector<ItemIndex> &steps);

} // namespace sw
