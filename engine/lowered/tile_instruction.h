#pragma once

#include "engine/lowered/lowered.h"
#include "engine/ops/tensor_instructions.h"

#include <optional>

namespace sw {

// What the kernel's Wmma multiplies.
[[nodiscard]] TensorShape tensorShapeOf(const LoweredKernel &kernel, const Instruction &wmma);

// The row of the set that computes the kernel's Wmma; nothing: there is none, and the tile is written out (decompose-tiles).
[[nodiscard]] std::optional<TensorInstruction> tensorInstructionFor(std::uint32_t set, const LoweredKernel &kernel,
                                                                    const Instruction &wmma);

} // namespace sw
