#include "engine/execute/recording_backends.h"

#include <algorithm>
#include <utility>

namespace sw {

namespace {

using Device = CallLog::Device;

// Writes down the call that lasts as long as this lives, if calls are written down.
class Recorded {
public:
    Recorded(CallLog &log, const RecordedCall &call) : m_log(log.isOn() ? &log : nullptr), m_call(call)
    {
        if (m_log != nullptr)
            m_call.begin = steadyNow();
    }
    ~Recorded()
    {
        if (m_log == nullptr)
            return;
        m_call.end = steadyNow();
        m_log->add(m_call);
    }
    Recorded(const Recorded &) = delete;
    Recorded &operator=(const Recorded &) = delete;
    RecordedCall &call() { return m_call; }

private:
    CallLog *m_log;
    RecordedCall m_call;
};

class RecordingRenderer final : public Renderer {
public:
    RecordingRenderer(const Renderer &inner, CallLog &log) : m_inner(inner), m_log(log) {}
    [[nodiscard]] TargetLanguage language() const override { return m_inner.language(); }
    [[nodiscard]] Result<RenderedSource> render(const LoweredKernel &kernel, const DeviceInfo &device) const override
    {
        const Recorded recorded(m_log, {.kind = CallKind::Render, .device = kNoDevice, .kernel = kernel.kernel});
        return m_inner.render(kernel, device);
    }

private:
    const Renderer &m_inner;
    CallLog &m_log;
};

class RecordingCompiler final : public Compiler {
public:
    RecordingCompiler(std::unique_ptr<Compiler> inner, std::shared_ptr<Device> device, CallLog &log)
        : m_inner(std::move(inner)), m_device(std::move(device)), m_log(log)
    {
    }
    ~RecordingCompiler() override { m_device->compiler = nullptr; }
    RecordingCompiler(const RecordingCompiler &) = delete;
    RecordingCompiler &operator=(const RecordingCompiler &) = delete;

    [[nodiscard]] std::vector<Result<Artifact>> compile(std::span<const RenderedSource> sources, std::stop_token stop) override
    {
        const Recorded recorded(m_log, {.kind = CallKind::Compile, .device = m_device->number});
        return m_inner->compile(sources, std::move(stop));
    }
    [[nodiscard]] Result<MachineCode> machineCode(ArtifactId artifact) override { return m_inner->machineCode(artifact); }
    [[nodiscard]] Result<MachineCode> crossCode(const RenderedSource &source, const std::string &target) override
    {
        return m_inner->crossCode(source, target);
    }
    [[nodiscard]] Result<std::vector<CompilerPass>> passes(const RenderedSource &source) override
    {
        return m_inner->passes(source);
    }
    void release(ArtifactId artifact) override { m_inner->release(artifact); }
    [[nodiscard]] Result<Done> finish(std::stop_token stop) override
    {
        const Recorded recorded(m_log, {.kind = CallKind::Finish, .device = m_device->number});
        return m_inner->finish(std::move(stop));
    }

private:
    std::unique_ptr<Compiler> m_inner;
    std::shared_ptr<Device> m_device;
    CallLog &m_log;
};

class RecordingRuntime final : public Runtime {
public:
    RecordingRuntime(std::unique_ptr<Runtime> inner, std::shared_ptr<Device> device, CallLog &log)
        : m_inner(std::move(inner)), m_device(std::move(device)), m_log(log)
    {
    }
    ~RecordingRuntime() override { m_device->runtime = nullptr; }
    RecordingRuntime(const RecordingRuntime &) = delete;
    RecordingRuntime &operator=(const RecordingRuntime &) = delete;

