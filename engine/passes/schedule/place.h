#pragma once
// Where in a kernel's loops a value is needed, seen from the kernel's root. The loops of a kernel are the root's axes and one
// more for each axis that a reduction in it reduces.

#include "engine/passes/schedule/policy.h"

#include <cstdint>
#include <vector>

namespace sw {

using PlaceLoops = ShortList<std::uint32_t, 6>;

struct Place {
    Access access;    // from the kernel's loops to the value's flat position
    PlaceLoops loops; // around its evaluation, outermost first; invariant inner loops left out
    bool operator==(const Place &) const = default;
};

// The loops of one kernel while it grows.
class KernelLoops {
public:
    explicit KernelLoops(const Shape &rootShape);

    [[nodiscard]] Place rootPlace(const Shape &rootShape) const;
    // Where the producer of `read` is needed when its reader is evaluated at `reader`.
    [[nodiscard]] Place throughElements(const Place &reader, const Shape &readerShape, const Access &access) const;
    // The same when the reader is a cat of parts (cat_lane.h): where a loop counts its parts, one round of it evaluates the part.
    [[nodiscard]] Place throughParts(const Place &reader, const Shape &readerShape, const Access &access) const;
    // The same when the reader is a reduction.
    struct Reduction {
        const Shape &input;
        std::span<const std::size_t> axes;    // of the input
        std::span<const std::uint32_t> loops; // the loop that it runs for each of the axes at this place
    };
    [[nodiscard]] Place throughReduction(const Place &reduction, const Reduction &of, const Access &access) const;
    // New loops for a reduction over these axes of its input.
    [[nodiscard]] std::vector<std::uint32_t> addReduceLoops(const Shape &input, std::span<const std::size_t> axes);

    [[nodiscard]] double evaluations(const Place &place) const;
    [[nodiscard]] PlaceKind kindOf(const Place &place, std::int64_t elements) const;

private:
    void leaveOutInvariantLoops(Place &place) const;
    [[nodiscard]] bool isInner(const Place &place) const;
    [[nodiscard]] bool isDomain(const Place &place, std::int64_t elements) const;
    [[nodiscard]] bool isRow(const Place &place, std::int64_t elements) const;

    std::size_t m_rank = 0; // the first loops are the root's axes
    std::vector<std::int64_t> m_extents;
};

} // namespace sw
