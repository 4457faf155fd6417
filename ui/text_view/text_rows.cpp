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

TextRows::TextRows(sw::StageDocumentPtr document, std::vector<ComparedRow> rows, std::shared_ptr<const void> owner,
                   sw::StageDocumentPtr before)
    : m_document(std::move(document)),
      m_compared(std::move(rows)),
      m_owner(std::move(owner)),
      m_before(std::move(before)),
      m_count(static_cast<int>(m_compared.size())),
      m_longest(std::max(longestOf(*m_document), m_before ? longestOf(*m_before) : 0))
{
}

const ComparedRow &TextRows::comparedAt(int row) const
{
    return m_compared[static_cast<std::size_t>(row)];
}

std::span<const sw::TextSpan> TextRows::wordsAt(int row) const
{
    return m_compared.empty() ? std::span<const sw::TextSpan>() : comparedAt(row).words;
}

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
    if (!m_compared.empty()) {
        const ComparedRow &compared = comparedAt(row);
        return compared.mark == RowMark::Folded ? sw::kNoIndex : compared.isBefore ? compared.before : compared.after;
    }
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
    if (!m_compared.empty())
        return comparedAt(row).mark;
    return m_marks.empty() ? RowMark::None : m_marks[static_cast<std::size_t>(row)];
}

QString TextRows::textAt(int row) const
{
    const std::uint32_t line = lineAt(row);
    return line == sw::kNoIndex ? QString() : QString::fromStdString(documentAt(row)->lines[line].text);
}

sw::ItemIndex TextRows::itemAt(int row) const
{
    const std::uint32_t line = lineAt(row);
    if (line == sw::kNoIndex)
        return sw::kNoIndex;
    const sw::StageDocument &document = *documentAt(row);
    const sw::ItemIndex item = document.lines[line].item;
    return item < document.items.size() ? item : sw::kNoIndex;
}

std::uint32_t TextRows::kernelAt(int row) const
{
    const sw::ItemIndex item = itemAt(row);
    return item == sw::kNoIndex ? sw::kNoIndex : documentAt(row)->items[item].kernel;
}

bool TextRows::hasTag(int row, const char *tag) const
{
    const std::uint32_t line = lineAt(row);
    if (line == sw::kNoIndex)
        return false;
    const auto &tags = documentAt(row)->lines[line].tags;
    return std::ranges::find(tags, tag) != tags.end();
}

int TextRows::rowOfLine(std::uint32_t line) const
{
    if (!m_compared.empty()) {
        const auto isIt = [line](const ComparedRow &row) {
            return !row.isBefore && row.after == line && row.mark != RowMark::Folded;
        };
        const auto found = std::ranges::find_if(m_compared, isIt);
        return found == m_compared.end() ? -1 : static_cast<int>(found - m_compared.begin());
    }
    if (m_lines.empty())
        return static_cast<int>(line) < m_count ? static_cast<int>(line) : -1;
    const auto found = std::ranges::find(m_lines, line);
    return found == m_lines.end() ? -1 : static_cast<int>(found - m_lines.begin());
}

int TextRows::rowOfLineBefore(std::uint32_t line) const
{
    const auto isIt = [line](const ComparedRow &row) { return row.isBefore && row.before == line; };
    const auto found = std::ranges::find_if(m_compared, isIt);
    return found == m_compared.end() ? -1 : static_cast<int>(found - m_compared.begin());
}

} // namespace stepwell::ui