    [[nodiscard]] Result<DeviceBufferId> allocate(std::int64_t bytes) override
    {
        const Recorded recorded(m_log, callOf(CallKind::Allocate, {}, bytes));
        SW_TRY(const DeviceBufferId made, m_inner->allocate(bytes));
        if (m_log.isOn())
            m_device->allocated.push_back(made);
        return made;
    }
    [[nodiscard]] Result<DeviceBufferId> view(DeviceBufferId buffer, std::int64_t offset, std::int64_t bytes) override
    {
        SW_TRY(const DeviceBufferId made, m_inner->view(buffer, offset, bytes));
        if (m_log.isOn())
            m_device->views.push_back(made);
        return made;
    }
    void free(DeviceBufferId buffer) override { m_inner->free(buffer); }
    [[nodiscard]] Result<Done> upload(DeviceBufferId buffer, std::int64_t offset, std::span<const std::byte> bytes) override
    {
        const Recorded recorded(m_log, callOf(CallKind::Upload, buffer, static_cast<std::int64_t>(bytes.size())));
        return m_inner->upload(buffer, offset, bytes);
    }
    [[nodiscard]] Result<Done> download(DeviceBufferId buffer, std::int64_t offset, std::span<std::byte> bytes) override
    {
        const Recorded recorded(m_log, callOf(CallKind::Download, buffer, static_cast<std::int64_t>(bytes.size())));
        return m_inner->download(buffer, offset, bytes);
    }
    [[nodiscard]] Result<Done> copy(const BufferCopy &copy) override
    {
        const Recorded recorded(m_log, callOf(CallKind::Copy, copy.to, copy.bytes));
        return m_inner->copy(copy);
    }
    [[nodiscard]] Result<Done> synchronize() override
    {
        const Recorded recorded(m_log, callOf(CallKind::Synchronize, {}, 0));
        return m_inner->synchronize();
    }
    [[nodiscard]] Result<LaunchResult> launch(const LaunchRequest &request, std::stop_token stop) override
    {
        Recorded recorded(m_log, callOf(CallKind::Launch, {}, 0));
        SW_TRY(LaunchResult result, m_inner->launch(request, std::move(stop)));
        recorded.call().onDevice = result.time;
        return result;
    }
    [[nodiscard]] Result<std::optional<LaunchResult>> submit(const LaunchRequest &request, std::stop_token stop) override
    {
        Recorded recorded(m_log, callOf(CallKind::Launch, {}, 0));
        SW_TRY(std::optional<LaunchResult> result, m_inner->submit(request, std::move(stop)));
        if (result)
            recorded.call().onDevice = result->time;
        else
            ++m_queued;
        return result;
    }
    [[nodiscard]] bool queuesUploads() const override { return m_inner->queuesUploads(); }
    [[nodiscard]] bool queuesDownloads() const override { return m_inner->queuesDownloads(); }
    [[nodiscard]] Result<Done> queueUpload(const QueuedUpload &upload, std::stop_token stop) override
    {
        Recorded recorded(m_log, callOf(CallKind::Upload, upload.buffer, static_cast<std::int64_t>(upload.bytes.size())));
        SW_CHECK(m_inner->queueUpload(upload, std::move(stop)));
        recorded.call().isQueued = true;
        ++m_queued;
        return Done{};
    }
    [[nodiscard]] Result<Done> queueDownload(const QueuedDownload &download, std::stop_token stop) override
    {
        Recorded recorded(m_log, callOf(CallKind::Download, download.buffer, static_cast<std::int64_t>(download.bytes.size())));
        SW_CHECK(m_inner->queueDownload(download, std::move(stop)));
        recorded.call().isQueued = true;
        ++m_queued;
        return Done{};
    }
    [[nodiscard]] Result<Collected> collect(std::size_t count, std::stop_token stop) override
    {
        if (m_queued == 0)
            return m_inner->collect(count, std::move(stop));
        const Recorded recorded(m_log, callOf(CallKind::Synchronize, {}, 0));
        Result<Collected> collected = m_inner->collect(count, std::move(stop));
        const bool isFailed = !collected || !collected->errors.empty();
        m_queued = isFailed ? 0 : m_queued - std::min(count, m_queued);
        return collected;
    }

private:
    [[nodiscard]] RecordedCall callOf(CallKind kind, DeviceBufferId buffer, std::int64_t bytes) const
    {
        return {.kind = kind, .device = m_device->number, .bytes = bytes, .buffer = buffer};
    }

