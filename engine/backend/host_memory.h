#pragma once
// What a Runtime may offer besides: kernels that read memory of the host where it lies. A Runtime of a device that shares the
// host's memory derives from it.

#include "engine/backend/backend.h"

#include <cstddef>
#include <span>

namespace sw {

class HostMemoryReader {
public:
    virtual ~HostMemoryReader() = default;
    // A buffer that is these bytes, which begin at a multiple of the device's bufferAlignment, are at least one, and stay until
    // it is freed. Kernels may only read it, and nothing is uploaded to it.
    [[nodiscard]] virtual DeviceBufferId adopt(std::span<const std::byte> bytes) = 0;
    [[nodiscard]] virtual bool hasAdopted(DeviceBufferId buffer) const = 0;
};

// Whether the buffer of the runtime is memory of the host.
[[nodiscard]] inline bool isAdopted(const Runtime &runtime, DeviceBufferId buffer)
{
    const auto *reader = dynamic_cast<const HostMemoryReader *>(&runtime);
    return reader != nullptr && reader->hasAdopted(buffer);
}

} // namespace sw
