#pragma once
// The client's side: a stepwell-host process, started by the first call, and started again by the first call after it has died.

#include "engine/backend/host/message_socket.h"
#include "engine/backend/host/staging_memory.h"

#include <filesystem>
#include <mutex>
#include <optional>
#include <stop_token>
#include <sys/types.h>

namespace sw {

// How long to wait for a host before ending it.
struct HostPatience {
    std::chrono::milliseconds cancelled{200}; // for a cancelled call to return
    std::chrono::milliseconds quick{60000};   // for every call except compiling and running, which may take any time
};

class HostProcess {
public:
    HostProcess(std::filesystem::path program, std::string backend, HostPatience patience = {});
    ~HostProcess(); // the host ends too
    HostProcess(const HostProcess &) = delete;
    HostProcess &operator=(const HostProcess &) = delete;

    // Returns the body of the reply. Errors: those in the reply; the host cannot be started; it died during the call, and how; it
    // does not answer or answers nonsense, and was ended for that. Calls wait for each other. A host that died between calls is
    // restarted silently.
    Result<std::string> call(HostCall call, const std::string &body, const std::stop_token &stop = {});

    // Copy bytes to and from a session's buffer through the shared memory.
    Result<Done> upload(HostSession session, DeviceBufferId buffer, std::int64_t offset, std::span<const std::byte> bytes);
    Result<Done> download(HostSession session, DeviceBufferId buffer, std::int64_t offset, std::span<std::byte> bytes);
    // Returns when the host has a copy of the bytes and has queued it.
    Result<Done> queueUpload(HostSession session, const QueuedUpload &upload, const std::stop_token &stop);

    // What the host said of the signal that ended it in the last call that failed; once. All 0: nothing.
    CrashNote takeCrash();

    // How often the host was started, after starting it if it is not running. All that an earlier host had is gone.
    Result<std::uint64_t> generation();
    // Whether the host of that generation is still running, as far as is known.
    [[nodiscard]] bool isRunning(std::uint64_t generation);
    [[nodiscard]] pid_t processId() const; // 0: no host is running

private:
    struct Running {
        pid_t id = 0;
        MessageSocket socket;
        StagingMemory staging;
    };

    Result<Done> start();
    // A host that died between calls concerns nobody: it is forgotten, and restarted when it is needed.
    void forgetIfDead();
    Result<std::string> callLocked(HostCall call, const std::string &body, const std::stop_token &stop);
    enum class Waited : std::uint8_t { Arrived, TooLong, Cancelled };
    [[nodiscard]] Waited awaitReply(HostCall call, std::uint32_t number, const std::stop_token &stop);
    Result<std::string> readReply(HostCall call, std::uint32_t number, const std::stop_token &stop);
    void endHost();
    Diagnostic reportDeath(HostCall call); // and forgets the process

    std::filesystem::path m_program;
    std::string m_backend;
    HostPatience m_patience;
    mutable std::recursive_mutex m_mutex; // guards the members below
    std::optional<Running> m_running;
    CrashNote m_crash;
    std::uint64_t m_generation = 0;
    std::uint32_t m_nextNumber = 0;
};

// The program stepwell-host: the path in the environment variable STEPWELL_HOST, else next to the running program.
[[nodiscard]] std::filesystem::path findHostProgram();

} // namespace sw
