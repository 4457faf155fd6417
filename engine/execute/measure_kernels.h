#pragma once
// The kernels that measure a device: each does one thing as well as our own kernels could.

#include "engine/backend/backend.h"

#include <cstdint>

namespace sw {

struct MeasureKernel {
    LoweredKernel kernel;
    std::int64_t least = 1; // the number of work items is a multiple of this
    std::int64_t perItem = 1;
};

// Buffers: one. The kernel does nothing, on every thread.
[[nodiscard]] MeasureKernel emptyKernel(const DeviceInfo &device);
// Buffers: from and to, `bytes` each. perItem: the bytes that are read and written.
[[nodiscard]] MeasureKernel copyKernel(const DeviceInfo &device, std::int64_t bytes);
// Buffers: two f32, the factor and the summand (0.5 and 1, say), then the result. perItem: operations.
[[nodiscard]] MeasureKernel arithmeticKernel(const DeviceInfo &device, std::int64_t mostItems);
// The number of elements in arithmeticKernel's result.
[[nodiscard]] std::int64_t arithmeticElements(const DeviceInfo &device, std::int64_t mostItems);

} // namespace sw
