#pragma once

#include "engine/passes/pass_context.h"

namespace sw {

// A quotient of 64 bits by a constant takes a GPU about thirty instructions, one of 32 bits five. In kernels for a GPU, quotients
// and remainders of indices are computed in i32 where the bounds tell that both operands fit. Sums and products stay in i64: the
// driver's compiler joins those with the addresses that they are for.
Result<std::optional<LoweredProgram>> narrowDivisions(const LoweredProgram &program, PassContext &context);

} // namespace sw
