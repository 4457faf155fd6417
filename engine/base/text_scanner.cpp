#include "engine/base/text_scanner.h"

#include <charconv>

namespace sw {

namespace {

constexpr std::size_t kShownCharacters = 24;

bool isWordCharacter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool isSpace(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

// The end of the string literal at the start of the text; the text's size when the literal does not end.
std::size_t endOfString(std::string_view text)
{
    std::size_t at = 1;
    while (at < text.size() && text[at] != '"')
        at += text[at] == '\\' ? 2 : 1;
    return std::min(at + 1, text.size());
}

} // namespace

void TextScanner::skipSpaces()
{
    while (m_at < m_text.size() && isSpace(m_text[m_at]))
        ++m_at;
}

std::uint32_t TextScanner::nextColumn()
{
    skipSpaces();
    return column();
}

bool TextScanner::isAtEnd()
{
    skipSpaces();
    return m_at == m_text.size();
}

bool TextScanner::startsWith(std::string_view token)
{
    skipSpaces();
    return m_text.substr(m_at).starts_with(token);
}

bool TextScanner::accept(std::string_view token)
{
    if (!startsWith(token))
        return false;
    m_at += token.size();
    return true;
}

Result<Done> TextScanner::expect(std::string_view token)
{
    if (accept(token))
        return Done{};
    return unexpected(format("'{}'", token));
}

Result<Done> TextScanner::expectEnd()
{
    if (isAtEnd())
        return Done{};
    return unexpected("the end of the line");
}

Result<std::string_view> TextScanner::word(std::string_view what)
{
    skipSpaces();
    const std::size_t start = m_at;
    while (m_at < m_text.size() && isWordCharacter(m_text[m_at]))
        ++m_at;
    if (m_at == start)
        return unexpected(what);
    return m_text.substr(start, m_at - start);
}

Result<std::int64_t> TextScanner::integer()
{
    skipSpaces();
    std::int64_t value = 0;
    const char *start = m_text.data() + m_at;
    const auto [end, error] = std::from_chars(start, m_text.data() + m_text.size(), value);
    if (error != std::errc{})
        return unexpected("a 64-bit integer");
    m_at += static_cast<std::size_t>(end - start);
    return value;
}

Result<std::uint64_t> TextScanner::unsignedInteger()
{
    skipSpaces();
    std::uint64_t value = 0;
    const char *start = m_text.data() + m_at;
    const auto [end, error] = std::from_chars(start, m_text.data() + m_text.size(), value);
    if (error != std::errc{})
        return unexpected("a 64-bit unsigned integer");
    m_at += static_cast<std::size_t>(end - start);
    return value;
}

Result<std::string> TextScanner::string()
{
    if (!startsWith("\""))
        return unexpected("a string in double quotes");
    const std::string_view rest = m_text.substr(m_at);
    const std::size_t length = endOfString(rest);
    auto value = unquoted(rest.substr(0, length));
    if (!value)
        return unexpected("a string with a closing quote and known escapes");
    m_at += length;
    return std::move(*value);
}

std::string_view TextScanner::until(std::string_view stops)
{
    skipSpaces();
    const std::size_t start = m_at;
    std::size_t depth = 0;
    while (m_at < m_text.size()) {
        const char c = m_text[m_at];
        if (depth == 0 && stops.find(c) != std::string_view::npos)
            break;
        if (c == '[' || c == '(')
            ++depth;
        if ((c == ']' || c == ')') && depth > 0)
            --depth;
        m_at += c == '"' ? endOfString(m_text.substr(m_at)) : 1;
    }
    std::size_t end = m_at;
    while (end > start && isSpace(m_text[end - 1]))
        --end;
    return m_text.substr(start, end - start);
}

Diagnostic TextScanner::unexpected(std::string_view what)
{
    const std::uint32_t start = nextColumn();
    const std::string_view rest = m_text.substr(m_at, kShownCharacters);
    const std::string found = rest.empty() ? "the end" : quoted(rest);
    return Diagnostic::error(Code::Syntax, rangeFrom(start), "expected {}, not {}", what, found);
}

TextScanner TextScanner::within(std::string_view part) const
{
    const auto offset = static_cast<std::uint32_t>(part.data() - m_text.data());
    return {part, m_file, m_line, m_column + offset};
}

} // namespace sw
