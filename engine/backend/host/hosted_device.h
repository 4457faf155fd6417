#pragma once
// A device that is open in a host, with everything needed to open it again.

#include "engine/backend/host/host_process.h"

#include <map>

namespace sw {

class HostedDevice {
public:
    static Result<std::shared_ptr<HostedDevice>> open(std::shared_ptr<HostProcess> process, DeviceInfo device,
                                                      const DeviceOptions &options);
    ~HostedDevice();
    HostedDevice(const HostedDevice &) = delete;
    HostedDevice &operator=(const HostedDevice &) = delete;

    [[nodiscard]] HostProcess &process() { return *m_process; }
    // The device's session in the running host; starts the host and opens the device if needed.
    Result<HostSession> session();
    // See Runtime.
    [[nodiscard]] bool queuesUploads() const { return m_queuesUploads; }
    // Whether the host that the last session was with is still running.
    [[nodiscard]] bool hasHost() const { return m_generation != 0 && m_process->isRunning(m_generation); }

    std::vector<Result<Artifact>> compile(std::span<const RenderedSource> sources, const std::stop_token &stop);
    Result<MachineCode> machineCode(ArtifactId artifact);
    Result<MachineCode> crossCode(const RenderedSource &source, const std::string &target);
    Result<std::vector<CompilerPass>> passes(const RenderedSource &source);
    // Where in its source the kernel was when it ended the host just now: "at line 7 of its source: x[i] = 1;". Empty: unknown.
    std::string lineOfCrash(ArtifactId artifact);
    Result<Done> finishCompiling(const std::stop_token &stop);
    void release(ArtifactId artifact);
    // See WorkRecorder.
    Result<Done> startRecording(HostPart part, WithCounters counters);
    Result<RecordedWork> takeRecorded(HostPart part);
    // The running host's id of a kernel that was compiled for us by this host or an earlier one.
    Result<ArtifactId> hostArtifact(ArtifactId artifact, const std::stop_token &stop);

    // A buffer remembers the generation of the host that holds it.
    DeviceBufferId keepBuffer(DeviceBufferId hosts);
    void forgetBuffer(DeviceBufferId buffer);
    // Errors: the buffer was lost with its host.
    Result<DeviceBufferId> hostBuffer(DeviceBufferId buffer);

private:
    struct KnownArtifact {
        RenderedSource source;
        ArtifactId hosts;
        std::uint64_t generation = 0;
    };
    struct KnownBuffer {
        DeviceBufferId hosts;
        std::uint64_t generation = 0;
    };

    HostedDevice(std::shared_ptr<HostProcess> process, DeviceInfo device, const DeviceOptions &options)
        : m_process(std::move(process)), m_device(std::move(device)), m_options(options)
    {
    }
    Result<std::vector<CompileOutcome>> compileInHost(std::span<const RenderedSource> sources, const std::stop_token &stop);

    std::shared_ptr<HostProcess> m_process;
    DeviceInfo m_device;
    DeviceOptions m_options;
    HostSession m_session = 0;
    std::uint64_t m_generation = 0; // of the host that m_session belongs to; 0: none yet
    bool m_queuesUploads = false;
    std::map<ArtifactId, KnownArtifact> m_artifacts;
    std::map<DeviceBufferId, KnownBuffer> m_buffers;
    std::uint32_t m_nextArtifact = 0;
    std::uint32_t m_nextBuffer = 0;
};

} // namespace sw
