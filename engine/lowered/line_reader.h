#pragma once
// The words of one line of lowered text, with their columns; the first error of the line is kept. Private to the parser.

#include "engine/base/diagnostic.h"
#include "engine/types/scalar.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sw {

class LineReader {
public:
    LineReader(std::string_view line, std::string file, std::uint32_t lineNumber);

    [[nodiscard]] bool atEnd() const { return m_position >= m_line.size(); }
    [[nodiscard]] bool hasFailed() const { return m_problem.has_value(); }
    [[nodiscard]] const std::optional<Diagnostic> &problem() const { return m_problem; }
    [[nodiscard]] SourceRange wholeLine() const;
    [[nodiscard]] SourceRange lastToken() const;

    // These take what comes next, or report an error and return an empty or zero value.
    std::string_view word(std::string_view expected); // letters, digits and . : + - _
    std::string_view value();                         // %name, without the '%'
    std::string quotedText();
    std::int64_t number(std::int64_t low, std::int64_t high);
    Scalar scalar(DType dtype);
    void expect(char punctuation);

    [[nodiscard]] bool take(char punctuation); // true when it was next
    [[nodiscard]] bool takeWord(std::string_view word);
    [[nodiscard]] bool nextIs(char character) const { return !atEnd() && m_line[m_position] == character; }

    void fail(Code code, const SourceRange &where, std::string message);

private:
    void skipSpace();
    [[nodiscard]] SourceRange range(std::size_t from, std::size_t to) const;
    [[nodiscard]] std::string found() const;
    [[nodiscard]] std::size_t wordEnd() const;
    void expected(std::string_view what);

    std::string_view m_line;
    std::string m_file;
    std::uint32_t m_lineNumber;
    std::size_t m_position = 0;
    std::size_t m_tokenStart = 0;
    std::size_t m_tokenEnd = 0;
    std::optional<Diagnostic> m_problem;
};

} // namespace sw
