#include "engine/api/device_list.h"

#include "engine/backend/backend.h"
#include "engine/pipeline/runner.h"

#include <exception>

namespace sw {

namespace {

Result<std::vector<DeviceInfo>> probed(Backend &backend)
{
    try {
        return backend.probe();
    } catch (const std::exception &exception) {
        return diagnosticOf(exception);
    }
}

std::string reasonOf(const Diagnostics &diagnostics)
{
    return join(diagnostics, "; ", [](const Diagnostic &diagnostic) {
        return diagnostic.hint.empty() ? diagnostic.message : diagnostic.message + " (" + diagnostic.hint + ")";
    });
}

} // namespace

std::vector<DeviceEntry> listDevices(const BackendRegistry &registry)
{
    std::vector<DeviceEntry> entries;
    for (const auto &backend : registry.backends()) {
        const Result<std::vector<DeviceInfo>> found = probed(*backend);
        if (!found) {
            entries.push_back({std::string(backend->id()), {}, false, reasonOf(found.error())});
            continue;
        }
        for (const DeviceInfo &device : *found)
            entries.push_back({device.id, device.description, true, {}});
    }
    return entries;
}

} // namespace sw
