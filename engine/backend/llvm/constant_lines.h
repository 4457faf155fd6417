#pragma once
// Compilers give the making of constants no line: a register that is zeroed before a loop, a bound, a broadcast factor. What a
// constant is for follows from who reads it.

#include "engine/backend/backend.h"

#include <span>
#include <vector>

namespace sw {

// Gives each instruction without a line that only fills a register the line of the first instruction after it that names that
// register; padding between blocks belongs to the frame. lines: of the text that the code was made from.
void lendConstantLines(std::vector<MachineInstruction> &code, std::span<const SourceLine> lines);

} // namespace sw
