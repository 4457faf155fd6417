#pragma once

#include "engine/passes/pass_context.h"

namespace sw {

// Writes the Wmma out that the device has no tensor instruction for (engine/ops/tensor_instructions.def): each row of the result
// is a vector to which products of one element of a and a row of b are added. simplify-instructions drops the lanes that are
// taken apart and packed again on the way.
[[nodiscard]] Result<std::optional<LoweredProgram>> decomposeTiles(const LoweredProgram &program, PassContext &context);

} // namespace sw
