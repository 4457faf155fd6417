#include "app/commands/command.h"

#include "app/commands/common.h"
#include "engine/pipeline/runner.h"

#include <algorithm>
#include <exception>

namespace sw::command {

namespace {

std::string overviewText()
{
    std::string text = "usage: stepwellc COMMAND ...\n\n";
    for (const CommandInfo &command : allCommands())
        text += format("  {:<9}  {}\n", command.name, command.doc);
    return text + "\nstepwellc COMMAND --help lists a command's options.\n"
                  "FILE is a program (.sw), an ONNX model (.onnx), a graph or lowered text (.graph, .lowered), or a session "
                  "(.stepwell).\n"
                  "Exit codes: 0 success, 1 an error in the program or the run, 2 usage, 3 not supported or not available, "
                  "4 results differ; diff: 0 no difference, 1 differences, 2 or 3 trouble.\n";
}

std::string helpText(const CommandInfo &command)
{
    std::string text = format("usage: stepwellc {} {}\n\n{}\n", command.name, command.usage, command.doc);
    if (!command.options.empty())
        text += "\n";
    for (const OptionInfo &option : command.options)
        text += format("  {:<28}  {}\n",
                       option.value.empty() ? std::string(option.name) : format("{} {}", option.name, option.value), option.doc);
    return text;
}

bool isHelp(const std::string &word)
{
    return word == "--help" || word == "-h";
}

Outcome usageError(const std::string &message, const std::string &hint)
{
    return usageFailed({Diagnostic::error(Code::Argument, {}, "{}", message).withHint(hint)});
}

Outcome runParsed(const CommandInfo &command, const Arguments &arguments, const Environment &environment)
{
    try {
        return command.run(arguments, environment);
    } catch (const std::exception &exception) {
        return failed({diagnosticOf(exception)});
    }
}

} // namespace

Outcome runCommand(std::span<const std::string> words, const Environment &environment)
{
    if (words.empty())
        return {ExitCode::Usage, {}, overviewText()};
    if (isHelp(words.front()) || words.front() == "help")
        return {ExitCode::Success, overviewText(), {}};
    const std::span<const CommandInfo> all = allCommands();
    const auto command = std::ranges::find(all, words.front(), &CommandInfo::name);
    if (command == all.end())
        return usageError(format("unknown command {}", sw::quoted(words.front())), "stepwellc --help lists the commands");
    const std::span<const std::string> rest = words.subspan(1);
    if (std::any_of(rest.begin(), rest.end(), isHelp))
        return {ExitCode::Success, helpText(*command), {}};

    const std::string hint = format("usage: stepwellc {} {}", command->name, command->usage);
    Result<Arguments> arguments = Arguments::parse(rest, command->options);
    if (!arguments)
        return usageError(arguments.error().front().message, hint);
    const std::size_t files = arguments->positional().size();
    if (files < command->minFiles)
        return usageError(format("{} needs a file", command->name), hint);
    if (files > command->maxFiles)
        return usageError(format("unexpected argument {}", sw::quoted(arguments->positional()[command->maxFiles])), hint);
    return runParsed(*command, *arguments, environment);
}

} // namespace sw::command
