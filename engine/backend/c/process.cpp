#include "engine/backend/c/process.h"

#include "engine/base/descriptor.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sw {

namespace {

constexpr std::chrono::milliseconds kLookInterval{20}; // how often to check for a stop

struct Channel {
    Descriptor ours;
    Descriptor theirs;
};

// A socket instead of a pipe: writing to a socket without a reader is an error, not a signal.
Result<Channel> openChannel()
{
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        return Diagnostic::error(Code::Run, {}, "no channel to another process: {}", std::strerror(errno));
    return Channel{Descriptor(ends[0]), Descriptor(ends[1])};
}

struct Child {
    pid_t id = -1;
    Channel input, output, errors;
};

Result<Child> start(const std::vector<std::string> &command)
{
    Child child;
    SW_TRY(child.input, openChannel());
    SW_TRY(child.output, openChannel());
    SW_TRY(child.errors, openChannel());
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, child.input.theirs.get(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, child.output.theirs.get(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, child.errors.theirs.get(), STDERR_FILENO);
    std::vector<char *> arguments;
    for (const std::string &word : command)
        arguments.push_back(const_cast<char *>(word.c_str())); // the interface is older than const
    arguments.push_back(nullptr);
    const int error = posix_spawn(&child.id, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0)
        return Diagnostic::error(Code::DeviceUnavailable, {}, "{} cannot be started: {}", command[0], std::strerror(error));
    child.input.theirs.close();
    child.output.theirs.close();
    child.errors.theirs.close();
    return child;
}

// Reads what is available; closes the descriptor at the end of the stream.
void receive(Descriptor &from, std::string &into)
{
    std::array<char, 65536> buffer;
    const ssize_t count = recv(from.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (count > 0)
        into.append(buffer.data(), static_cast<std::size_t>(count));
    else if (count == 0 || (errno != EAGAIN && errno != EINTR))
        from.close();
}

void send(Descriptor &to, std::string_view &rest)
{
    const ssize_t count = ::send(to.get(), rest.data(), rest.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count > 0)
        rest.remove_prefix(static_cast<std::size_t>(count));
    else if (errno != EAGAIN && errno != EINTR)
        rest = {};
    if (rest.empty())
        to.close();
}

// False: stopped, or too late.
bool exchange(Child &child, std::string_view input, ProcessOutput &made, std::chrono::steady_clock::time_point deadline,
              const std::stop_token &stop)
{
    if (input.empty())
        child.input.ours.close();
    while (child.output.ours.isOpen() || child.errors.ours.isOpen()) {
        if (stop.stop_requested() || std::chrono::steady_clock::now() > deadline)
            return false;
        // poll skips negative descriptors, which are the closed ones.
        std::array<pollfd, 3> watched = {pollfd{child.input.ours.get(), POLLOUT, 0}, pollfd{child.output.ours.get(), POLLIN, 0},
                                         pollfd{child.errors.ours.get(), POLLIN, 0}};
        if (poll(watched.data(), watched.size(), static_cast<int>(kLookInterval.count())) <= 0)
            continue;
        if (watched[0].revents != 0)
            send(child.input.ours, input);
        if (watched[1].revents != 0)
            receive(child.output.ours, made.output);
        if (watched[2].revents != 0)
            receive(child.errors.ours, made.errors);
    }
    return true;
}

int waitFor(pid_t id)
{
    int status = 0;
    while (waitpid(id, &status, 0) < 0 && errno == EINTR) {}
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

} // namespace

std::optional<std::filesystem::path> findProgram(std::string_view name)
{
    const auto isProgram = [](const std::filesystem::path &path) { return access(path.c_str(), X_OK) == 0; };
    if (name.find('/') != std::string_view::npos)
        return isProgram(name) ? std::optional<std::filesystem::path>(name) : std::nullopt;
    const char *variable = std::getenv("PATH");
    std::string_view folders = variable == nullptr ? std::string_view() : std::string_view(variable);
    while (!folders.empty()) {
        const std::size_t end = std::min(folders.find(':'), folders.size());
        const auto candidate = std::filesystem::path(folders.substr(0, end)) / name;
        if (isProgram(candidate))
            return candidate;
        folders.remove_prefix(std::min(end + 1, folders.size()));
    }
    return std::nullopt;
}

Result<ProcessOutput> runProcess(const std::vector<std::string> &command, std::string_view input,
                                 std::chrono::milliseconds longest, std::stop_token stop)
{
    SW_TRY(Child child, start(command));
    ProcessOutput made;
    const bool isComplete = exchange(child, input, made, std::chrono::steady_clock::now() + longest, stop);
    if (!isComplete)
        kill(child.id, SIGKILL);
    made.exitCode = waitFor(child.id);
    if (isComplete)
        return made;
    if (stop.stop_requested())
        return Diagnostic::error(Code::Cancelled, {}, "{} was stopped", command[0]);
    return Diagnostic::error(Code::Compile, {}, "{} took longer than {} ms", command[0], longest.count());
}

} // namespace sw
