#pragma once
// The other side: a stepwell-host of ours, started when it is first called, and again when it is called after it has died.

#include "engine/backend/host/message_socket.h"
#include "engine/backend/host/staging_memory.h"

#include <filesystem>
#include <mutex>
#include <optional>
#include <stop_token>
#include <sys/types.h>

namespace sw {

// How long a host is waited for before it is ended.
struct HostPatience {
    std::chrono::milliseconds cancelled{200}; // for a call that is cancelled to come back
    std::chrono::milliseconds quick{60000};   // for any call but compiling and running, which take as long as they take
};

class HostProcess {
public:
    HostProcess(std::filesystem::path program, std::string backend, HostPatience patience = {});
    ~HostProcess(); // the host ends too
    HostProcess(const HostProcess &) = delete;
    HostProcess &operator=(const HostProcess &) = delete;

    // The body of the reply. Errors: those of the reply; the host cannot be started; it has died meanwhile, and how; it does not
    // answer, or answers nonsense, and was ended for that. Calls wait for each other. One that died while nothing was asked of it
    // is started anew without a word.
    Result<std::string> call(HostCall call, const std::string &body, const std::stop_token &stop = {});

    // Bytes to and from a buffer of a session, by way of the shared memory.
    Result<Done> upload(HostSession session, DeviceBufferId buffer, std::int64_t offset, std::span<const std::byte> bytes);
    Result<Done> download(HostSession session, DeviceBufferId buffer, std::int64_t offset, std::span<std::byte> bytes);

    // How often the host was started, after starting it if it does not run: what an earlier one had is gone.
    Result<std::uint64_t> generation();
    // Whether the host that was started at that time still runs, as far as is known.
    [[nodiscard]] bool isRunning(std::uint64_t generation);
    [[nodiscard]] pid_t processId() const; // 0: none runs

private:
    struct Running {
        pid_t id = 0;
        MessageSocket socket;
        StagingMemory staging;
    };

    Result<Done> start();
    // A host that died while nobody called it is no news for anybody: it is forgotten, and started anew when it is needed.
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
    mutable std::recursive_mutex m_mutex; // of what follows
    std::optional<Running> m_running;
    std::uint64_t m_generation = 0;
    std::uint32_t m_nextNumber = 0;
};

// The program stepwell-host: what the environment variable STEPWELL_HOST says, else beside the program that runs.
[[nodiscard]] std::filesystem::path findHostProgram();

} // namespace sw
