#include "app/commands/commands.h"
#include "app/commands/sessions.h"

namespace sw::command {

Outcome save(const Arguments &arguments, const Environment &environment)
{
    const std::string file = arguments.value("-o", {});
    if (file.empty() || !isSessionFile(file))
        return usageFailed({Diagnostic::error(Code::Argument, {}, "save needs -o OUT{}", kSessionEnding)});
    const Result<Reported> reported = reportOf(arguments, environment, arguments.has("--no-run") ? Runs::No : Runs::Yes);
    if (!reported)
        return requestFailed(reported.error());
    const Result<SessionContents> contents = contentsOf(*reported, environment.stop);
    if (!contents)
        return failed(contents.error());
    if (const Result<Done> saved = saveSession(*contents, file, Durability::Synced); !saved)
        return failed(saved.error());
    Outcome outcome = messagesOf(*reported->report); // also a program with errors is worth keeping
    if (!contents->program)
        outcome.errors +=
            format("{}: warning: the program of {} bytes is not in it, only its digest\n", file, contents->programBytes);
    return outcome;
}

} // namespace sw::command
