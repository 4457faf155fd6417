#pragma once
// Programs of convolutions, pools and what stands between them, drawn from a seed.

#include <cstdint>
#include <string>

namespace sw::test {

// A program of one input x and parameters, with images of 8 channels or a multiple of them, at most 48, and of at most 12 x 12
// elements per channel. Its outputs are images, their means, or images with the channels last.
[[nodiscard]] std::string randomNetwork(std::uint64_t seed);

} // namespace sw::test
