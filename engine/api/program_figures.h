#pragma once
// What a compiled program costs as a whole.

#include "engine/api/compilation.h"
#include "engine/api/report.h"

#include <span>

namespace sw {

// figures: by slot. Instructions are counted once there are any (lowered: else null).
[[nodiscard]] ProgramFigures programFigures(const Schedule &schedule, const LoweredProgram *lowered,
                                            std::span<const DeviceFigures> figures);

} // namespace sw
