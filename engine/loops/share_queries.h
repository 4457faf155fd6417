#pragma once
// Copies in the memory of a group, which its work items make together: in each round of the loop `at`, all of them wait until
// nobody reads the copy of the round before, each copies some elements, and they wait again until all elements are there. A copy
// has the elements that all items of the group read in that round.

#include "engine/loops/loop_nest.h"

#include <optional>
#include <string>
#include <vector>

namespace sw {

// Why the group cannot make the copy; nothing when it can.
[[nodiscard]] std::optional<std::string> shareProblemOf(const LoopNest &nest, const Pack &pack);

// The Local leaves of the domain, outermost first; the last one tells neighbouring work items apart.
[[nodiscard]] std::vector<AxisId> groupLeavesOf(const LoopNest &nest);

[[nodiscard]] bool hasSharedCopies(const LoopNest &nest);

} // namespace sw
