#pragma once
// What one list of transformations has that another has not, line by line and in order.

#include "engine/tune/candidate.h"

#include <cstdint>
#include <string>
#include <vector>

namespace sw {

enum class ListLineKind : std::uint8_t { Same, Removed, Added };

struct ListLine {
    ListLineKind kind = ListLineKind::Same;
    std::string text; // "split i0 8"
    bool operator==(const ListLine &) const = default;
};

// With as many lines that are the same as there can be; what is removed stands before what is added in its place.
[[nodiscard]] std::vector<ListLine> listDifference(const TransformList &before, const TransformList &after);

} // namespace sw
