#include "engine/backend/source/source_text.h"

namespace sw {

namespace {
constexpr std::size_t kIndentWidth = 4;
}

void SourceText::line(std::string_view text)
{
    while (true) {
        const std::size_t end = text.find('\n');
        const std::string_view first = text.substr(0, end);
        if (!first.empty())
            m_text.append(m_depth * kIndentWidth, ' ');
        m_text += first;
        m_text += '\n';
        m_lines.push_back(m_current);
        if (end == std::string_view::npos || end + 1 == text.size())
            return;
        text.remove_prefix(end + 1);
    }
}

void SourceText::append(const SourceText &other)
{
    m_text += other.m_text;
    m_lines.insert(m_lines.end(), other.m_lines.begin(), other.m_lines.end());
}

} // namespace sw
