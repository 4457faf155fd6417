#include "app/commands/other_request.h"

#include <array>

namespace sw::command {

namespace {

constexpr auto kSideOptions =
    optionsOf(std::array{kDeviceOption, kInputOption, kDimensionOption, kThreadsOption, kOverridesOption}, kSwitchOptions);

} // namespace

Result<CompileRequest> otherRequest(const Arguments &arguments, const Environment &environment, CompileUntil until)
{
    std::vector<std::string> words{"--", arguments.positional().back()};
    SW_TRY(const std::vector<std::string> with, wordsIn("--with", arguments.value("--with", {})));
    words.insert(words.begin(), with.begin(), with.end());
    SW_TRY(const Arguments own, Arguments::parse(with, kSideOptions));
    if (!own.positional().empty())
        return Diagnostic::error(Code::Argument, {}, "--with takes options, not {}", sw::quoted(own.positional().front()));
    for (const OptionInfo &option : kSideOptions)
        for (const std::string &value : arguments.values(option.name)) {
            const bool isReplaced = own.has(option.name) && option.count == OptionCount::Once;
            if (isReplaced)
                continue;
            words.insert(words.begin(), std::string(option.name));
            if (!option.value.empty())
                words.insert(words.begin() + 1, value);
        }
    SW_TRY(const Arguments all, Arguments::parse(words, kSideOptions));
    return requestOf(all, environment, until);
}

} // namespace sw::command
