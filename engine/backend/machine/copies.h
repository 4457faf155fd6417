#pragma once
// Written-out copies in machine code: the same few instructions again and again, on other registers and at other displacements.

#include "engine/backend/machine_code.h"

#include <vector>

namespace sw {

struct MachineCopies {
    std::uint32_t first = 0;     // index of the first instruction of the first copy
    std::uint32_t length = 0;    // instructions in one copy
    std::uint32_t count = 0;     // copies, which follow each other
    std::uint32_t registers = 0; // that one copy uses and the others do not all use
};

// Finds the runs that hide most lines, left to right; they do not overlap. A copy has no jump in it, and no jump leads into one.
// A run has at least three copies, or two of at least eight instructions.
[[nodiscard]] std::vector<MachineCopies> machineCopies(const MachineCode &code);

} // namespace sw
