#pragma once
// Checks everything that the lowered form promises: operands made before their use and visible there, types and lanes, balanced
// structure, accumulators assigned before they are read on every path, memory outside of loops, sizes. Code InvalidIr.

#include "engine/lowered/lowered.h"

#include <functional>
#include <span>

namespace sw {

// places: where each instruction stands in an edited text, for the diagnostics; may be empty.
[[nodiscard]] Result<Done> verifyLowered(const LoweredKernel &kernel, std::span<const SourceRange> places = {});

// Bodies that were checked before.
struct SoundBodies {
    std::span<const KernelList::Body> here = {};                           // in a program with the same schedule and kernels
    std::function<bool(const KernelList::Body &body)> elsewhere = nullptr; // whether in another one; may be empty
};

// Checks every kernel, and its arguments against the schedule's buffers. What was checked before is not checked again; the
// arguments of bodies that were checked elsewhere are.
[[nodiscard]] Result<Done> verifyLowered(const LoweredProgram &program, const SoundBodies &sound = {});

} // namespace sw
