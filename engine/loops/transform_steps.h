#pragma once
// The transformations, by what they change: each checks that it applies and changes the nest in place. Only transform.cpp calls
// them, through the one list of kinds.

#include "engine/loops/transform.h"

#include <string>
#include <vector>

namespace sw {

// The loop order that contains the leaf: the domain's or a reduction's; null when the axis is no longer a leaf.
[[nodiscard]] std::vector<AxisId> *orderWith(LoopNest &nest, AxisId leaf);
// The error of a transformation that does not apply.
[[nodiscard]] Diagnostic invalid(const Transform &transform, const std::string &why);
[[nodiscard]] Result<AxisId> leafNamed(LoopNest &nest, const Transform &transform, const std::string &name);

// Of the loops' order.
[[nodiscard]] Result<Done> applyReorder(LoopNest &nest, const Transform &transform);
[[nodiscard]] Result<Done> applyMerge(LoopNest &nest, const Transform &transform);

// Of which reductions share their loops (join.cpp).
[[nodiscard]] Result<Done> applyJoin(LoopNest &nest, const Transform &transform);

// Of how memory is read and written.
[[nodiscard]] Result<Done> applyPack(LoopNest &nest, const Transform &transform); // Share, too
[[nodiscard]] Result<Done> applyPrefetch(LoopNest &nest, const Transform &transform);
[[nodiscard]] Result<Done> applyStream(LoopNest &nest, const Transform &transform);
[[nodiscard]] Result<Done> applyNonTemporal(LoopNest &nest, const Transform &transform);

} // namespace sw
