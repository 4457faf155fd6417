#pragma once
// Compilers give no line to the instructions that make constants: a register zeroed before a loop, a bound, a broadcast factor.
// The instruction that reads a constant shows what it is for.

#include "engine/backend/backend.h"

#include <span>
#include <vector>

namespace sw {

// Infers the line of each instruction that fills a register and has no line from the compiler: the line of the first instruction
// that reads the register on the straight path, before any jump and before the register is overwritten. Marks inferred lines.
// Padding between blocks becomes frame. lines: those of the text that the code was made from.
void lendConstantLines(std::vector<MachineInstruction> &code, std::span<const SourceLine> lines);

} // namespace sw
