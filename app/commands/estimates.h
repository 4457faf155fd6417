#pragma once
// How long a program should take by its devices' figures, and where those figures come from.

#include "app/commands/common.h"
#include "engine/api/device_figures.h"
#include "engine/schedule/step_estimates.h"

namespace sw::command {

// Uses measured figures for devices that have them.
[[nodiscard]] StepEstimates estimatesOf(const Compilation &compilation, const Environment &environment);

// Writes these members of an object: "source", "measured_on", "memory_gb_per_s", "gflop_per_s", "transfer_gb_per_s", "launch_ns"
void writeFigures(JsonWriter &json, const DeviceFigures &figures);
// "critical_path": {"ns", "steps": [name, ...]}, "figures": [{"device", ...}]
void writeEstimates(JsonWriter &json, const Schedule &schedule, const StepEstimates &estimates);
[[nodiscard]] std::string estimatesText(const Schedule &schedule, const StepEstimates &estimates);

} // namespace sw::command
