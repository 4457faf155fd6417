#pragma once
// The life of one value: from the program's text through the rewrites that made its node, to its kernel, its place in the loops,
// its instructions, its lines of source and of machine code, and the time of its kernel. Computed when somebody asks.

#include "engine/api/compilation.h"
#include "engine/api/life.h"
#include "engine/api/report.h"

#include <cstdint>
#include <stop_token>

namespace sw {

// node: of the final graph.
[[nodiscard]] LifeStory lifeOfNode(const Compilation &compilation, const Report &report, std::uint32_t node,
                                   const std::stop_token &stop);

// The node of the final graph that an item of a stage was made for, or became; kNoIndex: none did.
[[nodiscard]] std::uint32_t nodeBehind(const Report &report, const StageDocument &document, ItemIndex item);

} // namespace sw
