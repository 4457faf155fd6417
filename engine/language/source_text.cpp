#include "engine/language/source_text.h"

#include <algorithm>
#include <utility>

namespace sw::language {

SourceText::SourceText(std::string name, std::string text) : m_name(std::move(name)), m_text(std::move(text))
{
    m_lineBegins.push_back(0);
    for (std::size_t i = 0; i < m_text.size(); ++i) {
        if (m_text[i] == '\n')
            m_lineBegins.push_back(static_cast<std::uint32_t>(i + 1));
    }
}

std::size_t SourceText::lineOf(std::uint32_t offset) const
{
    const auto after = std::ranges::upper_bound(m_lineBegins, offset);
    return static_cast<std::size_t>(after - m_lineBegins.begin()) - 1;
}

SourceRange SourceText::rangeOf(TextRange range) const
{
    const std::size_t first = lineOf(range.begin);
    const std::size_t last = lineOf(range.end);
    return {m_name, static_cast<std::uint32_t>(first + 1), range.begin - m_lineBegins[first] + 1,
            static_cast<std::uint32_t>(last + 1), range.end - m_lineBegins[last] + 1};
}

} // namespace sw::language
