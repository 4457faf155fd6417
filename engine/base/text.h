#pragma once
// The only access to the formatting library. All code that makes text uses sw::format or sw::TextEmitter.

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sw {

template <class... Args>
[[nodiscard]] std::string format(fmt::format_string<Args...> pattern, Args &&...args)
{
    return fmt::format(pattern, std::forward<Args>(args)...);
}

// "2, 3, 4"; project turns an element into something that fmt can print.
template <class Range, class Projection>
[[nodiscard]] std::string join(const Range &range, std::string_view separator, Projection project)
{
    std::string out;
    bool first = true;
    for (const auto &element : range) {
        if (!first)
            out += separator;
        first = false;
        out += fmt::format("{}", project(element));
    }
    return out;
}

template <class Range>
[[nodiscard]] std::string join(const Range &range, std::string_view separator)
{
    return join(range, separator, [](const auto &element) { return element; });
}

// The shortest decimal text that reads back to the same value; "inf", "-inf", "nan" for special values. It always has a
// '.', an exponent or a letter, so that it cannot be read as an integer.
[[nodiscard]] std::string floatText(double value);
[[nodiscard]] std::string floatText(float value);

// A string as a literal in double quotes, with \n, \t, \", \\ and \xNN escapes. unquoted is the inverse: it takes a literal with
// its quotes and returns nothing when the literal is malformed.
[[nodiscard]] std::string quoted(std::string_view text);
[[nodiscard]] std::optional<std::string> unquoted(std::string_view literal);

// The text with '_' for every character outside [A-Za-z0-9_], and a prefix before a leading digit.
[[nodiscard]] std::string identifierText(std::string_view text);

} // namespace sw
