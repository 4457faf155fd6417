// stepwellc: the compiler on the command line.

#include "app/commands/command.h"
#include "engine/api/resources.h"
#include "engine/backend/host/host_process.h"
#include "engine/backend/host/hosted_backend.h"
#include "engine/backend/native_backends.h"
#include "engine/base/cache_folder.h"
#include "engine/execute/figures_store.h"

#include <cstdio>
#include <string>
#include <vector>

int main(int argumentCount, char **arguments)
{
    sw::BackendRegistry registry;
    sw::addNativeBackends(registry, sw::findHostProgram());
    sw::BackendRegistry hosted; // starts no process before a command needs it
    sw::addHostedBackends(hosted, sw::findHostProgram());
    const std::vector<std::string> words(arguments + 1, arguments + argumentCount);
    const sw::FiguresStore figures(sw::cacheFolder() / "figures");
    const sw::command::Outcome outcome =
        sw::command::runCommand(words, {registry, sw::findResourceFolder(), {}, &figures, &hosted});
    std::fwrite(outcome.output.data(), 1, outcome.output.size(), stdout);
    std::fwrite(outcome.errors.data(), 1, outcome.errors.size(), stderr);
    // A reader that closed the pipe is no error here; a full disk is.
    const bool isWritten = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    return isWritten ? static_cast<int>(outcome.exitCode) : 1;
}
