// What a program editor marks in its text: errors, the current line, partners of items pointed at or selected elsewhere.

#include "ui/session/session.h"
#include "ui/text_view/placed_messages.h"
#include "ui/text_view/program_editor.h"

#include <QScrollBar>
#include <QTextBlock>

#include <algorithm>

namespace stepwell::ui {

namespace {

// The engine counts columns in bytes of UTF-8, from 1.
int charactersIn(const QString &line, std::uint32_t column)
{
    if (column <= 1)
        return 0;
    const QByteArray bytes = line.toUtf8();
    return static_cast<int>(QString::fromUtf8(bytes.left(static_cast<qsizetype>(column) - 1)).size());
}

std::uint32_t columnOf(const QString &line, int characters)
{
    return static_cast<std::uint32_t>(line.left(characters).toUtf8().size()) + 1;
}

bool contains(const sw::DocumentPlace &place, std::uint32_t line, std::uint32_t column)
{
    const bool isAfterStart = line > place.line || (line == place.line && column >= place.column);
    const bool isBeforeEnd = line < place.endLine || (line == place.endLine && column <= place.endColumn);
    return place.line != 0 && isAfterStart && isBeforeEnd;
}

// Compares lines first, then columns: the smallest range is the innermost expression.
std::pair<std::uint32_t, std::uint32_t> sizeOf(const sw::DocumentPlace &place)
{
    return {place.endLine - place.line, place.endColumn - place.column};
}

} // namespace

int ProgramEditor::positionOf(std::uint32_t line, std::uint32_t column) const
{
    const QTextBlock block = document()->findBlockByNumber(static_cast<int>(line) - 1);
    if (!block.isValid())
        return -1;
    return block.position() + std::min(charactersIn(block.text(), column), block.length() - 1);
}

QTextCursor ProgramEditor::cursorOver(int start, int end) const
{
    QTextCursor cursor(document());
    cursor.setPosition(start);
    cursor.setPosition(std::min(end, document()->characterCount() - 1), QTextCursor::KeepAnchor);
    return cursor;
}

const sw::StageDocument *ProgramEditor::programDocument() const
{
    const SnapshotPtr &snapshot = m_session.snapshot();
    if (!snapshot || (!m_session.source().isFile && !m_session.isCompiledText(toPlainText())))
        return nullptr;
    const StageView &view = snapshot->stage(sw::StageKind::Program);
    return view.document && view.compilation == snapshot->compilation ? view.document.get() : nullptr;
}

void ProgramEditor::setMessages(const std::vector<sw::Message> &messages)
{
    m_messages.clear();
    for (const PlacedMessage &message : messagesInProgram(messages)) {
        const int start = positionOf(message.place.line, message.place.column);
        int end = message.place.endLine == 0 ? start : positionOf(message.place.endLine, message.place.endColumn);
        if (start < 0)
            continue;
        if (end <= start) { // an empty place: mark the rest of the line, or its last character
            const QTextBlock block = document()->findBlock(start);
            end = std::max(start + 1, block.position() + block.length() - 1);
        }
        m_messages.push_back({cursorOver(start, end), message.severity, message.text});
    }
    // The worst comes last, so it is drawn over the others.
    std::ranges::stable_sort(m_messages, std::ranges::greater{}, &MarkedMessage::severity);
    updateMarks();
    viewport()->update();
}

void ProgramEditor::updateMarks()
{
    QList<QTextEdit::ExtraSelection> marks;
    if (hasFocus() || !m_messages.empty()) {
        QTextEdit::ExtraSelection current;
        current.format.setBackground(m_appearance.color(Role::CurrentLine));
        current.format.setProperty(QTextFormat::FullWidthSelection, true);
        current.cursor = textCursor();
        current.cursor.clearSelection();
        marks << current;
    }
    m_partnerMarks = 0;
    addPartnerMarks(marks, m_selection.selected(sw::StageKind::Program), Role::Selection);
    addPartnerMarks(marks, m_selection.hovered(sw::StageKind::Program), Role::Hover);
    m_errorMarks.clear();
    for (const MarkedMessage &message : m_messages) {
        QTextEdit::ExtraSelection mark;
        mark.format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
        mark.format.setUnderlineColor(m_appearance.color(roleOf(message.severity)));
        mark.cursor = message.range;
        m_errorMarks.push_back(mark);
        marks << mark;
    }
    setExtraSelections(marks);
}

void ProgramEditor::addPartnerMarks(QList<QTextEdit::ExtraSelection> &marks, const PartnerSet &set, Role role)
{
    const sw::StageDocument *program = set.isEmpty() ? nullptr : programDocument();
    if (!program)
        return;
    for (const sw::ItemIndex item : set.items) {
        const sw::DocumentPlace &place = program->items[item].place;
        const int start = place.line == 0 ? -1 : positionOf(place.line, place.column);
        const int end = place.line == 0 ? -1 : positionOf(place.endLine, place.endColumn);
        if (start < 0 || end <= start)
            continue;
        QTextEdit::ExtraSelection mark;
        mark.format.setBackground(m_appearance.color(role));
        mark.cursor = cursorOver(start, end);
        marks << mark;
        ++m_partnerMarks;
    }
}

// Scrolls once to the first partner of a selection made elsewhere.
void ProgramEditor::ensurePartnerVisible()
{
    const PartnerSet &set = m_selection.selected(sw::StageKind::Program);
    const sw::StageDocument *program = set.isEmpty() ? nullptr : programDocument();
    if (!program || m_revealed == m_selection.number())
        return;
    m_revealed = m_selection.number();
    std::uint32_t line = sw::kNoIndex;
    for (const sw::ItemIndex item : set.firstItems())
        if (program->items[item].place.line != 0)
            line = std::min(line, program->items[item].place.line);
    const QTextBlock block = line == sw::kNoIndex ? QTextBlock() : document()->findBlockByNumber(static_cast<int>(line) - 1);
    if (!block.isValid())
        return;
    const QRectF area = blockBoundingGeometry(block).translated(contentOffset());
    if (area.top() >= 0 && area.bottom() <= viewport()->height())
        return;
    // The caret stays where the user left it; only the view moves.
    const int linesAbove = viewport()->height() / std::max(1, static_cast<int>(area.height())) / 2;
    verticalScrollBar()->setValue(block.blockNumber() - linesAbove);
}

sw::ItemIndex ProgramEditor::itemAt(const QTextCursor &cursor) const
{
    const sw::StageDocument *program = programDocument();
    if (!program)
        return sw::kNoIndex;
    const auto line = static_cast<std::uint32_t>(cursor.blockNumber()) + 1;
    const std::uint32_t column = columnOf(cursor.block().text(), cursor.positionInBlock());
    sw::ItemIndex innermost = sw::kNoIndex;
    for (sw::ItemIndex i = 0; i < program->items.size(); ++i) {
        const sw::DocumentPlace &place = program->items[i].place;
        if (!contains(place, line, column))
            continue;
        if (innermost == sw::kNoIndex || sizeOf(place) < sizeOf(program->items[innermost].place))
            innermost = i;
    }
    if (innermost != sw::kNoIndex || line > program->lines.size())
        return innermost;
    return program->lines[line - 1].item;
}

QString ProgramEditor::messageAt(const QPoint &viewportPosition) const
{
    const int position = cursorForPosition(viewportPosition).position();
    QStringList texts;
    for (const MarkedMessage &message : m_messages) {
        if (position >= message.range.selectionStart() && position <= message.range.selectionEnd())
            texts << message.text;
    }
    return texts.join(QStringLiteral("\n\n"));
}

void ProgramEditor::goTo(std::uint32_t line, std::uint32_t column)
{
    const int position = positionOf(line, column);
    if (position < 0)
        return;
    setTextCursor(cursorOver(position, position));
    centerCursor();
    setFocus();
}

} // namespace stepwell::ui
