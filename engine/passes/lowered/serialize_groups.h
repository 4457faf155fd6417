#pragma once

#include "engine/passes/pass_context.h"

namespace sw {

// For languages whose kernels run work items one by one (C, LLVM IR): a kernel whose items share memory in groups becomes
// one whose items are the groups. Between two barriers the items of a group run one after another in a loop; a value that an item
// keeps across a barrier lies in an array with an element per item. Loops that contain a barrier stay outside, since all items of
// a group run through them together. (Stratton, Stone, Hwu: MCUDA, 2008.)
[[nodiscard]] Result<std::optional<LoweredProgram>> serializeGroups(const LoweredProgram &program, PassContext &context);

} // namespace sw
