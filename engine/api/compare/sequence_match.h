#pragma once
// Aligns two sequences of keys: which of them stay, in order. Elements that both have once (or runs of elements that both have
// once) are anchors (Bram Cohen's patience diff); what lies between them is aligned by the shortest edit script (Myers, An O(ND)
// Difference Algorithm and Its Variations, 1986, in linear space), which is cut where it would take too long.

#include <cstdint>
#include <span>
#include <vector>

namespace sw {

struct MatchedPair {
    std::uint32_t before = 0;
    std::uint32_t after = 0;
    bool operator==(const MatchedPair &) const = default;
};

// Parts of both sequences: [before, endBefore) and [after, endAfter).
struct SequenceGap {
    std::uint32_t before = 0;
    std::uint32_t endBefore = 0;
    std::uint32_t after = 0;
    std::uint32_t endAfter = 0;
};

// Pairs of equal keys, ascending in both. Always the same for the same keys.
[[nodiscard]] std::vector<MatchedPair> matchSequences(std::span<const std::uint64_t> before,
                                                      std::span<const std::uint64_t> after);

} // namespace sw
