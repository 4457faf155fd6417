#pragma once
// Questions about a nest that the heuristic, the lowering and the printer ask.

#include "engine/loops/loop_nest.h"

#include <optional>
#include <vector>

namespace sw {

[[nodiscard]] std::optional<AxisId> axisNamed(const LoopNest &nest, std::string_view name);

// The unsplit axis that a leaf came from.
[[nodiscard]] AxisId unsplitAxis(const LoopNest &nest, AxisId leaf);

// For each value, the sorted unsplit axes that it depends on; a reduction's own axes are not among those of its result.
[[nodiscard]] std::vector<std::vector<AxisId>> valueDependencies(const LoopNest &nest);

// The values that a value needs, itself included, not through reductions unless asked.
enum class ThroughReductions : std::uint8_t { No, Yes };
[[nodiscard]] std::vector<ValueId> valuesUnder(const LoopNest &nest, ValueId root, ThroughReductions through);

// An axis that moves the packed load inside the loop that it is packed at, yet does not index the copy: the copy would hold the
// elements of another index. Nothing when the pack is sound.
[[nodiscard]] std::optional<AxisId> axisMissingInPack(const LoopNest &nest, const Pack &pack);

} // namespace sw
