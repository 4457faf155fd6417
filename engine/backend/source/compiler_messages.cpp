#include "engine/backend/source/compiler_messages.h"

#include <charconv>
#include <optional>

namespace sw {

namespace {

// Takes ":123" off the front.
std::optional<std::uint32_t> takeNumber(std::string_view &text)
{
    std::uint32_t number = 0;
    if (!text.starts_with(':'))
        return std::nullopt;
    const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), number);
    if (error != std::errc{})
        return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

std::optional<Diagnostic> messageIn(std::string_view line, const std::string &fileName)
{
    if (line.find("error:") == std::string_view::npos)
        return std::nullopt;
    for (std::size_t colon = line.find(':'); colon != std::string_view::npos; colon = line.find(':', colon + 1)) {
        std::string_view rest = line.substr(colon);
        const auto row = takeNumber(rest);
        const auto column = row ? takeNumber(rest) : std::nullopt;
        if (!column || !rest.starts_with(": "))
            continue;
        rest.remove_prefix(2);
        for (const std::string_view word : {"fatal error: ", "error: "})
            if (rest.starts_with(word))
                rest.remove_prefix(word.size());
        return Diagnostic::error(Code::Compile, {fileName, *row, *column, *row, *column}, "{}", rest);
    }
    return std::nullopt;
}

} // namespace

Diagnostics compilerMessages(std::string_view log, const std::string &fileName)
{
    Diagnostics found;
    while (!log.empty()) {
        const std::size_t end = std::min(log.find('\n'), log.size());
        if (auto message = messageIn(log.substr(0, end), fileName))
            found.push_back(std::move(*message));
        log.remove_prefix(std::min(end + 1, log.size()));
    }
    return found;
}

} // namespace sw
