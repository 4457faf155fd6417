// stepwellc: the compiler on the command line.

#include "app/commands/command.h"
#include "app/commands/progress_line.h"
#include "engine/api/resources.h"
#include "engine/backend/host/host_process.h"
#include "engine/backend/host/hosted_backend.h"
#include "engine/backend/native_backends.h"
#include "engine/base/cache_folder.h"
#include "engine/execute/figures_store.h"

#include <csignal>
#include <cstdio>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

// The first Ctrl+C asks the command to stop, which then tells what it has. The second one ends the program. To be called before
// there are other threads, which then leave the signal to this one.
std::stop_token stopOnInterrupt()
{
    sigset_t interrupt;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    pthread_sigmask(SIG_BLOCK, &interrupt, nullptr);
    std::stop_source source;
    std::thread([interrupt, source]() mutable {
        int signal = 0;
        sigwait(&interrupt, &signal);
        source.request_stop();
        pthread_sigmask(SIG_UNBLOCK, &interrupt, nullptr);
        while (true)
            pause();
    }).detach();
    return source.get_token();
}

} // namespace

int main(int argumentCount, char **arguments)
{
    const std::stop_token stop = stopOnInterrupt();
    sw::BackendRegistry registry;
    sw::addNativeBackends(registry, sw::findHostProgram(), sw::cacheFolder() / "kernels");
    sw::BackendRegistry hosted; // starts no process before a command needs it
    sw::addHostedBackends(hosted, sw::findHostProgram());
    const std::vector<std::string> words(arguments + 1, arguments + argumentCount);
    const sw::FiguresStore figures(sw::cacheFolder() / "figures");
    sw::WorkProgress progress;
    const sw::command::Outcome outcome = [&] {
        std::optional<sw::command::ProgressLine> line;
        if (::isatty(STDERR_FILENO) != 0)
            line.emplace(progress, [](std::string_view text) {
                std::fwrite(text.data(), 1, text.size(), stderr);
                std::fflush(stderr);
            });
        return sw::command::runCommand(words, {registry, sw::findResourceFolder(), stop, &figures, &hosted, &progress});
    }();
    std::fwrite(outcome.output.data(), 1, outcome.output.size(), stdout);
    std::fwrite(outcome.errors.data(), 1, outcome.errors.size(), stderr);
    // A reader that closed the pipe is no error here; a full disk is.
    const bool isWritten = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    // What was interrupted may be incomplete.
    const bool isWhole = outcome.exitCode != sw::command::ExitCode::Success || !stop.stop_requested();
    return isWritten && isWhole ? static_cast<int>(outcome.exitCode) : 1;
}
