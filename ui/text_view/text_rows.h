#pragma once
// The rows of a text view: the lines of a document, or one side of a comparison with gaps where the other side has
// more lines.

#include "engine/api/stage_document.h"

#include <QString>

#include <cstdint>
#include <vector>

namespace stepwell::ui {

enum class RowMark : unsigned char { None, Added, Removed, Gap };

class TextRows {
public:
    TextRows() = default;
    explicit TextRows(sw::StageDocumentPtr document);
    // `lines`: the document's line in each row, kNoIndex for a gap.
    TextRows(sw::StageDocumentPtr document, std::vector<std::uint32_t> lines, std::vector<RowMark> marks);

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
    [[nodiscard]] int longestLine() const { return m_longest; } // in characters, approximately
    [[nodiscard]] const sw::StageDocumentPtr &document() const { return m_document; }

private:
    sw::StageDocumentPtr m_document;
    std::vector<std::uint32_t> m_lines; // empty: every line of the document
    std::vector<RowMark> m_marks;
    int m_count = 0;
    int m_longest = 0;
};

} // namespace stepwell::ui
