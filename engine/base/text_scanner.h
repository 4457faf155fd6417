#pragma once
// Reads one line of a text form from left to right. Every failure is a diagnostic at its column that says what was found and what
// was expected.

#include "engine/base/result.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace sw {

class TextScanner {
public:
    // column: the column of the first character of text.
    TextScanner(std::string_view text, std::string_view file, std::uint32_t line, std::uint32_t column = 1)
        : m_text(text), m_file(file), m_line(line), m_column(column)
    {
    }

    // All of these skip spaces first.
    [[nodiscard]] bool isAtEnd();
    [[nodiscard]] bool startsWith(std::string_view token);
    bool accept(std::string_view token); // reads the token if it comes next
    Result<Done> expect(std::string_view token);
    Result<Done> expectEnd();
    Result<std::string_view> word(std::string_view what); // letters, digits and '_'; what: "an operation"
    Result<std::int64_t> integer();
    Result<std::uint64_t> unsignedInteger();
    Result<std::string> string(); // a literal as quoted() writes it
    // The text up to the first stop outside brackets and strings, without trailing spaces.
    std::string_view until(std::string_view stops);

    // The column of the next token, and the column up to which the text has been read.
    [[nodiscard]] std::uint32_t nextColumn();
    [[nodiscard]] std::uint32_t column() const { return m_column + static_cast<std::uint32_t>(m_at); }
    [[nodiscard]] std::uint32_t line() const { return m_line; }
    [[nodiscard]] std::string_view file() const { return m_file; }
    [[nodiscard]] SourceRange rangeFrom(std::uint32_t startColumn) const
    {
        return {std::string(m_file), m_line, startColumn, m_line, std::max(column(), startColumn + 1)};
    }
    // "expected <what>, not <the next characters>", at the scanner's position.
    [[nodiscard]] Diagnostic unexpected(std::string_view what);
    // A scanner for a part of this scanner's text.
    [[nodiscard]] TextScanner within(std::string_view part) const;

private:
    void skipSpaces();

    std::string_view m_text;
    std::string_view m_file;
    std::uint32_t m_line = 0;
    std::uint32_t m_column = 0;
    std::size_t m_at = 0;
};

} // namespace sw
