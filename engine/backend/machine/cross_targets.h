#pragma once
// Processors to look at code for. Nothing runs there.

#include "engine/base/result.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sw {

struct CrossTarget {
    std::string_view name;         // "aarch64+sve"
    std::string_view triple;       // "aarch64-unknown-linux-gnu"
    std::string_view cpu;          // as LLVM calls it
    std::string_view features;     // "+sve"
    std::uint32_t vectorScale = 0; // length of scalable vectors in units of 128 bits; 0: none, or the processor says it
    std::string_view doc;
};

[[nodiscard]] std::span<const CrossTarget> crossTargets();
// Errors: no such target; lists the known ones.
[[nodiscard]] Result<CrossTarget> crossTargetNamed(std::string_view name);

} // namespace sw
