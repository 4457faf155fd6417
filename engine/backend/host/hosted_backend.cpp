#include "engine/backend/host/hosted_backend.h"

#include "engine/backend/c/c_renderer.h"
#include "engine/backend/host/hosted_device.h"
#include "engine/backend/interpreter/interpreter_backend.h"
#include "engine/backend/llvm/llvm_renderer.h"
#include "engine/backend/opencl/opencl_renderer.h"

#include <algorithm>
#include <utility>

namespace sw {

namespace {

class HostedCompiler final : public Compiler, public WorkRecorder {
public:
    explicit HostedCompiler(std::shared_ptr<HostedDevice> device) : m_device(std::move(device)) {}
    [[nodiscard]] std::vector<Result<Artifact>> compile(std::span<const RenderedSource> sources, std::stop_token stop) override
    {
        return m_device->compile(sources, stop);
    }
    [[nodiscard]] Result<MachineCode> machineCode(ArtifactId artifact) override { return m_device->machineCode(artifact); }
    [[nodiscard]] Result<MachineCode> crossCode(const RenderedSource &source, const std::string &target) override
    {
        return m_device->crossCode(source, target);
    }
    [[nodiscard]] Result<std::vector<CompilerPass>> passes(const RenderedSource &source) override
    {
        return m_device->passes(source);
    }
    void release(ArtifactId artifact) override { m_device->release(artifact); }
    [[nodiscard]] Result<Done> finish(std::stop_token stop) override { return m_device->finishCompiling(stop); }
    [[nodiscard]] Result<Done> startRecording(WithCounters counters) override
    {
        return m_device->startRecording(HostPart::Compiler, counters);
    }
    [[nodiscard]] Result<RecordedWork> takeRecorded() override { return m_device->takeRecorded(HostPart::Compiler); }

private:
    std::shared_ptr<HostedDevice> m_device;
};

class HostedRuntime final : public Runtime, public WorkRecorder {
public:
    explicit HostedRuntime(std::shared_ptr<HostedDevice> device) : m_device(std::move(device)) {}
    [[nodiscard]] Result<DeviceBufferId> allocate(std::int64_t bytes) override;
    [[nodiscard]] Result<DeviceBufferId> view(DeviceBufferId buffer, std::int64_t offset, std::int64_t bytes) override;
    void free(DeviceBufferId buffer) override { m_device->forgetBuffer(buffer); }
    [[nodiscard]] Result<Done> upload(DeviceBufferId buffer, std::int64_t offset, std::span<const std::byte> bytes) override;
    [[nodiscard]] Result<Done> download(DeviceBufferId buffer, std::int64_t offset, std::span<std::byte> bytes) override;
    [[nodiscard]] Result<Done> copy(const BufferCopy &copy) override;
    [[nodiscard]] Result<Done> synchronize() override;
    [[nodiscard]] Result<LaunchResult> launch(const LaunchRequest &request, std::stop_token stop) override;
    [[nodiscard]] Result<std::optional<LaunchResult>> submit(const LaunchRequest &request, std::stop_token stop) override;
    // Downloads wait: what is read stands in memory that the next call uses.
    [[nodiscard]] bool queuesUploads() const override { return m_device->queuesUploads(); }
    [[nodiscard]] Result<Done> queueUpload(const QueuedUpload &upload, std::stop_token stop) override;
    [[nodiscard]] Result<Collected> collect(std::size_t count, std::stop_token stop) override;
    [[nodiscard]] Result<Done> startRecording(WithCounters counters) override
    {
        return m_device->startRecording(HostPart::Runtime, counters);
    }
    [[nodiscard]] Result<RecordedWork> takeRecorded() override { return m_device->takeRecorded(HostPart::Runtime); }

private:
    [[nodiscard]] Result<std::string> callFor(HostCall call, const LaunchRequest &request, const std::stop_token &stop);

