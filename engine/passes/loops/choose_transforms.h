#pragma once

#include "engine/passes/pass_context.h"
#include "engine/passes/step_rule.h"

namespace sw {

// Chooses the transformations of each nest for the device by a heuristic: vectors along the axis that memory runs along,
// register tiles where operands are reused, packed copies where a reused operand is strided, work items for the threads, stores
// past the caches where the output is larger than they are. Does nothing when the option optimize is off. Transformations that an
// override gives for a kernel take the place of the heuristic; what is wrong with them is in LoopProgram::overrides. So do
// those that were found by measuring (CompileOptions::tunings); what is wrong with these is in LoopProgram::notes. Every
// transformation is one rewrite; between two of them, a nest need not satisfy the verifier.
Result<std::optional<LoopProgram>> chooseTransforms(const LoopProgram &program, PassContext &context);

[[nodiscard]] std::span<const StepRule> transformRules(); // by the name of the transformation

} // namespace sw
