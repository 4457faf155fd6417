#pragma once
// What a program should take by the figures of its devices, and where those come from.

#include "app/commands/common.h"
#include "engine/api/device_figures.h"
#include "engine/schedule/step_estimates.h"

namespace sw::command {

// By measured figures, of the devices that have them.
[[nodiscard]] StepEstimates estimatesOf(const Compilation &compilation, const Environment &environment);

// The members of an object: "source", "measured_on", "memory_gb_per_s", "gflop_per_s", "transfer_gb_per_s", "launch_ns"
void writeFigures(JsonWriter &json, const DeviceFigures &figures);
// "critical_path": {"ns", "steps": [name, ...]}, "figures": [{"device", ...}]
void writeEstimates(JsonWriter &json, const Schedule &schedule, const StepEstimates &estimates);
[[nodiscard]] std::string estimatesText(const Schedule &schedule, const StepEstimates &estimates);

} // namespace sw::command
