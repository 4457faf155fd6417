#pragma once
// Which registers hold something that is still needed, at each machine instruction.

#include "engine/backend/machine_code.h"

#include <array>
#include <vector>

namespace sw {

// By RegisterKind.
using RegisterCounts = std::array<std::uint16_t, kRegisterKinds>;

struct Liveness {
    // By instruction: the registers that hold a value needed after it, and those that it writes.
    std::vector<RegisterCounts> live;
    RegisterCounts peak{};
    [[nodiscard]] std::uint16_t peakOf(RegisterKind kind) const { return peak[static_cast<std::size_t>(kind)]; }
};

// Solves the usual equations backwards: live before = read + (live after - written). What a called function reads and keeps is
// not known, so a call reads and writes only what its instruction names.
[[nodiscard]] Liveness livenessOf(const MachineCode &code);

} // namespace sw
