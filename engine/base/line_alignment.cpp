#include "engine/base/line_alignment.h"

#include <algorithm>
#include <cstdint>

namespace sw {

namespace {

using Lines = std::vector<std::string_view>;
using Aligned = std::vector<std::optional<AlignedLine>>;

constexpr std::size_t kMostCells = std::size_t{4} << 20; // 16 MiB of lengths

// Aligns [first, endBefore) with [first, endAfter); the lines around it are equal.
void alignMiddle(const Lines &before, const Lines &after, std::size_t first, std::size_t endBefore, std::size_t endAfter,
                 Aligned &aligned)
{
    const std::size_t rows = endBefore - first;
    const std::size_t columns = endAfter - first;
    if (rows == 0 || columns == 0 || (rows + 1) > kMostCells / (columns + 1))
        return;
    // The longest common subsequence of what follows line i of one text and line j of the other.
    std::vector<std::uint32_t> longest((rows + 1) * (columns + 1), 0);
    const auto at = [&](std::size_t i, std::size_t j) -> std::uint32_t & { return longest[i * (columns + 1) + j]; };
    for (std::size_t i = rows; i-- > 0;)
        for (std::size_t j = columns; j-- > 0;)
            at(i, j) = before[first + i] == after[first + j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
    for (std::size_t i = 0, j = 0; i < rows && j < columns;) {
        if (before[first + i] == after[first + j]) {
            aligned[first + j] = AlignedLine{first + i};
            ++i;
            ++j;
        } else if (at(i + 1, j) >= at(i, j + 1)) {
            ++i;
        } else {
            ++j;
        }
    }
}

void pairChanged(std::size_t beforeLines, Aligned &aligned)
{
    std::size_t nextBefore = 0;
    for (std::size_t j = 0; j < aligned.size();) {
        if (aligned[j]) {
            nextBefore = aligned[j]->before + 1;
            ++j;
            continue;
        }
        std::size_t end = j;
        while (end < aligned.size() && !aligned[end])
            ++end;
        const std::size_t endBefore = end < aligned.size() ? aligned[end]->before : beforeLines;
        if (endBefore - nextBefore == end - j)
            for (std::size_t i = 0; i < end - j; ++i)
                aligned[j + i] = AlignedLine{nextBefore + i, false};
        j = end;
    }
}

} // namespace

std::vector<std::string_view> linesOf(std::string_view text)
{
    Lines lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

std::vector<std::optional<AlignedLine>> alignLines(const Lines &before, const Lines &after)
{
    Aligned aligned(after.size());
    std::size_t first = 0;
    while (first < before.size() && first < after.size() && before[first] == after[first]) {
        aligned[first] = AlignedLine{first};
        ++first;
    }
    std::size_t endBefore = before.size();
    std::size_t endAfter = after.size();
    while (endBefore > first && endAfter > first && before[endBefore - 1] == after[endAfter - 1])
        aligned[--endAfter] = AlignedLine{--endBefore};
    alignMiddle(before, after, first, endBefore, endAfter, aligned);
    pairChanged(before.size(), aligned);
    return aligned;
}

} // namespace sw
