#pragma once
// Compilers give the making of constants no line: a register that is zeroed before a loop, a bound, a broadcast factor. What a
// constant is for follows from who reads it.

#include "engine/backend/backend.h"

#include <span>
#include <vector>

namespace sw {

// Infers the line of each instruction that the compiler gave none and that fills a register: that of the first one that reads the
// register where the code runs on, not past a jump, nor past where the register is filled anew. Padding
// between blocks belongs to the frame. Marks what it infers. lines: of the text that the code was made from.
void lendConstantLines(std::vector<MachineInstruction> &code, std::span<const SourceLine> lines);

} // namespace sw
