#include "engine/backend/opencl/opencl_backend.h"

#include "engine/backend/opencl/opencl_compiler.h"
#include "engine/backend/opencl/opencl_renderer.h"
#include "engine/backend/opencl/opencl_runtime.h"

namespace sw {

namespace {

class OpenClBackend final : public Backend {
public:
    explicit OpenClBackend(AssistantOptions assistance) : m_assistance(std::move(assistance)) {}
    [[nodiscard]] std::string_view id() const override { return "opencl"; }
    [[nodiscard]] Result<std::vector<DeviceInfo>> probe() override;
    [[nodiscard]] const Renderer &renderer() const override { return m_renderer; }
    // The driver controls threads and subnormal numbers: options other than the default are refused.
    [[nodiscard]] Result<Opened> open(const DeviceInfo &device, const DeviceOptions &options) override;

private:
    AssistantOptions m_assistance;
    OpenClRenderer m_renderer;
};

Result<std::vector<DeviceInfo>> OpenClBackend::probe()
{
    SW_TRY(const auto handles, clDevices());
    std::vector<DeviceInfo> devices;
    for (std::size_t i = 0; i < handles.size(); ++i)
        devices.push_back(describeClDevice(handles[i], clDeviceId(i)));
    return devices;
}

Result<Backend::Opened> OpenClBackend::open(const DeviceInfo &device, const DeviceOptions &options)
{
    if (options.flushDenormals || (options.threads != 0 && options.threads != device.threads))
        return Diagnostic::error(Code::Unsupported, {},
                                 "{} takes no options: threads and subnormal numbers are its driver's affair", device.id);
    SW_TRY(const auto handles, clDevices());
    for (std::size_t i = 0; i < handles.size(); ++i) {
        if (clDeviceId(i) != device.id)
            continue;
        SW_TRY(const auto opened, openClDevice(handles[i]));
        opened->id = device.id;
        opened->assistance = m_assistance;
        return Opened{std::make_unique<OpenClCompiler>(opened),
                      std::make_unique<OpenClRuntime>(opened, device.bufferAlignment, options)};
    }
    return Diagnostic::error(Code::DeviceUnavailable, {}, "there is no device {} any more", sw::quoted(device.id));
}

} // namespace

std::unique_ptr<Backend> makeOpenClBackend(AssistantOptions assistance)
{
    return std::make_unique<OpenClBackend>(std::move(assistance));
}

} // namespace sw
