#pragma once
// How the arithmetic of dimensions is computed when a program runs.

#include "engine/ops/op.h"
#include "engine/types/symbolic.h"

namespace sw {

// The operation of two i64 operands that computes the function.
[[nodiscard]] Op opOf(SymbolicFunction function);

} // namespace sw
