#include "ui/panels/editor_panel.h"

#include "ui/graph_view/find_bar.h"
#include "ui/panels/text_sides.h"
#include "ui/session/counted.h"

#include <QVBoxLayout>

#include <algorithm>

namespace stepwell::ui {

EditorPanel::EditorPanel(const PanelContext &context, const PanelName &name)
    : Panel(context, name),
      m_editor(new ProgramEditor(context.appearance, context.session, context.selection, this)),
      m_sides(new TextSides(context, sw::StageKind::Program, m_editor, name.id, this)),
      m_findBar(new FindBar(context.appearance, this))
{
    setContent(m_sides);
    m_choice = new SideChoice(context.baseline, addTool(QStringLiteral("compare"), tr("Now, before, or the difference")), this);
    m_choice->setOwn(Shown::Now); // so that one can go on typing
    m_sides->setChoice(*m_choice);
    connect(m_sides, &TextSides::changed, this, &EditorPanel::updateNote);
    connect(&context.notes, &Notes::changed, this, &EditorPanel::showMessages);
    layout()->addWidget(m_findBar);
    connect(m_findBar, &FindBar::patternChanged, this, &EditorPanel::search);
    connect(m_findBar, &FindBar::nextRequested, this, &EditorPanel::findNext);
    connect(m_findBar, &FindBar::previousRequested, this, &EditorPanel::findPrevious);
    connect(m_findBar, &FindBar::closed, m_editor, qOverload<>(&QWidget::setFocus));
}

void EditorPanel::setSnapshot(const SnapshotPtr &snapshot)
{
    m_snapshot = snapshot;
    showMessages();
    const auto isError = [](const sw::Message &message) { return message.severity == sw::MessageSeverity::Error; };
    m_errors = snapshot ? std::ranges::count_if(snapshot->report->messages, isError) : 0;
    updateNote();
}

// The messages of the compiler, and the notes that are pinned to expressions.
void EditorPanel::showMessages()
{
    std::vector<sw::Message> messages = m_snapshot ? m_snapshot->report->messages : std::vector<sw::Message>{};
    const sw::StageDocumentPtr program = m_snapshot ? m_snapshot->stage(sw::StageKind::Program).document : nullptr;
    for (const auto &[item, text] : m_context.notes.of(program)) {
        const sw::DocumentPlace &place = program->items[item].place;
        if (place.line == 0)
            continue;
        sw::Message note;
        note.severity = sw::MessageSeverity::Note;
        note.text = text.toStdString();
        note.line = place.line;
        note.column = place.column;
        note.endLine = place.endLine;
        note.endColumn = place.endColumn;
        note.isInProgram = true;
        messages.push_back(std::move(note));
    }
    m_editor->setMessages(messages);
}

void EditorPanel::updateNote()
{
    setNote(m_errors == 0 ? m_sides->note() : counted(m_errors, tr("%1 error"), tr("%1 errors")));
}

bool EditorPanel::stepDifference(int direction)
{
    return isVisible() && m_sides->step(direction);
}

void EditorPanel::find()
{
    m_findBar->open();
}

void EditorPanel::search()
{
    m_found.clear();
    if (!m_findBar->pattern().pattern().isEmpty()) {
        auto matches = m_findBar->pattern().globalMatch(m_editor->toPlainText());
        while (matches.hasNext())
            m_found.push_back(static_cast<int>(matches.next().capturedStart()));
    }
    m_findBar->setCount(0, static_cast<int>(m_found.size()));
}

void EditorPanel::step(int direction)
{
    search(); // the text may have changed since
    if (m_found.empty())
        return;
    const int at = m_editor->textCursor().selectionStart();
    auto next = std::ranges::lower_bound(m_found, direction > 0 ? at + 1 : at);
    if (direction < 0)
        next = next == m_found.begin() ? m_found.end() - 1 : next - 1;
    else if (next == m_found.end())
        next = m_found.begin();
    const auto match = m_findBar->pattern().match(m_editor->toPlainText(), *next);
    QTextCursor cursor = m_editor->textCursor();
    cursor.setPosition(*next);
    cursor.setPosition(*next + static_cast<int>(match.capturedLength()), QTextCursor::KeepAnchor);
    m_editor->setTextCursor(cursor);
    m_findBar->setCount(static_cast<int>(next - m_found.begin()) + 1, static_cast<int>(m_found.size()));
}

} // namespace stepwell::ui
