#pragma once
// Calls of the library in another graph than the one that they were made in.

#include "engine/language/library_caller.h"

#include <span>
#include <vector>

namespace sw::language {

// made[i] is node i in the other graph, or invalid where it has no such node. Without the calls that the other graph does not
// have as a whole.
[[nodiscard]] std::vector<LibraryUse> usesIn(std::span<const LibraryUse> uses, std::span<const NodeId> made);

} // namespace sw::language
