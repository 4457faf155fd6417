#include "ui/text_view/text_rows.h"

#include <algorithm>
#include <utility>

namespace stepwell::ui {

namespace {

int longestOf(const sw::StageDocument &document)
{
    std::size_t longest = 0;
    for (const sw::DocumentLine &line : document.lines)
        longest = std::max(longest, line.text.size());
    return static_cast<int>(longest);
}

} // namespace

TextRows::TextRows(sw::StageDocumentPtr document) : m_document(std::move(document))
{
    if (!m_document)
        return;
    m_count = static_cast<int>(m_document->lines.size());
    m_longest = longestOf(*m_document);
}

TextRows::TextRows(sw::StageDocumentPtr document, std::vector<std::uint32_t> lines, std::vector<RowMark> marks)
    : m_document(std::move(document)),
      m_lines(std::move(lines)),
      m_marks(std::move(marks)),
      m_count(static_cast<int>(m_lines.size())),
      m_longest(longestOf(*m_document))
{
}

std::uint32_t TextRows::lineAt(int row) const
{
    return m_lines.empty() ? static_cast<std::uint32_t>(row) : m_lines[static_cast<std::size_t>(row)];
}

std::uint32_t TextRows::lineNear(int row) const
{
    for (row = std::min(row, m_count - 1); row >= 0; --row)
        if (const std::uint32_t line = lineAt(row); line != sw::kNoIndex)
            return line;
    return 0;
}

RowMark TextRows::markAt(int row) const
{
    return m_marks.empty() ? RowMark::None : m_marks[static_cast<std::size_t>(row)];
}

QString TextRows::textAt(int row) const
{
    const std::uint32_t line = lineAt(row);
    return line == sw::kNoIndex ? QString() : QString::fromStdString(m_document->lines[line].text);
}

sw::ItemIndex TextRows::itemAt(int row) const
{
    const std::uint32_t line = lineAt(row);
    if (line == sw::kNoIndex)
        return sw::kNoIndex;
    const sw::ItemIndex item = m_document->lines[line].item;
    return item < m_document->items.size() ? item : sw::kNoIndex;
}

std::uint32_t TextRows::kernelAt(int row) const
{
    const sw::ItemIndex item = itemAt(row);
    return item == sw::kNoIndex ? sw::kNoIndex : m_document->items[item].kernel;
}

bool TextRows::hasTag(int row, const char *tag) const
{
    const std::uint32_t line = lineAt(row);
    if (line == sw::kNoIndex)
        return false;
    const auto &tags = m_document->lines[line].tags;
    return std::ranges::find(tags, tag) != tags.end();
}

int TextRows::rowOfLine(std::uint32_t line) const
{
    if (m_lines.empty())
        return static_cast<int>(line) < m_count ? static_cast<int>(line) : -1;
    const auto found = std::ranges::find(m_lines, line);
    return found == m_lines.end() ? -1 : static_cast<int>(found - m_lines.begin());
}

} // namespace stepwell::ui