    std::unique_ptr<Runtime> m_inner;
    std::shared_ptr<Device> m_device;
    CallLog &m_log;
    std::size_t m_queued = 0; // and not collected
};

class RecordingBackend final : public Backend {
public:
    RecordingBackend(Backend &inner, CallLog &log) : m_inner(inner), m_renderer(inner.renderer(), log), m_log(log) {}
    [[nodiscard]] std::string_view id() const override { return m_inner.id(); }
    [[nodiscard]] Result<std::vector<DeviceInfo>> probe() override { return m_inner.probe(); }
    [[nodiscard]] const Renderer &renderer() const override { return m_renderer; }
    [[nodiscard]] Result<Opened> open(const DeviceInfo &device, const DeviceOptions &options) override
    {
        Recorded recorded(m_log, {.kind = CallKind::Open, .device = kNoDevice});
        SW_TRY(Opened inner, m_inner.open(device, options));
        const std::shared_ptr<Device> entry = m_log.opened(device.id, inner);
        recorded.call().device = entry->number;
        return Opened{std::make_unique<RecordingCompiler>(std::move(inner.compiler), entry, m_log),
                      std::make_unique<RecordingRuntime>(std::move(inner.runtime), entry, m_log)};
    }

private:
    Backend &m_inner;
    RecordingRenderer m_renderer;
    CallLog &m_log;
};

} // namespace

std::string_view nameOf(CallKind kind)
{
    switch (kind) {
    case CallKind::Open:
        return "open the device";
    case CallKind::Render:
        return "render";
    case CallKind::Compile:
        return "compile";
    case CallKind::Finish:
        return "wait for the compiler";
    case CallKind::Allocate:
        return "allocate";
    case CallKind::Upload:
        return "upload";
    case CallKind::Download:
        return "download";
    case CallKind::Copy:
        return "copy";
    case CallKind::Synchronize:
        return "wait for the device";
    case CallKind::Launch:
        return "launch";
    }
    SW_UNREACHABLE();
}

void CallLog::add(const RecordedCall &call)
{
    if (m_recorded.calls.size() == kMostRecordedCalls)
        ++m_recorded.lost;
    else
        m_recorded.calls.push_back(call);
}

Result<Done> CallLog::startOn(const Device &device) const
{
    for (WorkRecorder *const recorder : {device.compiler, device.runtime})
        if (recorder != nullptr)
            SW_CHECK(recorder->startRecording(m_counters));
    return Done{};
}

std::shared_ptr<CallLog::Device> CallLog::opened(std::string id, Backend::Opened &device)
{
    m_devices.push_back(std::make_shared<Device>(Device{.id = std::move(id),
                                                        .number = static_cast<std::uint32_t>(m_devices.size()),
                                                        .compiler = recorderOf(*device.compiler),
                                                        .runtime = recorderOf(*device.runtime)}));
    // A recorder that cannot begin is one whose process just ended: what follows reports it.
    if (m_isOn && !startOn(*m_devices.back()))
        m_devices.back()->compiler = m_devices.back()->runtime = nullptr;
    return m_devices.back();
}

Result<Done> CallLog::start(WithCounters counters)
{
    m_counters = counters;
    m_recorded = {};
    for (const std::shared_ptr<Device> &device : m_devices) {
        device->allocated.clear();
        device->views.clear();
        SW_CHECK(startOn(*device));
    }
    m_isOn = true;
    return Done{};
}

Result<RecordedCalls> CallLog::take()
{
    m_isOn = false;
    for (const std::shared_ptr<Device> &device : m_devices) {
        RecordedDevice taken{
            .id = device->id, .compiler = {}, .runtime = {}, .allocated = device->allocated, .views = device->views};
        if (device->compiler != nullptr) {
            SW_TRY(taken.compiler, device->compiler->takeRecorded());
        }
        if (device->runtime != nullptr) {
            SW_TRY(taken.runtime, device->runtime->takeRecorded());
        }
        m_recorded.devices.push_back(std::move(taken));
    }
    return std::exchange(m_recorded, {});
}

void addRecordingBackends(BackendRegistry &to, const BackendRegistry &from, CallLog &log)
{
    for (const std::unique_ptr<Backend> &backend : from.backends())
        to.add(std::make_unique<RecordingBackend>(*backend, log));
}

} // namespace sw
