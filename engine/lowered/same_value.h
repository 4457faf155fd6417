#pragma once
// When two instructions make the same value: what merging them and what not making them twice agree on.

#include "engine/base/hash.h"
#include "engine/lowered/lowered.h"

namespace sw {

// They are equal in all that their value depends on besides their operands.
[[nodiscard]] bool isSameOperation(const Instruction &a, const Instruction &b);
// Adds what tells most operations apart, without the operands.
void addOperation(WordHasher &hasher, const Instruction &instruction);
// Its value depends on its operands' values alone, not on what memory or accumulators hold.
[[nodiscard]] bool isPure(InstructionKind kind);

} // namespace sw
