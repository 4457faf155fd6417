#pragma once
// Random well-formed kernels: the same seed gives the same kernel on every machine. Loops run a few times, indices stay inside
// their buffers, so that such a kernel can be run, and run again after a pass.

#include "engine/lowered/lowered.h"

namespace sw::test {

struct RandomKernelOptions {
    std::uint32_t instructions = 60; // about as many in the body
    bool withTranscendentals = true; // their results may change by some ULP when they are decomposed
    bool withHalfFloats = true;
    std::int64_t itemsPerGroup = 1; // 1, 2 or 4; more than one share memory, with barriers. There are two groups
};

[[nodiscard]] LoweredKernel randomKernel(std::uint32_t seed, const RandomKernelOptions &options = {});

} // namespace sw::test
