#include "engine/backend/backend.h"

#include "engine/base/assert.h"
#include "engine/base/checked_size.h"
#include "engine/graph/placement.h"
#include "engine/lowered/type_rules.h"

#include <algorithm>
#include <utility>

namespace sw {

Result<MachineCode> Compiler::crossCode(const RenderedSource & /*source*/, const std::string & /*target*/)
{
    return Diagnostic::error(Code::Unsupported, {}, "only the device llvm makes code for other processors");
}

Result<std::vector<CompilerPass>> Compiler::passes(const RenderedSource & /*source*/)
{
    return Diagnostic::error(Code::Unsupported, {}, "only the device llvm shows the passes of its compiler");
}

Result<std::optional<LaunchResult>> Runtime::submit(const LaunchRequest &request, std::stop_token stop)
{
    SW_TRY(LaunchResult done, launch(request, std::move(stop)));
    return std::optional(std::move(done));
}

Result<Done> Runtime::queueUpload(const QueuedUpload & /*upload*/, std::stop_token /*stop*/)
{
    SW_ASSERT(queuesUploads(), "a device that queues uploads");
    SW_UNREACHABLE();
}

Result<Done> Runtime::queueDownload(const QueuedDownload & /*download*/, std::stop_token /*stop*/)
{
    SW_ASSERT(queuesDownloads(), "a device that queues downloads");
    SW_UNREACHABLE();
}

Result<Collected> Runtime::collect(std::size_t /*count*/, std::stop_token /*stop*/)
{
    return Collected();
}

DeviceInfo withOptions(DeviceInfo device, const DeviceOptions &options)
{
    if (options.threads != 0)
        device.threads = options.threads;
    return device;
}

Result<std::int64_t> workItemsOf(const LaunchRequest &request)
{
    const CheckedSize items = productOf(request.globalSize);
    const bool isNegative = std::ranges::any_of(request.globalSize, [](std::int64_t size) { return size < 0; });
    if (isNegative || items > kMaxWorkItems)
        return Diagnostic::error(Code::Limit, {}, "[{}] are {} work items; 0 to {} are possible", join(request.globalSize, ", "),
                                 toText(items), kMaxWorkItems);
    return items.value();
}

void BackendRegistry::add(std::unique_ptr<Backend> backend)
{
    m_backends.push_back(std::move(backend));
}

Backend *BackendRegistry::find(std::string_view id) const
{
    for (const auto &backend : m_backends)
        if (backend->id() == id)
            return backend.get();
    return nullptr;
}

Result<BackendRegistry::Found> BackendRegistry::device(std::string_view name) const
{
    const std::string id = canonicalDevice(name);
    Backend *backend = find(std::string_view(id).substr(0, id.find(':')));
    if (backend == nullptr)
        return Diagnostic::error(Code::DeviceUnavailable, {}, "no device is called {}; there are {}", quoted(std::string(name)),
                                 join(m_backends, ", ", [](const auto &known) { return known->id(); }));
    SW_TRY(const auto devices, backend->probe());
    for (const DeviceInfo &device : devices)
        if (device.id == id)
            return Found{backend, device};
    return Diagnostic::error(Code::DeviceUnavailable, {}, "there is no device {}; the backend has {}", quoted(std::string(name)),
                             join(devices, ", ", [](const DeviceInfo &known) { return known.id; }));
}

} // namespace sw
