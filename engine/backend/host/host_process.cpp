#include "engine/backend/host/host_process.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>

extern char **environ;

namespace sw {

namespace {

constexpr std::chrono::milliseconds kLookInterval{10}; // how often a stop is noticed
constexpr std::chrono::milliseconds kGraceTime{3000};  // for a cancelled call to come back
constexpr std::chrono::milliseconds kEndTime{2000};    // for a host to end whose socket is closed

std::string_view doing(HostCall call)
{
    switch (call) {
    case HostCall::Probe:
        return "looking for devices";
    case HostCall::Open:
        return "opening a device";
    case HostCall::Compile:
        return "compiling";
    case HostCall::Allocate:
        return "allocating memory";
    case HostCall::Upload:
    case HostCall::Download:
    case HostCall::Copy:
        return "copying memory";
    case HostCall::Launch:
        return "running a kernel";
    case HostCall::Close:
    case HostCall::Release:
    case HostCall::Free:
        return "freeing memory";
    case HostCall::Cancel:
    case HostCall::Reply:
        return "answering";
    }
    SW_UNREACHABLE();
}

std::string endOf(int status)
{
    if (WIFSIGNALED(status)) {
        const char *name = sigdescr_np(WTERMSIG(status));
        return format("was ended by signal {} ({})", WTERMSIG(status), name == nullptr ? "unknown" : name);
    }
    return format("ended with code {}", WEXITSTATUS(status));
}

// The numbers under which the host finds its files must be free in this process while they are handed over.
Result<Descriptor> outOfTheWay(Descriptor descriptor)
{
    constexpr int kHigh = 16;
    Descriptor moved(fcntl(descriptor.get(), F_DUPFD_CLOEXEC, kHigh));
    if (!moved.isOpen())
        return Diagnostic::error(Code::Run, {}, "no descriptor for another process: {}", std::strerror(errno));
    return moved;
}

int spawned(pid_t &id, const std::filesystem::path &program, const std::string &backend, int socket, int memory)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, socket, kHostSocket);
    posix_spawn_file_actions_adddup2(&actions, memory, kHostMemory);
    std::string name = program.string();
    std::string argument = backend;
    char *const arguments[] = {name.data(), argument.data(), nullptr};
    const int error = posix_spawn(&id, name.c_str(), &actions, nullptr, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

// The status of a process that has been told to end; it is made to if it does not.
int reap(pid_t id, std::chrono::milliseconds patience)
{
    int status = 0;
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (waitpid(id, &status, WNOHANG) == 0) {
        if (std::chrono::steady_clock::now() >= deadline) {
            kill(id, SIGKILL);
            while (waitpid(id, &status, 0) < 0 && errno == EINTR) {}
            return status;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return status;
}

} // namespace

HostProcess::HostProcess(std::filesystem::path program, std::string backend)
    : m_program(std::move(program)), m_backend(std::move(backend))
{
}

HostProcess::~HostProcess()
{
    if (!m_running)
        return;
    const pid_t id = m_running->id;
    m_running.reset(); // closes the socket
    reap(id, kEndTime);
}

Result<Done> HostProcess::start()
{
    if (m_running)
        return Done{};
    SW_TRY(SocketPair pair, makeSocketPair());
    SW_TRY(const Descriptor theirs, outOfTheWay(std::move(pair.theirs)));
    SW_TRY(StagingMemory staging, StagingMemory::make());
    SW_TRY(const Descriptor memory, outOfTheWay(Descriptor(fcntl(staging.descriptor(), F_DUPFD_CLOEXEC, 0))));
    pid_t id = 0;
    if (const int error = spawned(id, m_program, m_backend, theirs.get(), memory.get()); error != 0)
        return Diagnostic::error(Code::DeviceUnavailable, {}, "{} cannot be started: {}", m_program.string(),
                                 std::strerror(error))
            .withHint("it is installed beside stepwell; STEPWELL_HOST may name another");
    m_running.emplace(id, MessageSocket(std::move(pair.ours)), std::move(staging));
    ++m_generation;
    return Done{};
}

Result<std::string> HostProcess::call(HostCall call, const std::string &body, const std::stop_token &stop)
{
    const std::scoped_lock lock(m_mutex);
    SW_CHECK(start());
    return callLocked(call, body, stop);
}

Result<std::string> HostProcess::callLocked(HostCall call, const std::string &body, const std::stop_token &stop)
{
    const std::uint32_t number = m_nextNumber++;
    if (!m_running->socket.send({call, number, body}))
        return reportDeath(call);
    Result<std::optional<HostMessage>> reply = awaitReply(number, stop);
    if (!reply) {
        kill(m_running->id, SIGKILL); // what it says is not understood
        static_cast<void>(reportDeath(call));
        return reply.failure();
    }
    if (!*reply) {
        if (!stop.stop_requested())
            return reportDeath(call);
        static_cast<void>(reportDeath(call));
        return Diagnostic::error(Code::Cancelled, {}, "{} was stopped", doing(call));
    }
    const std::string &answer = (*reply)->body;
    WireReader reader(answer);
    Diagnostics errors;
    reader(errors);
    if (!errors.empty())
        return Failure(std::move(errors));
    return answer.substr(packed(errors).size());
}

// Nothing: the host has ended, or was cancelled and did not answer.
Result<std::optional<HostMessage>> HostProcess::awaitReply(std::uint32_t number, const std::stop_token &stop)
{
    std::optional<std::chrono::steady_clock::time_point> deadline;
    while (!m_running->socket.waitFor(stop.stop_possible() ? kLookInterval : std::chrono::milliseconds(-1))) {
        if (deadline && std::chrono::steady_clock::now() > *deadline) {
            kill(m_running->id, SIGKILL);
            return std::optional<HostMessage>();
        }
        if (!stop.stop_requested() || deadline)
            continue;
        deadline = std::chrono::steady_clock::now() + kGraceTime;
        static_cast<void>(m_running->socket.send({HostCall::Cancel, number, {}})); // whether it is gone shows in its answer
    }
    SW_TRY(std::optional<HostMessage> reply, m_running->socket.receive());
    if (reply && (reply->call != HostCall::Reply || reply->number != number))
        return Diagnostic::error(Code::Run, {}, "the host of {} answered another call than this", m_backend);
    return reply;
}

Diagnostic HostProcess::reportDeath(HostCall call)
{
    const pid_t id = m_running->id;
    m_running.reset();
    const std::string end = endOf(reap(id, kEndTime));
    const Code code = call == HostCall::Probe ? Code::DeviceUnavailable : call == HostCall::Compile ? Code::Compile : Code::Run;
    return Diagnostic::error(code, {}, "the process that runs {} {} while {}", m_backend, end, doing(call))
        .withHint("it is started anew when it is needed");
}

Result<Done> HostProcess::upload(HostSession session, DeviceBufferId buffer, std::int64_t offset,
                                 std::span<const std::byte> bytes)
{
    const std::scoped_lock lock(m_mutex);
    SW_CHECK(start());
    for (std::size_t at = 0; at < bytes.size();) {
        const std::span<const std::byte> part = bytes.subspan(at, std::min(kStagingBytes, bytes.size() - at));
        std::memcpy(m_running->staging.bytes().data(), part.data(), part.size());
        SW_CHECK(callLocked(HostCall::Upload,
                            packed(session, BufferPart{buffer, offset + static_cast<std::int64_t>(at), part.size()}), {}));
        at += part.size();
    }
    return Done{};
}

Result<Done> HostProcess::download(HostSession session, DeviceBufferId buffer, std::int64_t offset, std::span<std::byte> bytes)
{
    const std::scoped_lock lock(m_mutex);
    SW_CHECK(start());
    for (std::size_t at = 0; at < bytes.size();) {
        const std::span<std::byte> part = bytes.subspan(at, std::min(kStagingBytes, bytes.size() - at));
        SW_CHECK(callLocked(HostCall::Download,
                            packed(session, BufferPart{buffer, offset + static_cast<std::int64_t>(at), part.size()}), {}));
        std::memcpy(part.data(), m_running->staging.bytes().data(), part.size());
        at += part.size();
    }
    return Done{};
}

Result<std::uint64_t> HostProcess::generation()
{
    const std::scoped_lock lock(m_mutex);
    SW_CHECK(start());
    return m_generation;
}

bool HostProcess::isRunning(std::uint64_t generation) const
{
    const std::scoped_lock lock(m_mutex);
    return m_running && m_generation == generation;
}

pid_t HostProcess::processId() const
{
    const std::scoped_lock lock(m_mutex);
    return m_running ? m_running->id : 0;
}

std::filesystem::path findHostProgram()
{
    if (const char *program = std::getenv("STEPWELL_HOST"); program != nullptr && *program != '\0')
        return program;
    std::error_code error;
    return std::filesystem::read_symlink("/proc/self/exe", error).parent_path() / "stepwell-host";
}

} // namespace sw
