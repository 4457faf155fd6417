#pragma once
// Collects the structure of the machine code of several kernels, as their lines are written.

#include "engine/api/machine_structure.h"
#include "engine/backend/backend.h"

namespace sw {

struct MachinePlace {
    std::uint32_t heading = 0; // line of the kernel's heading
    std::uint32_t first = 0;   // line of the first instruction; the others follow
};

void addMachineLines(MachineStructure &structure, const MachineCode &code, const RenderedSource &source,
                     const LoweredKernel &kernel, const MachinePlace &place);

// Gives arrows that overlap lanes of their own, short ones next to the text. Returns the number of lanes; beyond kMostLanes, the
// longest arrows share the last one.
std::uint32_t assignLanes(std::vector<MachineJump> &jumps);
inline constexpr std::uint32_t kMostLanes = 6;

} // namespace sw
