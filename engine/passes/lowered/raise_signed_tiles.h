#pragma once

#include "engine/passes/pass_context.h"

namespace sw {

// Products of signed bytes for processors that multiply unsigned with signed bytes only (VNNI): a is raised by 128, and 128 times
// the sums of b are taken off again,
//
//   sum a b = sum (a + 128) b - 128 sum b.
//
// What is taken off is the same for all rows of a tile, so one more sum in the loop serves the rows of each column vector, and
// the subtraction comes after the loop. Sums that something else in the loop reads are left to the renderer, which subtracts in
// each step.
[[nodiscard]] Result<std::optional<LoweredProgram>> raiseSignedTiles(const LoweredProgram &program, PassContext &context);

} // namespace sw
