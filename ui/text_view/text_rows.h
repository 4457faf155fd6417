#pragma once
// The rows of a text view: the lines of a document, one side of a comparison with gaps where the other side has more lines, or
// the difference of two documents with the lines of both.

#include "engine/api/compare/line_lexer.h"
#include "engine/api/stage_document.h"

#include <QString>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace stepwell::ui {

// ChangedFrom and ChangedTo, MovedFrom and MovedTo: what the line was, and what it is. Folded: stands for rows that are the same.
enum class RowMark : unsigned char { None, Added, Removed, Gap, Renamed, ChangedFrom, ChangedTo, MovedFrom, MovedTo, Folded };

// A row of a comparison.
struct ComparedRow {
    RowMark mark = RowMark::None;
    std::uint32_t before = sw::kNoIndex; // a line of the earlier document
    std::uint32_t after = sw::kNoIndex;
    bool isBefore = false;                    // the text is that of the earlier document
    std::uint32_t folded = 0;                 // rows that this one stands for
    std::span<const sw::TextSpan> words = {}; // of the text, that differ
};

class TextRows {
public:
    TextRows() = default;
    explicit TextRows(sw::StageDocumentPtr document);
    // `lines`: the document's line in each row, kNoIndex for a gap.
    TextRows(sw::StageDocumentPtr document, std::vector<std::uint32_t> lines, std::vector<RowMark> marks);
    // One side of a comparison, or, with an earlier document, both. owner: keeps the rows' words.
    TextRows(sw::StageDocumentPtr document, std::vector<ComparedRow> rows, std::shared_ptr<const void> owner,
             sw::StageDocumentPtr before = nullptr);

    [[nodiscard]] int count() const { return m_count; }
    [[nodiscard]] bool isEmpty() const { return m_count == 0; }
    [[nodiscard]] std::uint32_t lineAt(int row) const; // kNoIndex: a gap
    // The same for any number: of the last row for one beyond it, and of the row before a gap; 0 when there is none.
    [[nodiscard]] std::uint32_t lineNear(int row) const;
    [[nodiscard]] RowMark markAt(int row) const;
    [[nodiscard]] QString textAt(int row) const;
    [[nodiscard]] sw::ItemIndex itemAt(int row) const;   // kNoIndex: none
    [[nodiscard]] std::uint32_t kernelAt(int row) const; // kNoIndex: none
    [[nodiscard]] bool hasTag(int row, const char *tag) const;
    [[nodiscard]] int rowOfLine(std::uint32_t line) const;      // -1: not shown
    [[nodiscard]] const ComparedRow &comparedAt(int row) const; // of a comparison
    [[nodiscard]] bool hasBothSides() const { return m_before != nullptr; }
    [[nodiscard]] bool isBefore(int row) const { return hasBothSides() && comparedAt(row).isBefore; }
    // The document of the row's line.
    [[nodiscard]] const sw::StageDocumentPtr &documentAt(int row) const { return isBefore(row) ? m_before : m_document; }
    [[nodiscard]] const sw::StageDocumentPtr &before() const { return m_before; }
    [[nodiscard]] int rowOfLineBefore(std::uint32_t line) const; // -1: not shown
    [[nodiscard]] std::span<const sw::TextSpan> wordsAt(int row) const;
    [[nodiscard]] int longestLine() const { return m_longest; } // in characters, approximately
    [[nodiscard]] const sw::StageDocumentPtr &document() const { return m_document; }

private:
    sw::StageDocumentPtr m_document;
    std::vector<std::uint32_t> m_lines; // empty: every line of the document
    std::vector<RowMark> m_marks;
    std::vector<ComparedRow> m_compared; // of a comparison
    std::shared_ptr<const void> m_owner;
    sw::StageDocumentPtr m_before; // of rows with both sides
    int m_count = 0;
    int m_longest = 0;
};

} // namespace stepwell::ui
