#pragma once
// The devices of OpenCL under the name of GPUs, so that kernels are made for groups of work items, and run on a processor.

#include "engine/backend/opencl/opencl_backend.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace sw::test {

class GpuInName final : public Backend {
public:
    GpuInName() : m_backend(makeOpenClBackend()) {}
    [[nodiscard]] std::string_view id() const override { return m_backend->id(); }
    [[nodiscard]] const Renderer &renderer() const override { return m_backend->renderer(); }
    [[nodiscard]] Result<std::vector<DeviceInfo>> probe() override
    {
        SW_TRY(auto devices, m_backend->probe());
        for (DeviceInfo &device : devices) {
            device.kind = DeviceKind::Gpu;
            device.threads = 64;
            device.vectorBytes = 16;
            device.maxWorkgroup = std::min<std::int64_t>(device.maxWorkgroup, 256);
            device.localMemoryBytes = std::min<std::int64_t>(device.localMemoryBytes, 32 << 10);
        }
        return devices;
    }
    // The driver is what it was.
    [[nodiscard]] Result<Opened> open(const DeviceInfo &device, const DeviceOptions &options) override
    {
        return m_backend->open(device, options);
    }

private:
    std::unique_ptr<Backend> m_backend;
};

} // namespace sw::test
