#pragma once
// The kernels that a device is measured with: each does one thing as well as our own kernels could.

#include "engine/backend/backend.h"

#include <cstdint>

namespace sw {

struct MeasureKernel {
    LoweredKernel kernel;
    std::int64_t least = 1; // work items; how many there are is a multiple of this
    std::int64_t perItem = 1;
};

// Buffers: one. Does nothing, on every thread.
[[nodiscard]] MeasureKernel emptyKernel(const DeviceInfo &device);
// Buffers: from, to, of `bytes` each. perItem: the bytes that are read and written.
[[nodiscard]] MeasureKernel copyKernel(const DeviceInfo &device, std::int64_t bytes);
// Buffers: two f32 with which it multiplies and to which it adds, 0.5 and 1 say; the result. perItem: operations.
[[nodiscard]] MeasureKernel arithmeticKernel(const DeviceInfo &device, std::int64_t mostItems);
// The elements that the result of arithmeticKernel has.
[[nodiscard]] std::int64_t arithmeticElements(const DeviceInfo &device, std::int64_t mostItems);

} // namespace sw
