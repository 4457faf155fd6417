#pragma once
// What a compiled program costs as a whole.

#include "engine/api/compilation.h"
#include "engine/api/report.h"

#include <span>
#include <vector>

namespace sw {

// figures: by slot. Instructions are counted once there are any (lowered: else null).
[[nodiscard]] ProgramFigures programFigures(const Schedule &schedule, const LoweredProgram *lowered,
                                            std::span<const DeviceFigures> figures);

// What each kernel should take by these figures.
void addEstimates(std::vector<KernelEntry> &kernels, const Schedule &schedule, std::span<const DeviceFigures> figures);

} // namespace sw
