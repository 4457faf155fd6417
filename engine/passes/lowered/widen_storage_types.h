#pragma once

#include "engine/passes/pass_context.h"

namespace sw {

// Computes f16 and bf16 operations in f32: the operands are cast up and the result is cast back after each operation, so that
// every value is rounded to its own type as the program says. What only selects an operand or changes a sign needs no rounding,
// so further operations read its result in f32. Loads, stores and accumulators keep the type. A device that computes with f16
// itself (DeviceInfo::hasF16) keeps the operations that are rounded once: their results are the same.
Result<std::optional<LoweredProgram>> widenStorageTypes(const LoweredProgram &program, PassContext &context);

} // namespace sw
