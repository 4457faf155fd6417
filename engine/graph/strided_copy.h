#pragma once
// Copies a box of elements between two flat buffers with strides.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sw {

struct StridedPlace {
    std::int64_t offset = 0;
    std::vector<std::int64_t> strides; // in elements, one per axis of the box
};

struct StridedCopy {
    std::vector<std::int64_t> extents;
    StridedPlace from;
    StridedPlace to;
    std::size_t elementBytes = 0;
};

void copyStrided(const StridedCopy &copy, std::span<const std::byte> from, std::span<std::byte> to);

} // namespace sw
