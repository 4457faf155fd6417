#pragma once
// A backend's devices presented as GPUs, so that kernels are made for groups of work items but run on a processor.

#include "engine/backend/c/c_backend.h"
#include "engine/backend/interpreter/interpreter_backend.h"
#include "engine/backend/llvm/llvm_backend.h"
#include "engine/backend/opencl/opencl_backend.h"

#include <memory>
#include <utility>
#include <vector>

namespace sw::test {

class GpuInName final : public Backend {
public:
    explicit GpuInName(std::unique_ptr<Backend> backend) : m_backend(std::move(backend)) {}
    [[nodiscard]] std::string_view id() const override { return m_backend->id(); }
    [[nodiscard]] const Renderer &renderer() const override { return m_backend->renderer(); }
    [[nodiscard]] Result<std::vector<DeviceInfo>> probe() override
    {
        SW_TRY(auto devices, m_backend->probe());
        for (DeviceInfo &device : devices) {
            device.kind = DeviceKind::Gpu;
            device.threads = 64;
            device.vectorBytes = 16;
            device.maxWorkgroup = 256;
            device.localMemoryBytes = 32 << 10;
        }
        return devices;
    }
    // The driver is unchanged.
    [[nodiscard]] Result<Opened> open(const DeviceInfo &device, const DeviceOptions &options) override
    {
        return m_backend->open(device, options);
    }

private:
    std::unique_ptr<Backend> m_backend;
};

// Adds every backend that can run programs.
inline void addGpusInName(BackendRegistry &registry)
{
    registry.add(std::make_unique<GpuInName>(makeInterpreterBackend()));
    registry.add(std::make_unique<GpuInName>(makeLlvmBackend()));
    registry.add(std::make_unique<GpuInName>(makeCBackend()));
    registry.add(std::make_unique<GpuInName>(makeOpenClBackend()));
}

} // namespace sw::test
