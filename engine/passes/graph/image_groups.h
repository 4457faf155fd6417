#pragma once
// The images of a program, in groups that are in one order in memory: what is computed from an image element by element, its
// border, its windows channel by channel, and images side by side.

#include "engine/graph/graph.h"
#include "engine/passes/pass_context.h"

#include <cstdint>
#include <vector>

namespace sw {

// How an image [images, channels, rows, columns], of one space axis or more, is in memory changes what its readers take. With the
// channels of a pixel side by side,
//  - a convolution of 1 x 1 is a product of pixels by channels: it reads its image as it is, of which it else has to copy panels;
//  - a convolution by channel reads whole pixels, and where padding is, none: else it copies each channel with a border;
//  - any other reader, and an output, goes across the memory.
struct ImageGroup {
    std::vector<NodeId> images; // by node
    double savedNanoseconds = 0;
    double costNanoseconds = 0;
    std::int64_t products = 0;  // convolutions of 1 x 1 that read one of the images
    std::int64_t byChannel = 0; // convolutions by channel that make one of them
};

// Those of which some reader or writer gains from channels side by side, and each of which has whole vectors of channels.
[[nodiscard]] std::vector<ImageGroup> imageGroupsOf(const Graph &graph, const DeviceInfo &device);

} // namespace sw
