#pragma once
// Which lines of two texts belong together: those that say the same, then those that moved, then those that are alike.

#include "engine/api/compare/line_lexer.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace sw {

struct CompareTexts {
    std::span<const std::string_view> before;
    std::span<const std::string_view> after;
    StageKind stage = StageKind::Program;
};

// By line; kNoIndex: the line has no partner. Both sides ascend but for the moved ones.
struct LinePairs {
    std::vector<std::uint32_t> before; // to a line of `after`
    std::vector<std::uint32_t> after;
    std::vector<bool> isMoved; // by line of `before`

    [[nodiscard]] bool isStaying(std::uint32_t line) const { return before[line] != kNoIndex && !isMoved[line]; }
};

[[nodiscard]] LinePairs pairLines(const CompareTexts &texts);

} // namespace sw
