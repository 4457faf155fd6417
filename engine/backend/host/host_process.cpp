#include "engine/backend/host/host_process.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <utility>

extern char **environ;

namespace sw {

namespace {

constexpr std::chrono::milliseconds kLookInterval{10}; // how often to check for a stop
constexpr std::chrono::milliseconds kEndTime{2000};    // how long a host may take to end after its socket closes
constexpr std::string_view kStartedAnew = "it is started anew when it is needed";

std::string_view doing(HostCall call)
{
    switch (call) {
    case HostCall::Probe:
        return "looking for devices";
    case HostCall::Open:
        return "opening a device";
    case HostCall::Compile:
    case HostCall::CrossCode:
    case HostCall::Passes:
    case HostCall::Finish:
        return "compiling";
    case HostCall::MachineCode:
        return "reading machine code";
    case HostCall::Allocate:
    case HostCall::View:
        return "allocating memory";
    case HostCall::Upload:
    case HostCall::Download:
    case HostCall::Copy:
    case HostCall::QueueUpload:
        return "copying memory";
    case HostCall::Synchronize:
    case HostCall::Launch:
    case HostCall::Submit:
    case HostCall::Collect:
        return "running a kernel";
    case HostCall::Record:
    case HostCall::Recorded:
        return "recording";
    case HostCall::Close:
    case HostCall::Release:
    case HostCall::Free:
        return "freeing memory";
    case HostCall::Cancel:
    case HostCall::Assist:
    case HostCall::Progress:
    case HostCall::Reply:
        return "answering";
    }
    SW_UNREACHABLE();
}

bool isAboutCode(HostCall call)
{
    return call == HostCall::Compile || call == HostCall::MachineCode || call == HostCall::CrossCode || call == HostCall::Passes;
}

Code codeOf(HostCall call)
{
    return call == HostCall::Probe ? Code::DeviceUnavailable : isAboutCode(call) ? Code::Compile : Code::Run;
}

// Submit and QueueUpload wait when much is queued.
bool isRunning(HostCall call)
{
    return call == HostCall::Launch || call == HostCall::Submit || call == HostCall::QueueUpload || call == HostCall::Collect ||
           call == HostCall::Synchronize;
}

bool isQuick(HostCall call)
{
    return !isAboutCode(call) && call != HostCall::Finish && !isRunning(call);
}

std::string endOf(int status)
{
    if (WIFSIGNALED(status)) {
        const char *name = sigdescr_np(WTERMSIG(status));
        return format("was ended by signal {} ({})", WTERMSIG(status), name == nullptr ? "unknown" : name);
    }
    return format("ended with code {}", WEXITSTATUS(status));
}

// The descriptor numbers that the host uses must be free in this process during the handover.
Result<Descriptor> outOfTheWay(Descriptor descriptor)
{
    constexpr int kHigh = 16;
    Descriptor moved(fcntl(descriptor.get(), F_DUPFD_CLOEXEC, kHigh));
    if (!moved.isOpen())
        return Diagnostic::error(Code::Run, {}, "no descriptor for another process: {}", std::strerror(errno));
    return moved;
}

// Starts the host in its own process group, which is killed together with the compilers that the host has started; with no signal
// blocked, whichever thread this is, and with no file of ours except those it is given.
int spawned(pid_t &id, const std::filesystem::path &program, const std::string &backend, int socket, int memory)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, socket, kHostSocket);
    posix_spawn_file_actions_adddup2(&actions, memory, kHostMemory);
    posix_spawn_file_actions_addclosefrom_np(&actions, kHostMemory + 1);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    std::string name = program.string();
    std::string argument = backend;
    char *const arguments[] = {name.data(), argument.data(), nullptr};
    const int error = posix_spawn(&id, name.c_str(), &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

// Waits for a process that was told to end and returns its status; kills the process if it does not end.
int reap(pid_t id, std::chrono::milliseconds patience)
{
    int status = 0;
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (waitpid(id, &status, WNOHANG) == 0) {
        if (std::chrono::steady_clock::now() >= deadline) {
            kill(-id, SIGKILL);
            while (waitpid(id, &status, 0) < 0 && errno == EINTR) {}
            return status;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return status;
}

} // namespace

HostProcess::HostProcess(std::filesystem::path program, std::string backend, HostPatience patience)
    : m_program(std::move(program)), m_backend(std::move(backend)), m_patience(patience)
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

void HostProcess::forgetIfDead()
{
    if (m_running && waitpid(m_running->id, nullptr, WNOHANG) != 0)
        m_running.reset();
}

Result<Done> HostProcess::start()
{
    forgetIfDead();
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
    if (body.size() > kLargestBody)
        return Diagnostic::error(Code::Limit, {}, "{} takes {} bytes of text at once; at most {} are possible", doing(call),
                                 body.size(), kLargestBody);
    m_crash = {};
    const std::uint32_t number = m_nextNumber++;
    if (!m_running->socket.send({call, number, body}))
        return reportDeath(call);
    switch (awaitReply(call, number, stop)) {
    case Waited::Arrived:
        return readReply(call, number, stop);
    case Waited::TooLong:
        endHost();
        return Diagnostic::error(codeOf(call), {}, "the process that runs {} did not answer within {} ms while {}", m_backend,
                                 m_patience.quick.count(), doing(call))
            .withHint(std::string(kStartedAnew));
    case Waited::Cancelled:
        endHost();
        return Diagnostic::error(Code::Cancelled, {}, "{} was stopped", doing(call));
    }
    SW_UNREACHABLE();
}

HostProcess::Waited HostProcess::awaitReply(HostCall call, std::uint32_t number, const std::stop_token &stop)
{
    using Clock = std::chrono::steady_clock;
    Clock::time_point deadline = isQuick(call) ? Clock::now() + m_patience.quick : Clock::time_point::max();
    bool isCancelled = false;
    while (!m_running->socket.waitFor(kLookInterval)) {
        if (Clock::now() > deadline)
            return isCancelled ? Waited::Cancelled : Waited::TooLong;
        if (isCancelled || !stop.stop_requested())
            continue;
        isCancelled = true;
        deadline = Clock::now() + m_patience.cancelled;
        static_cast<void>(m_running->socket.send({HostCall::Cancel, number, {}})); // the wait for its reply shows if it is gone
    }
    return Waited::Arrived;
}

Result<std::string> HostProcess::readReply(HostCall call, std::uint32_t number, const std::stop_token &stop)
{
    Result<std::optional<HostMessage>> reply = m_running->socket.receive();
    if (!reply) {
        endHost();
        return reply.failure();
    }
    if (!*reply) {
        Diagnostic death = reportDeath(call);
        if (stop.stop_requested())
            return Diagnostic::error(Code::Cancelled, {}, "{} was stopped", doing(call));
        return death;
    }
    std::string &answer = (*reply)->body;
    WireReader reader(answer);
    Diagnostics errors;
    reader(errors);
    if ((*reply)->call != HostCall::Reply || (*reply)->number != number || reader.hasFailed()) {
        endHost();
        return Diagnostic::error(codeOf(call), {}, "the process that runs {} answered what cannot be read while {}", m_backend,
                                 doing(call))
            .withHint(std::string(kStartedAnew));
    }
    if (!errors.empty())
        return Failure(std::move(errors));
    return answer.substr(answer.size() - reader.rest().size());
}

void HostProcess::endHost()
{
    const pid_t id = m_running->id;
    kill(-id, SIGKILL);
    m_running.reset();
    reap(id, kEndTime);
}

Diagnostic HostProcess::reportDeath(HostCall call)
{
    const pid_t id = m_running->id;
    const StagingMemory shared = std::move(m_running->staging); // a copy of the note could be made too early
    m_running.reset();
    const std::string end = endOf(reap(id, kEndTime));
    m_crash = shared.crashNote();
    const std::string note = toText(m_crash);
    return Diagnostic::error(codeOf(call), {}, "the process that runs {} {} while {}{}", m_backend, end, doing(call),
                             note.empty() ? "" : ": " + note)
        .withHint(std::string(kStartedAnew));
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

Result<Done> HostProcess::queueUpload(HostSession session, const QueuedUpload &upload, const std::stop_token &stop)
{
    const std::scoped_lock lock(m_mutex);
    SW_CHECK(start());
    std::size_t at = 0;
    do { // no bytes are a part, too
        const std::span<const std::byte> part = upload.bytes.subspan(at, std::min(kStagingBytes, upload.bytes.size() - at));
        std::ranges::copy(part, m_running->staging.bytes().begin());
        const BufferPart place{upload.buffer, upload.offset + static_cast<std::int64_t>(at), part.size()};
        at += part.size();
        SW_CHECK(callLocked(HostCall::QueueUpload, packed(session, place, at == upload.bytes.size()), stop));
    } while (at < upload.bytes.size());
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

CrashNote HostProcess::takeCrash()
{
    const std::scoped_lock lock(m_mutex);
    return std::exchange(m_crash, {});
}

Result<std::uint64_t> HostProcess::generation()
{
    const std::scoped_lock lock(m_mutex);
    SW_CHECK(start());
    return m_generation;
}

bool HostProcess::isRunning(std::uint64_t generation)
{
    const std::scoped_lock lock(m_mutex);
    forgetIfDead();
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
