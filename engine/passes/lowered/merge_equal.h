#pragma once

#include "engine/passes/pass_context.h"

namespace sw {

// Makes each value once: where an equal value was made before and is still visible, that one is used. A load is only as equal as
// no store to its memory lies between, an accumulator's value only until it is assigned.
Result<std::optional<LoweredProgram>> mergeEqualInstructions(const LoweredProgram &program, PassContext &context);

} // namespace sw
