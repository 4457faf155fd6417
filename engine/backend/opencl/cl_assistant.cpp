#include "engine/backend/opencl/cl_assistant.h"

#include <csignal>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>

extern char **environ;

namespace sw {

namespace {

constexpr std::chrono::milliseconds kLookInterval{10}; // how often to check for a stop

// Starts the assistant in the process group of this process, so that it is killed together with a host.
int spawned(pid_t &id, const std::filesystem::path &program, int socket)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, socket, kHostSocket);
    posix_spawn_file_actions_addclosefrom_np(&actions, kHostSocket + 1);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    std::string name = program.string();
    std::string argument(kAssistArgument);
    char *const arguments[] = {name.data(), argument.data(), nullptr};
    const int error = posix_spawn(&id, name.c_str(), &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

} // namespace

bool ClAssistant::isPossible(const AssistantOptions &options)
{
    std::error_code error;
    return !options.program.empty() && std::thread::hardware_concurrency() >= 2 &&
           std::filesystem::exists(options.program, error);
}

std::unique_ptr<ClAssistant> ClAssistant::start(const AssistantOptions &options, const AssistantJob &job)
{
    auto pair = makeSocketPair();
    if (!pair)
        return nullptr;
    // The number at which the assistant finds its socket must be free during the handover.
    constexpr int kHigh = 16;
    const Descriptor theirs(fcntl(pair->theirs.get(), F_DUPFD_CLOEXEC, kHigh));
    pid_t id = 0;
    if (!theirs.isOpen() || spawned(id, options.program, theirs.get()) != 0)
        return nullptr;
    std::unique_ptr<ClAssistant> made(new ClAssistant(id, MessageSocket(std::move(pair->ours)), options.patience));
    pair->theirs.close();
    if (!made->m_socket.send({HostCall::Assist, 0, packed(job.device, job.text, job.symbols)}))
        made->m_hasEnded = true;
    return made;
}

ClAssistant::~ClAssistant()
{
    kill(m_id, SIGKILL);
    while (waitpid(m_id, nullptr, 0) < 0 && errno == EINTR) {}
}

void ClAssistant::read(std::chrono::milliseconds longest)
{
    while (!m_hasEnded && m_socket.waitFor(longest)) {
        const auto message = m_socket.receive();
        if (!message || !*message || (*message)->call != HostCall::Progress) {
            m_hasEnded = true;
            return;
        }
        m_lastNews = std::chrono::steady_clock::now();
        m_isBuilt = true;
        m_begun = (*message)->number;
        longest = std::chrono::milliseconds(0);
    }
    if (std::chrono::steady_clock::now() - m_lastNews > m_patience)
        m_hasEnded = true;
}

void ClAssistant::awaitProgram(const std::stop_token &stop)
{
    while (!m_isBuilt && !m_hasEnded && !stop.stop_requested())
        read(kLookInterval);
}

void ClAssistant::leave(std::size_t kernels)
{
    static_cast<void>(
        m_socket.send({HostCall::Progress, static_cast<std::uint32_t>(kernels), {}})); // reading tells if it is gone
}

std::size_t ClAssistant::begun()
{
    read(std::chrono::milliseconds(0));
    return m_begun;
}

bool ClAssistant::hasEnded()
{
    read(std::chrono::milliseconds(0));
    return m_hasEnded;
}

} // namespace sw
