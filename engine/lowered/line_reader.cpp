#include "engine/lowered/line_reader.h"

#include <charconv>
#include <utility>

namespace sw {

namespace {

bool isNameCharacter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool isWordCharacter(char c)
{
    return isNameCharacter(c) || c == '.' || c == ':' || c == '+' || c == '-';
}

// The line up to the first '#' outside of a string.
std::string_view withoutComment(std::string_view line)
{
    bool inString = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (inString && line[i] == '\\')
            ++i;
        else if (line[i] == '"')
            inString = !inString;
        else if (line[i] == '#' && !inString)
            return line.substr(0, i);
    }
    return line;
}

int hexDigit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// The character that an escape stands for, starting after the backslash; advances past it.
std::optional<char> unescaped(std::string_view line, std::size_t &position)
{
    if (position >= line.size())
        return std::nullopt;
    const char kind = line[position++];
    if (kind == 'n')
        return '\n';
    if (kind == 't')
        return '\t';
    if (kind == '"' || kind == '\\')
        return kind;
    if (kind != 'x' || position + 2 > line.size())
        return std::nullopt;
    const int high = hexDigit(line[position]);
    const int low = hexDigit(line[position + 1]);
    position += 2;
    if (high < 0 || low < 0)
        return std::nullopt;
    return static_cast<char>(static_cast<unsigned char>(16 * high + low));
}

} // namespace

LineReader::LineReader(std::string_view line, std::string file, std::uint32_t lineNumber)
    : m_line(withoutComment(line)), m_file(std::move(file)), m_lineNumber(lineNumber)
{
    while (!m_line.empty() && (m_line.back() == ' ' || m_line.back() == '\t' || m_line.back() == '\r'))
        m_line.remove_suffix(1);
    skipSpace();
}

SourceRange LineReader::wholeLine() const
{
    std::size_t start = 0;
    while (start < m_line.size() && (m_line[start] == ' ' || m_line[start] == '\t'))
        ++start;
    return range(start, m_line.size());
}

std::string_view LineReader::word(std::string_view what)
{
    const std::size_t end = wordEnd();
    if (end == m_position) {
        expected(what);
        return {};
    }
    m_tokenStart = m_position;
    m_tokenEnd = end;
    m_position = end;
    skipSpace();
    return m_line.substr(m_tokenStart, m_tokenEnd - m_tokenStart);
}

std::string_view LineReader::value()
{
    const std::size_t start = m_position;
    if (!nextIs('%')) {
        expected("a value such as %3");
        return {};
    }
    std::size_t end = start + 1;
    while (end < m_line.size() && isNameCharacter(m_line[end]))
        ++end;
    if (end == start + 1) {
        expected("a value such as %3");
        return {};
    }
    m_tokenStart = start;
    m_tokenEnd = end;
    m_position = end;
    skipSpace();
    return m_line.substr(start + 1, end - start - 1);
}

std::string LineReader::quotedText()
{
    if (!nextIs('"')) {
        expected("a text in double quotes");
        return {};
    }
    const std::size_t start = m_position;
    std::size_t position = start + 1;
    std::string out;
    while (position < m_line.size() && m_line[position] != '"') {
        const char c = m_line[position++];
        if (c != '\\') {
            out += c;
            continue;
        }
        const auto character = unescaped(m_line, position);
        if (!character) {
            fail(Code::Syntax, range(start, position), "unknown escape in a text");
            return {};
        }
        out += *character;
    }
    if (position >= m_line.size()) {
        fail(Code::Syntax, range(start, m_line.size()), "the text is not closed");
        return {};
    }
    m_tokenStart = start;
    m_tokenEnd = position + 1;
    m_position = position + 1;
    skipSpace();
    return out;
}

std::int64_t LineReader::number(std::int64_t low, std::int64_t high)
{
    const std::string_view text = word("a number");
    if (hasFailed())
        return low;
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc{} && end == text.data() + text.size() && value >= low && value <= high)
        return value;
    fail(Code::Syntax, lastToken(), format("found {} where a number from {} to {} is expected", quoted(text), low, high));
    return low;
}

Scalar LineReader::scalar(DType dtype)
{
    const std::string_view text = word("a constant");
    if (hasFailed())
        return Scalar::fromBits(dtype, 0);
    const auto value = parseScalar(dtype, text);
    if (value)
        return *value;
    fail(Code::Syntax, lastToken(), value.error().front().message);
    return Scalar::fromBits(dtype, 0);
}

void LineReader::expect(char punctuation)
{
    if (!take(punctuation))
        expected(format("'{}'", punctuation));
}

bool LineReader::take(char punctuation)
{
    if (!nextIs(punctuation))
        return false;
    m_tokenStart = m_position;
    m_tokenEnd = ++m_position;
    skipSpace();
    return true;
}

bool LineReader::takeWord(std::string_view wanted)
{
    const std::size_t end = wordEnd();
    if (m_line.substr(m_position, end - m_position) != wanted)
        return false;
    m_tokenStart = m_position;
    m_tokenEnd = end;
    m_position = end;
    skipSpace();
    return true;
}

void LineReader::fail(Code code, const SourceRange &where, std::string message)
{
    if (!m_problem)
        m_problem = Diagnostic{Severity::Error, code, std::move(message), where, {}, {}};
    m_position = m_line.size();
}

SourceRange LineReader::lastToken() const
{
    return range(m_tokenStart, m_tokenEnd);
}

void LineReader::skipSpace()
{
    while (m_position < m_line.size() && (m_line[m_position] == ' ' || m_line[m_position] == '\t'))
        ++m_position;
}

SourceRange LineReader::range(std::size_t from, std::size_t to) const
{
    return {m_file, m_lineNumber, static_cast<std::uint32_t>(from + 1), m_lineNumber, static_cast<std::uint32_t>(to + 1)};
}

std::string LineReader::found() const
{
    if (atEnd())
        return "the end of the line";
    const std::size_t end = std::max(wordEnd(), m_position + 1);
    return quoted(m_line.substr(m_position, end - m_position));
}

std::size_t LineReader::wordEnd() const
{
    std::size_t end = m_position;
    while (end < m_line.size() && isWordCharacter(m_line[end]))
        ++end;
    return end;
}

void LineReader::expected(std::string_view what)
{
    fail(Code::Syntax, range(m_position, std::max(wordEnd(), m_position + 1)),
         format("found {} where {} is expected", found(), what));
}

} // namespace sw
