#pragma once
// The lines that a pass of a compiler changed, in order.

#include <string>
#include <string_view>
#include <vector>

namespace sw {

struct ChangedLine {
    bool isAdded = false; // false: it is gone
    std::string text;
};

// Of generated source. Names that only count (%12) are no difference.
[[nodiscard]] std::vector<ChangedLine> changedLines(std::string_view before, std::string_view after);

} // namespace sw
