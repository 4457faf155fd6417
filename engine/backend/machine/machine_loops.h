#pragma once
// The loops of machine code: natural loops of its control flow (a jump back to an instruction that every way to the jump passes).

#include "engine/backend/machine_code.h"

#include <span>
#include <vector>

namespace sw {

struct MachineLoop {
    std::uint32_t header = 0;              // index of the instruction that each round begins with
    std::uint32_t first = 0;               // the lines from first to last hold the loop; what stands between them and does
    std::uint32_t last = 0;                // not belong to it is not in `body`
    std::vector<std::uint32_t> body = {};  // indices of the instructions that run in a round, inner loops included
    std::vector<std::uint32_t> jumps = {}; // the jumps back to the header
    std::uint32_t depth = 0;               // 0: in no other loop
    std::int32_t parent = -1;              // the loop around it; -1: none
    bool isInnermost = true;
};

// Outer loops before the inner ones, then by their place in the code.
[[nodiscard]] std::vector<MachineLoop> machineLoops(std::span<const MachineInstruction> code);

// By instruction: the instructions that may run after it, as far as they are in this code.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> successorsOf(std::span<const MachineInstruction> code);

// The index of the instruction at an address; code.size() when none begins there.
[[nodiscard]] std::uint32_t indexAt(std::span<const MachineInstruction> code, std::uint64_t address);

} // namespace sw
