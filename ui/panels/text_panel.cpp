#include "ui/panels/text_panel.h"

#include "ui/graph_view/find_bar.h"
#include "ui/panels/code_editor.h"
#include "ui/panels/text_sides.h"
#include "ui/session/counted.h"

#include <QScrollBar>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace stepwell::ui {

TextPanel::TextPanel(const PanelContext &context, const PanelName &name, sw::StageKind stage)
    : Panel(context, name),
      m_stage(stage),
      m_ownTitle(name.title),
      m_view(new TextView(stage, context.appearance, context.selection, this)),
      m_sides(new TextSides(context, stage, m_view, name.id, this)),
      m_findBar(new FindBar(context.appearance, this))
{
    m_view->setObjectName(name.id + QStringLiteral("View"));
    m_view->setAccessibleName(name.title);
    setContent(m_sides);
    layout()->addWidget(m_findBar);
    m_sides->setChoice(
        *new SideChoice(context.baseline, addTool(QStringLiteral("compare"), tr("Now, before, or the difference")), this));
    connect(addTool(QStringLiteral("copy"), tr("Copy all, or the selected lines")), &QToolButton::clicked, this,
            [this] { shownView().copy(); });
    connect(m_findBar, &FindBar::patternChanged, this,
            [this](const QRegularExpression &pattern) { shownView().search(pattern); });
    connect(m_findBar, &FindBar::nextRequested, this, &TextPanel::findNext);
    connect(m_findBar, &FindBar::previousRequested, this, &TextPanel::findPrevious);
    connect(m_findBar, &FindBar::closed, this, [this] { shownView().setFocus(); });
    connect(m_sides, &TextSides::changed, this, &TextPanel::onSide);
    connect(&context.session, &Session::activityChanged, this, &TextPanel::updateHint);
    // One that begins drops what was asked about the one before, which stays if it is stopped.
    connect(&context.session, &Session::compileFinished, this, [this] {
        if (m_context.session.isDropped(RequestTag::MachineCode))
            m_askedOf.reset();
        askForParts();
    });
    connect(m_view->verticalScrollBar(), &QScrollBar::valueChanged, this, &TextPanel::askForParts);
    connect(m_view->verticalScrollBar(), &QScrollBar::rangeChanged, this, &TextPanel::askForParts);
    connect(&m_context.selection, &Selection::selectionChanged, this, &TextPanel::askForParts);
    connect(&m_context.selection, &Selection::hoverChanged, this, &TextPanel::askForParts);
    connect(m_view, &TextView::searchChanged, this, &TextPanel::countFound);
    connect(&context.notes, &Notes::changed, this, &TextPanel::showNotes);
    if (stage == sw::StageKind::Code || stage == sw::StageKind::Lowered)
        addEditor();
}

void TextPanel::addEditor()
{
    m_editor = new CodeEditor(m_context, m_stage, this);
    m_editor->hide();
    layout()->addWidget(m_editor);
    QWidget *content = m_view; // with what scrolls it
    while (content->parentWidget() != this)
        content = content->parentWidget();
    m_editTool = addTool(QStringLiteral("edit"), tr("Edit the text of a kernel"));
    m_editTool->setObjectName(QStringLiteral("editKernel"));
    m_editTool->setCheckable(true);
    connect(m_editTool, &QToolButton::toggled, this, [this, content](bool isEditing) {
        content->setVisible(!isEditing);
        m_editor->setVisible(isEditing);
        setFocusProxy(isEditing ? static_cast<QWidget *>(m_editor) : m_view);
        if (!isEditing)
            return;
        m_editor->setSnapshot(m_context.session.snapshot());
        m_editor->open(kernelToEdit());
        m_editor->text().setFocus();
    });
    connect(m_editor, &CodeEditor::closed, m_editTool, [this] { m_editTool->setChecked(false); });
}

void TextPanel::editKernel(std::uint32_t kernel)
{
    if (m_editor == nullptr)
        return;
    m_editTool->setChecked(true);
    m_editor->open(kernel);
}

bool TextPanel::isSettled() const
{
    return m_editor == nullptr || !m_editTool->isChecked() || m_editor->isSettled();
}

std::uint32_t TextPanel::kernelToEdit() const
{
    if (const sw::DocumentItem *selected = m_context.selection.selectedItem();
        selected != nullptr && selected->kernel != sw::kNoIndex)
        return selected->kernel;
    const sw::StageDocumentPtr &document = m_view->rows().document();
    if (!document)
        return 0;
    for (auto line = static_cast<std::size_t>(std::max(m_view->firstVisibleRow(), 0)); line < document->lines.size(); ++line)
        if (const sw::ItemIndex item = document->lines[line].item;
            item != sw::kNoIndex && document->items[item].kernel != sw::kNoIndex)
            return document->items[item].kernel;
    return 0;
}

TextView &TextPanel::shownView()
{
    return m_sides->view() ? *m_sides->view() : *m_view;
}

bool TextPanel::stepDifference(int direction)
{
    return isVisible() && m_sides->step(direction);
}

// Another page has a search of its own.
void TextPanel::onSide()
{
    if (TextView *view = m_sides->view())
        connect(view, &TextView::searchChanged, this, &TextPanel::countFound, Qt::UniqueConnection);
    countFound();
    updateNote();
}

