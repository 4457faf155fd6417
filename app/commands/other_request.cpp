#include "app/commands/other_request.h"

#include <array>
#include <utility>

namespace sw::command {

namespace {

constexpr std::array kSideOptions{kDeviceOption,    kInputOption,  kDimensionOption, kThreadsOption,
                                  kOverridesOption, kNoFuseOption, kNoOptimizeOption};

// Words between blanks; quotes keep blanks.
Result<std::vector<std::string>> wordsOf(const std::string &text)
{
    std::vector<std::string> words;
    std::string word;
    char quote = '\0';
    bool isWord = false;
    for (const char c : text) {
        if (quote == '\0' && (c == '"' || c == '\'')) {
            quote = c;
            isWord = true;
        } else if (quote != '\0' && c == quote) {
            quote = '\0';
        } else if (quote == '\0' && (c == ' ' || c == '\t')) {
            if (std::exchange(isWord, false))
                words.push_back(std::exchange(word, {}));
        } else {
            word += c;
            isWord = true;
        }
    }
    if (quote != '\0')
        return Diagnostic::error(Code::Argument, {}, "--with is {}: a quote has no end", sw::quoted(text));
    if (isWord)
        words.push_back(word);
    return words;
}

} // namespace

Result<CompileRequest> otherRequest(const Arguments &arguments, const Environment &environment, CompileUntil until)
{
    std::vector<std::string> words{"--", arguments.positional().back()};
    SW_TRY(const std::vector<std::string> with, wordsOf(arguments.value("--with", {})));
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
