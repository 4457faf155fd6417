#include "engine/backend/source/compiler_messages.h"

#include <charconv>
#include <functional>
#include <map>
#include <optional>
#include <utility>

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

struct Place {
    std::string_view file;
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    std::string_view rest; // behind it
};

// The first ":LINE:COLUMN: " of a line.
std::optional<Place> placeIn(std::string_view line)
{
    for (std::size_t colon = line.find(':'); colon != std::string_view::npos; colon = line.find(':', colon + 1)) {
        std::string_view rest = line.substr(colon);
        const auto row = takeNumber(rest);
        const auto column = row ? takeNumber(rest) : std::nullopt;
        if (column && rest.starts_with(": "))
            return Place{line.substr(0, colon), *row, *column, rest.substr(2)};
    }
    return std::nullopt;
}

class LogReader {
public:
    explicit LogReader(const std::string &fileName) : m_fileName(fileName) {}

    std::optional<Diagnostic> read(std::string_view line)
    {
        constexpr std::string_view kIncluded = "In file included from ";
        if (line.starts_with(kIncluded)) { // the outermost file comes first: the text itself
            std::string_view rest = line.substr(line.rfind(':', line.size() - 2));
            const auto number = takeNumber(rest);
            if (m_included == 0)
                m_included = number.value_or(1);
            return std::nullopt;
        }
        const auto place = placeIn(line);
        if (!place)
            return std::nullopt;
        if (const std::uint32_t included = std::exchange(m_included, 0); included != 0)
            m_headers.insert_or_assign(std::string(place->file), included);
        if (line.find("error:") == std::string_view::npos)
            return std::nullopt;
        std::string_view text = place->rest;
        for (const std::string_view word : {"fatal error: ", "error: "})
            if (text.starts_with(word))
                text.remove_prefix(word.size());
        const auto header = m_headers.find(place->file);
        if (header == m_headers.end())
            return Diagnostic::error(Code::Compile, {m_fileName, place->line, place->column, place->line, place->column}, "{}",
                                     text);
        return Diagnostic::error(Code::Compile, {m_fileName, header->second, 1, header->second, 1}, "{}:{}:{}: {}", place->file,
                                 place->line, place->column, text);
    }

private:
    const std::string &m_fileName;
    std::uint32_t m_included = 0;                                // the line that includes the file of the next message; 0: none
    std::map<std::string, std::uint32_t, std::less<>> m_headers; // and of files that had messages before
};

} // namespace

Diagnostics compilerMessages(std::string_view log, const std::string &fileName)
{
    Diagnostics found;
    LogReader reader(fileName);
    while (!log.empty()) {
        const std::size_t end = std::min(log.find('\n'), log.size());
        if (auto message = reader.read(log.substr(0, end)))
            found.push_back(std::move(*message));
        log.remove_prefix(std::min(end + 1, log.size()));
    }
    return found;
}

} // namespace sw
