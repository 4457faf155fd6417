#pragma once
// Copy nodes of a graph become transfers, not kernels. A part of a value that consists of rows of equal length at equal
// distances moves directly; any other view is stored first.

#include "engine/passes/schedule/access.h"
#include "engine/schedule/schedule_item.h"

#include <optional>

namespace sw {

// The bytes that an access reads, in row-major order of `shape`, as rows that are packed at the destination. Nothing: the bytes
// do not have that form, or there are none.
[[nodiscard]] std::optional<StridedRegion> regionRead(const Access &access, const Shape &shape, std::size_t elementBytes);

// Can the host provide the value itself? It has the values of placeholders and constants.
[[nodiscard]] inline bool isHostValue(const Node &node)
{
    return node.kind == NodeKind::Placeholder || node.kind == NodeKind::Vconst;
}

} // namespace sw
