#pragma once
// How one value reads another through views: the flat row-major position in the value that is read, as a function of the
// reader's axes. The grouping rules look at this: reads may be one-to-one, repeated along some axes, through windows, masked.

#include "engine/base/short_list.h"
#include "engine/graph/graph.h"

#include <cstdint>
#include <span>

namespace sw {

struct AccessTerm {
    std::uint32_t axis = 0;
    std::int64_t extent = 1;
    std::int64_t stride = 0; // in elements of the value that is read
    bool operator==(const AccessTerm &) const = default;
};

using AccessTerms = ShortList<AccessTerm, 4>;

struct Access {
    // True: position == offset + sum(index[axis] * stride). False: nothing is known about the position except what isBijection
    // says, and `token` tells different accesses apart.
    bool isStrided = true;
    bool isMasked = false;    // some positions are outside the value and give a fill value
    bool isBijection = false; // every element is read exactly once, as far as the views on the way tell
    std::int64_t offset = 0;
    AccessTerms terms; // by axis; no zero strides, no extents of 1
    std::uint64_t token = 0;

    bool operator==(const Access &) const = default;
};

[[nodiscard]] Access identityAccess(const Shape &shape);
// The access with a given stride for each axis of `shape`; zero strides and extents of 1 are left out.
[[nodiscard]] Access stridedAccess(const Shape &shape, std::span<const std::int64_t> strides, std::int64_t offset);

// The access from the axes of a view to the flat position in its input. `node` is of the movement family.
[[nodiscard]] Access viewAccess(const Graph &graph, const Node &node);
// The access from the axes of a Cat to the flat position in its input number `input`: under a mask, or, where the input is one
// element of each row, once for the whole row.
[[nodiscard]] Access catAccess(const Graph &graph, const Node &node, std::size_t input);

// outer: some axes -> flat position in a value of `shape`; inner: that value's axes -> flat position in a third value.
[[nodiscard]] Access composed(const Access &outer, const Shape &shape, const Access &inner);

// Whether the terms enumerate 0 .. elements-1 without gap or repetition; the reader's other axes may repeat them.
[[nodiscard]] bool coversExactly(const Access &access, std::int64_t elements);

// Whether it reads all of `shape` in row-major order from the first element on, as without a view.
[[nodiscard]] bool isPlain(const Access &access, const Shape &shape);

// Whether some axis of the reader, of several indices, goes along one axis of what it reads. Of an access that is no strides
// nothing is known, and it is taken for one that mixes axes.
[[nodiscard]] bool hasWholeAxis(const Access &access, const Shape &read);

// How often each element that is read at all is read, on average: elements of the reader / distinct positions.
[[nodiscard]] double repeats(const Access &access, std::int64_t readerElements, std::int64_t valueElements);

} // namespace sw
