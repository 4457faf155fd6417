#include "app/commands/commands.h"
#include "app/commands/common.h"
#include "app/commands/execution.h"
#include "engine/api/reproduce/reproducer.h"

#include <algorithm>
#include <filesystem>

namespace sw::command {

namespace {

// As a word of a shell of the POSIX kind.
std::string quotedWord(const std::string &word)
{
    const auto isPlain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("_-+=./:,@%").find(c) != std::string_view::npos;
    };
    if (!word.empty() && std::ranges::all_of(word, isPlain))
        return word;
    std::string quoted = "'";
    for (const char c : word)
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

std::string commandOf(const Arguments &arguments)
{
    std::string text = "stepwellc reproduce " + quotedWord(arguments.positional().front());
    for (const char *option :
         {"--kernel", "-o", "--device", "--input", "--seed", "--dim", "--threads", "--overrides", "--code", "--limit"})
        for (const std::string &value : arguments.values(option))
            text += format(" {} {}", option, quotedWord(value));
    for (const OptionInfo &option : kSwitchOptions)
        if (arguments.has(option.name))
            text += format(" {}", option.name);
    return text;
}

} // namespace

Outcome reproduce(const Arguments &arguments, const Environment &environment)
{
    const std::string folder = arguments.value("-o", {});
    if (folder.empty())
        return usageFailed({Diagnostic::error(Code::Argument, {}, "a folder is needed: -o FOLDER")});
    if (const Result<Done> isFree = checkFolderIsFree(folder); !isFree)
        return failed(isFree.error());
    const Result<CompileRequest> request = requestOf(arguments, environment, CompileUntil::Machine);
    if (!request)
        return requestFailed(request.error());
    const Result<std::uint64_t> seed = seedOf(arguments);
    if (!seed)
        return usageFailed(seed.error());
    const Result<std::chrono::milliseconds> limit = limitFrom(arguments);
    if (!limit)
        return usageFailed(limit.error());

    ProgramCompiler compiler(registryFor(arguments, *request, environment));
    const Compilation compilation = compileToLookAt(compiler, *request, environment.stop);
    Outcome outcome = failed(compilation.diagnostics);
    // A kernel that the device's compiler refuses can be reproduced, too.
    if (compilation.code == nullptr || compilation.cancelled)
        return outcome;
    const Result<KernelId> kernel = wantedKernel(arguments, *compilation.schedule);
    if (!kernel)
        return usageFailed(kernel.error());
    const Result<std::vector<FolderFile>> files =
        reproducerOf(compiler, *request, compilation,
                     {.kernel = *kernel,
                      .inputs = runInputsOf(*request, compilation, *seed),
                      .program = std::filesystem::path(request->program.fileName).filename().string(),
                      .command = commandOf(arguments),
                      .limit = *limit},
                     environment.stop);
    if (!files)
        return failed(files.error());
    if (const Result<Done> written = writeWholeFolder(folder, *files); !written)
        return failed(written.error());
    outcome.output = format("{} of {} is written to {}; build and run it: sh {}/build.sh && cd {} && ./reproduce\n",
                            compilation.schedule->kernel(*kernel).name, request->program.fileName, folder, quotedWord(folder),
                            quotedWord(folder));
    return outcome;
}

} // namespace sw::command
