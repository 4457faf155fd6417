#pragma once
// Code generators lose the lines of many instructions where one operation of the text becomes several: the parts of a vector that
// a processor without such vectors computes one by one. Who uses their results tells what they are for.

#include "engine/backend/machine_code.h"

#include <span>

namespace sw {

// Gives each instruction that has no line, and is other work of the compiler, the line of the instruction that next reads what it
// writes; if nothing reads it, the line of the one that wrote what it reads. Looks along the order of the code and past jumps: a
// choice between values that became one stands around them. A jump gets the line of what stands before it. Marks the lines as
// inferred. lines: those of the text that the code was made from.
void lendPartnerLines(MachineCode &code, std::span<const SourceLine> lines);

} // namespace sw
