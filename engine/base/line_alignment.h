#pragma once
// Which lines of an edited text are lines of the text before the edit, so that what was known of them stays known.

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace sw {

// The lines of a text, without their ends.
[[nodiscard]] std::vector<std::string_view> linesOf(std::string_view text);

struct AlignedLine {
    std::size_t before = 0; // the line that it was
    bool isSame = true;     // false: it was changed in its place
};

// By line of `after`; nothing: it is new. Equal lines are paired in order, by a longest common subsequence, except in a part that
// is too large for it. Where as many lines were taken away between two pairs as were added, they changed in their places.
[[nodiscard]] std::vector<std::optional<AlignedLine>> alignLines(const std::vector<std::string_view> &before,
                                                                 const std::vector<std::string_view> &after);

} // namespace sw
