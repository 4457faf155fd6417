#pragma once
// Which lines of two texts correspond: Myers' shortest edit script.

#include <cstdint>
#include <string>
#include <vector>

namespace stepwell::ui {

// One row of a side-by-side comparison; a side without a line there has kNoLine.
struct DiffRow {
    static constexpr std::uint32_t kNoLine = ~std::uint32_t{0};
    std::uint32_t before = kNoLine;
    std::uint32_t after = kNoLine;
    bool isSame = false;
};

// Where both sides changed, removed lines stand beside added ones.
[[nodiscard]] std::vector<DiffRow> diffLines(const std::vector<std::string> &before, const std::vector<std::string> &after);

} // namespace stepwell::ui
