#include "app/commands/arguments.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace sw::command {

namespace {

Diagnostic usageError(std::string message)
{
    return Diagnostic::error(Code::Argument, {}, "{}", message);
}

Result<OptionInfo> optionNamed(std::string_view name, std::span<const OptionInfo> options)
{
    const auto found =
        std::find_if(options.begin(), options.end(), [&](const OptionInfo &option) { return option.name == name; });
    if (found != options.end())
        return *found;
    return usageError(options.empty() ? format("unknown option {}; this command has none", name)
                                      : format("unknown option {}; there are {}", name,
                                               join(options, ", ", [](const OptionInfo &option) { return option.name; })));
}

} // namespace

Result<Arguments> Arguments::parse(std::span<const std::string> words, std::span<const OptionInfo> options)
{
    Arguments arguments;
    bool onlyPositional = false;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string &word = words[i];
        if (word == "--" && !onlyPositional) {
            onlyPositional = true;
            continue;
        }
        if (onlyPositional || word.size() < 2 || word.front() != '-') {
            arguments.m_positional.push_back(word);
            continue;
        }
        // The forms are "--name value" and "--name=value".
        const std::size_t equals = word.starts_with("--") ? word.find('=') : std::string::npos;
        const std::string name = word.substr(0, equals);
        SW_TRY(const OptionInfo option, optionNamed(name, options));
        if (option.count == OptionCount::Once && arguments.has(name))
            return usageError(format("option {} is given twice", name));
        std::string value;
        if (equals != std::string::npos) {
            if (option.value.empty())
                return usageError(format("option {} takes no value", name));
            value = word.substr(equals + 1);
        } else if (!option.value.empty()) {
            if (i + 1 == words.size())
                return usageError(format("option {} needs a value: {} {}", name, name, option.value));
            value = words[++i];
        }
        arguments.m_values[name].push_back(std::move(value));
    }
    return arguments;
}

std::string Arguments::value(std::string_view option, std::string_view otherwise) const
{
    const auto found = m_values.find(option);
    return found == m_values.end() ? std::string(otherwise) : found->second.back();
}

std::vector<std::string> Arguments::values(std::string_view option) const
{
    const auto found = m_values.find(option);
    return found == m_values.end() ? std::vector<std::string>{} : found->second;
}

Result<std::uint64_t> Arguments::number(std::string_view option, std::uint64_t otherwise, std::uint64_t low,
                                        std::uint64_t high) const
{
    const auto found = m_values.find(option);
    if (found == m_values.end())
        return otherwise;
    const std::string &text = found->second.back();
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < low || number > high)
        return usageError(format("option {} needs a whole number from {} to {}, not {}", option, low, high, quoted(text)));
    return number;
}

Result<std::vector<std::string>> wordsIn(std::string_view option, std::string_view text)
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
        return Diagnostic::error(Code::Argument, {}, "{} is {}: a quote has no end", option, quoted(text));
    if (isWord)
        words.push_back(word);
    return words;
}

} // namespace sw::command
