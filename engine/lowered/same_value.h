#pragma once
// When two instructions make the same value: what merging them and what not making them twice agree on.

#include "engine/base/hash.h"
#include "engine/lowered/lowered.h"

namespace sw {

// They are equal in all that their value depends on besides their operands.
[[nodiscard]] bool isSameOperation(const Instruction &a, const Instruction &b);
// Adds what tells most operations apart, without the operands.
void addOperation(WordHasher &hasher, const Instruction &instruction);

// What the value of an instruction follows from, besides its own fields. Reading an accumulator gives what it holds there, so one
// among the operands counts as something that changes.
enum class ValueBasis : std::uint8_t {
    None,     // it makes no value, or each is another thing: memory, an accumulator, a counter
    Operands, // the values of its operands
    Memory,   // those, and what the memory holds
    Reported, // the values of its operands, and somebody is told: it must run, but once is enough
};
[[nodiscard]] ValueBasis valueBasisOf(InstructionKind kind);

} // namespace sw
