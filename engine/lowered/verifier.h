#pragma once
// Checks everything that the lowered form promises: operands made before their use and visible there, types and lanes, balanced
// structure, accumulators assigned before they are read on every path, memory outside of loops, sizes. Code InvalidIr.

#include "engine/lowered/lowered.h"

namespace sw {

// places: where each instruction stands in an edited text, for the diagnostics; may be empty.
[[nodiscard]] Result<Done> verifyLowered(const LoweredKernel &kernel, std::span<const SourceRange> places = {});

// Checks every kernel, and its arguments against the schedule's buffers. sound: bodies that were checked before, which are not
// checked again.
[[nodiscard]] Result<Done> verifyLowered(const LoweredProgram &program, std::span<const KernelList::Body> sound = {});

} // namespace sw