void TextPanel::countFound()
{
    m_findBar->setCount(shownView().foundCurrent() + 1, shownView().foundCount());
}

void TextPanel::find()
{
    m_findBar->open();
}

// The hint shown when there are no lines.
void TextPanel::updateHint()
{
    if (const QString awaited = notYet(m_snapshot, m_stage); !awaited.isEmpty())
        m_view->setHint(awaited);
    else if (isCompiling())
        m_view->setHint(tr("Compiling"));
    else if (!m_snapshot)
        m_view->setHint({});
    else if (!m_snapshot->report->succeeded)
        m_view->setHint(tr("The program has errors before this stage. See Messages."));
    else if (!m_snapshot->stage(m_stage).document)
        m_view->setHint(tr("There is no such stage for this program on this device."));
    else
        m_view->setHint(tr("This device has no such text."));
}

void TextPanel::setSnapshot(const SnapshotPtr &snapshot)
{
    m_snapshot = snapshot;
    if (m_editor != nullptr)
        m_editor->setSnapshot(m_context.session.snapshot());
    updateHint();
    if (!snapshot) {
        if (m_editTool != nullptr)
            m_editTool->setChecked(false); // it is another program
        m_view->setRows({}, {});
        m_facts.clear();
        showNotes();
        setMadeBy({});
        setNote({});
        setTitle(m_ownTitle);
        return;
    }
    const StageView &stage = snapshot->stage(m_stage);
    setMadeBy(snapshot->madeBy(m_stage));
    if (stage.document != m_view->rows().document() || m_view->rows().isEmpty()) {
        m_facts.clear();
        m_view->setRows(TextRows(stage.document), snapshot->kernels);
    }
    m_view->setTouched(stage.marks);
    showNotes();
    if (stage.document && m_stage == sw::StageKind::Code && !stage.document->title.empty())
        setTitle(QString::fromStdString(stage.document->title));
    updateNote();
    if (stage.document)
        refillWhenVisible();
}

void TextPanel::setFacts(std::map<int, RunSigns::Note> facts)
{
    m_facts = std::move(facts);
    showNotes();
}

void TextPanel::showNotes()
{
    RunSigns signs;
    signs.notes = m_facts;
    const sw::StageDocumentPtr &document = m_view->rows().document();
    for (const auto &[item, text] : m_context.notes.of(document)) {
        const auto line = std::ranges::find(document->lines, item, &sw::DocumentLine::item);
        const int row = line == document->lines.end()
                            ? -1
                            : m_view->rows().rowOfLine(static_cast<std::uint32_t>(line - document->lines.begin()));
        if (row < 0)
            continue;
        QString &note = signs.notes[row].text;
        note += (note.isEmpty() ? QString() : QStringLiteral("; ")) + QStringLiteral("\u270e ") + text.simplified();
    }
    m_view->setRun(std::move(signs));
}

void TextPanel::updateNote()
{
    const sw::StageDocumentPtr document = m_snapshot ? m_snapshot->stage(m_stage).document : nullptr;
    const auto isThere = [](const sw::DocumentLine &line) {
        return std::ranges::find(line.tags, sw::kGoneTag) == line.tags.end();
    };
    if (const QString note = m_sides->note(); !note.isEmpty())
        setNote(note);
    else if (document)
        setNote(counted(std::ranges::count_if(document->lines, isThere), tr("%1 line"), tr("%1 lines")));
    else
        setNote({});
}

void TextPanel::askForParts()
{
    const sw::StageDocumentPtr &document = m_view->rows().document();
    // While a compilation is in progress, none of its code can be read, and of a broken program there is none.
    if (!document || document->parts.empty() || !isVisible() || !m_snapshot->isFinal || isCompiling() ||
        m_snapshot->madeBy(m_stage) != m_snapshot->compilation)
        return;
    const std::vector<sw::DocumentPart> &parts = document->parts;
    std::vector<std::uint32_t> wanted;
    const auto want = [&](std::uint32_t part) {
        if (part < parts.size() && !parts[part].isRead && std::ranges::find(wanted, part) == wanted.end())
            wanted.push_back(part);
    };
    for (const sw::DocumentItem *lit : {m_context.selection.selectedItem(), m_context.selection.hoveredItem()})
        if (lit != nullptr)
            want(lit->kernel);
    // Asks for the first visible part only: once read, it takes the room of the others.
    const std::uint32_t first = m_view->rows().lineNear(m_view->firstVisibleRow());
    const std::uint32_t last = m_view->rows().lineNear(m_view->firstVisibleRow() + m_view->visibleRows());
    for (std::uint32_t part = 0; part < parts.size(); ++part) {
        const std::uint32_t end =
            part + 1 < parts.size() ? parts[part + 1].line : static_cast<std::uint32_t>(document->lines.size());
        if (parts[part].isRead || end <= first || parts[part].line > last)
            continue;
        want(part);
        break;
    }
    if (wanted.empty() || (m_askedOf == document && m_asked == wanted))
        return;
    m_askedOf = document;
    m_asked = wanted;
    m_context.session.requestMachineCode(wanted);
}

} // namespace stepwell::ui