    std::shared_ptr<HostedDevice> m_device;
    bool m_mayBeBusy = false; // with what was not waited for
    std::size_t m_queued = 0; // launches and uploads that were not collected
};

Result<DeviceBufferId> HostedRuntime::allocate(std::int64_t bytes)
{
    SW_TRY(const HostSession session, m_device->session());
    SW_TRY(const std::string reply, m_device->process().call(HostCall::Allocate, packed(session, bytes)));
    DeviceBufferId hosts;
    if (!unpack(reply, hosts))
        return Diagnostic::error(Code::Run, {}, "the host's answer cannot be read");
    return m_device->keepBuffer(hosts);
}

Result<DeviceBufferId> HostedRuntime::view(DeviceBufferId buffer, std::int64_t offset, std::int64_t bytes)
{
    SW_TRY(const DeviceBufferId whole, m_device->hostBuffer(buffer));
    SW_TRY(const HostSession session, m_device->session());
    SW_TRY(const std::string reply, m_device->process().call(HostCall::View, packed(session, whole, offset, bytes)));
    DeviceBufferId hosts;
    if (!unpack(reply, hosts))
        return Diagnostic::error(Code::Run, {}, "the host's answer cannot be read");
    return m_device->keepBuffer(hosts);
}

Result<Done> HostedRuntime::upload(DeviceBufferId buffer, std::int64_t offset, std::span<const std::byte> bytes)
{
    SW_TRY(const DeviceBufferId hosts, m_device->hostBuffer(buffer));
    SW_TRY(const HostSession session, m_device->session());
    return m_device->process().upload(session, hosts, offset, bytes);
}

Result<Done> HostedRuntime::download(DeviceBufferId buffer, std::int64_t offset, std::span<std::byte> bytes)
{
    SW_TRY(const DeviceBufferId hosts, m_device->hostBuffer(buffer));
    SW_TRY(const HostSession session, m_device->session());
    return m_device->process().download(session, hosts, offset, bytes);
}

Result<Done> HostedRuntime::copy(const BufferCopy &copy)
{
    BufferCopy hosts = copy;
    SW_TRY(hosts.from, m_device->hostBuffer(copy.from));
    SW_TRY(hosts.to, m_device->hostBuffer(copy.to));
    SW_TRY(const HostSession session, m_device->session());
    m_mayBeBusy = true;
    SW_CHECK(m_device->process().call(HostCall::Copy, packed(session, hosts)));
    return Done{};
}

Result<Done> HostedRuntime::synchronize()
{
    if (!m_mayBeBusy)
        return Done{};
    m_mayBeBusy = false;
    SW_TRY(const HostSession session, m_device->session());
    SW_CHECK(m_device->process().call(HostCall::Synchronize, packed(session)));
    return Done{};
}

Result<std::string> HostedRuntime::callFor(HostCall call, const LaunchRequest &request, const std::stop_token &stop)
{
    HostLaunch launch;
    launch.globalSize = request.globalSize;
    launch.localSize = request.localSize;
    for (const DeviceBufferId buffer : request.buffers) {
        SW_TRY(const DeviceBufferId hosts, m_device->hostBuffer(buffer));
        launch.buffers.push_back(hosts);
    }
    SW_TRY(launch.artifact, m_device->hostArtifact(request.artifact, stop));
    SW_TRY(const HostSession session, m_device->session());
    Result<std::string> reply = m_device->process().call(call, packed(session, launch), stop);
    if (!reply) {
        Diagnostics told = reply.error();
        if (const std::string line = m_device->lineOfCrash(request.artifact); !line.empty())
            told.front().message += ", " + line;
        return Failure(std::move(told));
    }
    return reply;
}

Result<LaunchResult> HostedRuntime::launch(const LaunchRequest &request, std::stop_token stop)
{
    SW_TRY(const std::string reply, callFor(HostCall::Launch, request, stop));
    LaunchResult result;
    if (!unpack(reply, result))
        return Diagnostic::error(Code::Run, {}, "the host's answer cannot be read");
    return result;
}

Result<std::optional<LaunchResult>> HostedRuntime::submit(const LaunchRequest &request, std::stop_token stop)
{
    SW_TRY(const std::string reply, callFor(HostCall::Submit, request, stop));
    std::vector<LaunchResult> done;
    if (!unpack(reply, done) || done.size() > 1)
        return Diagnostic::error(Code::Run, {}, "the host's answer cannot be read");
    if (!done.empty())
        return std::optional(std::move(done.front()));
    ++m_queued;
    m_mayBeBusy = true;
    return std::optional<LaunchResult>();
}

Result<Done> HostedRuntime::queueUpload(const QueuedUpload &upload, std::stop_token stop)
{
    SW_TRY(const DeviceBufferId hosts, m_device->hostBuffer(upload.buffer));
    SW_TRY(const HostSession session, m_device->session());
    SW_CHECK(m_device->process().queueUpload(session, {.buffer = hosts, .offset = upload.offset, .bytes = upload.bytes}, stop));
    ++m_queued;
    m_mayBeBusy = true;
    return Done{};
}

// A host that is gone has nothing queued, and a new one would know nothing of it.
Result<Collected> HostedRuntime::collect(std::size_t count, std::stop_token stop)
{
    const std::size_t queued = std::exchange(m_queued, 0);
    const std::size_t wanted = std::min(count, queued);
    if (queued == 0)
        return Collected();
    if (!m_device->hasHost())
        return Diagnostic::error(Code::Run, {}, "the process that ran the queued kernels has ended");
    SW_TRY(const HostSession session, m_device->session());
    SW_TRY(const std::string reply, m_device->process().call(HostCall::Collect, packed(session, std::uint64_t{wanted}), stop));
    Collected collected;
    if (!unpack(reply, collected) || collected.results.size() > wanted ||
        (collected.errors.empty() && collected.results.size() != wanted))
        return Diagnostic::error(Code::Run, {}, "the host's answer cannot be read");
    if (collected.errors.empty())
        m_queued = queued - wanted;
    return collected;
}

class HostedBackend final : public Backend {
public:
    HostedBackend(std::string id, std::unique_ptr<Renderer> renderer, std::filesystem::path program, HostPatience patience)
        : m_id(std::move(id)),
          m_renderer(std::move(renderer)),
          m_process(std::make_shared<HostProcess>(std::move(program), m_id, patience))
    {
    }
    [[nodiscard]] std::string_view id() const override { return m_id; }
    [[nodiscard]] Result<std::vector<DeviceInfo>> probe() override;
    [[nodiscard]] const Renderer &renderer() const override { return *m_renderer; }
    [[nodiscard]] Result<Opened> open(const DeviceInfo &device, const DeviceOptions &options) override;

private:
    std::string m_id;
    std::unique_ptr<Renderer> m_renderer;
    std::shared_ptr<HostProcess> m_process;
    std::mutex m_mutex;
    std::vector<DeviceInfo> m_devices; // cached: the devices of a machine do not change while we run
};

Result<std::vector<DeviceInfo>> HostedBackend::probe()
{
    const std::scoped_lock lock(m_mutex);
    if (!m_devices.empty())
        return m_devices;
    SW_TRY(const std::string reply, m_process->call(HostCall::Probe, {}));
    std::vector<DeviceInfo> devices;
    if (!unpack(reply, devices))
        return Diagnostic::error(Code::DeviceUnavailable, {}, "the answer of the host of {} cannot be read", m_id);
    m_devices = devices;
    return devices;
}

Result<Backend::Opened> HostedBackend::open(const DeviceInfo &device, const DeviceOptions &options)
{
    SW_TRY(const auto opened, HostedDevice::open(m_process, device, options));
    return Opened{std::make_unique<HostedCompiler>(opened), std::make_unique<HostedRuntime>(opened)};
}

} // namespace

std::unique_ptr<Backend> makeHostedBackend(std::string id, std::unique_ptr<Renderer> renderer, std::filesystem::path program,
                                           HostPatience patience)
{
    return std::make_unique<HostedBackend>(std::move(id), std::move(renderer), std::move(program), patience);
}

void addHostedBackends(BackendRegistry &registry, const std::filesystem::path &program)
{
    registry.add(makeInterpreterBackend());
    registry.add(makeHostedBackend("llvm", std::make_unique<LlvmRenderer>(), program));
    registry.add(makeHostedBackend("c", std::make_unique<CRenderer>(), program));
    registry.add(makeHostedBackend("opencl", std::make_unique<OpenClRenderer>(), program));
}

} // namespace sw
