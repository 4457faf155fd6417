#pragma once
// The text of one file of the language, and where its lines begin.

#include "engine/base/diagnostic.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sw::language {

// The bytes [begin, end) of a source text.
struct TextRange {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    bool operator==(const TextRange &) const = default;
};

[[nodiscard]] inline TextRange joined(TextRange first, TextRange last)
{
    return {first.begin, last.end};
}

class SourceText {
public:
    SourceText(std::string name, std::string text);
    SourceText(const SourceText &) = delete;
    SourceText &operator=(const SourceText &) = delete;

    [[nodiscard]] const std::string &name() const { return m_name; }
    [[nodiscard]] std::string_view text() const { return m_text; }
    [[nodiscard]] std::string_view slice(TextRange range) const { return text().substr(range.begin, range.end - range.begin); }
    [[nodiscard]] SourceRange rangeOf(TextRange range) const;

private:
    [[nodiscard]] std::size_t lineOf(std::uint32_t offset) const; // counted from 0

    std::string m_name;
    std::string m_text;
    std::vector<std::uint32_t> m_lineBegins;
};

} // namespace sw::language
