#pragma once

#include "engine/passes/pass_context.h"

namespace sw {

// Writes Wmma out for devices without instructions for tiles: each row of the result is a vector to which products of one element
// of a and a row of b are added. The lanes taken apart and packed again on the way are for simplify-instructions to drop.
[[nodiscard]] Result<std::optional<LoweredProgram>> decomposeTiles(const LoweredProgram &program, PassContext &context);

} // namespace sw
