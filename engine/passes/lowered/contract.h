#pragma once

#include "engine/passes/pass_context.h"

namespace sw {

// Fuses a floating-point product that only one sum reads into that sum: add(mul(a, b), c) becomes fma(a, b, c), with one rounding
// instead of two. Only with the option contract.
Result<std::optional<LoweredProgram>> contract(const LoweredProgram &program, PassContext &context);

} // namespace sw
