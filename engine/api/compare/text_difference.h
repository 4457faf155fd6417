#pragma once
// The difference of two texts of one stage, as rows of two columns. Lines are aligned by what they say; names and numbers that
// only count (line_lexer.h) are no difference, as long as the same name stands for the same thing throughout.
// resources/docs/comparing.md says what each kind means.

#include "engine/api/compare/line_lexer.h"
#include "engine/api/stage_document.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sw {

// Shifted: counted names differ. Renamed: names of the user's values differ as well. Moved: the line stands elsewhere; it has two
// rows. Changed: something else differs.
enum class RowKind : std::uint8_t { Same, Shifted, Renamed, Moved, Changed, Removed, Added };
inline constexpr std::size_t kRowKinds = 7;
[[nodiscard]] std::string_view nameOf(RowKind kind); // "same"
// Same, Shifted and Renamed mean the same.
[[nodiscard]] inline bool isDifference(RowKind kind)
{
    return kind > RowKind::Renamed;
}

// Each line stands in one row, and both columns are in order.
struct RowPair {
    RowKind kind = RowKind::Same;
    std::uint32_t before = kNoIndex; // a line of the first text; kNoIndex: this row has none
    std::uint32_t after = kNoIndex;
    std::uint32_t other = kNoIndex; // Moved: the line of the other text
    // What differs within the lines: so many spans of the first, then so many of the second, beginning there.
    std::uint32_t firstSpan = 0;
    std::uint16_t beforeSpans = 0;
    std::uint16_t afterSpans = 0;
};

struct TextDifference {
    std::vector<RowPair> rows;
    std::vector<TextSpan> spans;
    std::array<std::uint32_t, kRowKinds> counts{};            // rows by kind; each moved line counts once
    std::vector<std::pair<std::string, std::string>> renamed; // of the user's values: from, to

    [[nodiscard]] std::uint32_t count(RowKind kind) const { return counts[static_cast<std::size_t>(kind)]; }
    [[nodiscard]] bool isDifferent() const;
    [[nodiscard]] std::span<const TextSpan> before(const RowPair &row) const;
    [[nodiscard]] std::span<const TextSpan> after(const RowPair &row) const;
};

[[nodiscard]] TextDifference differenceOf(std::span<const std::string_view> before, std::span<const std::string_view> after,
                                          StageKind stage);
// Of their lines.
[[nodiscard]] TextDifference differenceOf(const StageDocument &before, const StageDocument &after);
[[nodiscard]] TextDifference differenceOfTexts(std::string_view before, std::string_view after, StageKind stage);

} // namespace sw
