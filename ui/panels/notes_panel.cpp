#include "ui/panels/notes_panel.h"

#include "ui/models/notes_model.h"
#include "ui/models/stage_name.h"
#include "ui/panels/table.h"
#include "ui/session/counted.h"

#include <QLineEdit>
#include <QShortcut>
#include <QToolButton>
#include <QVBoxLayout>

namespace stepwell::ui {

NotesPanel::NotesPanel(const PanelContext &context, const PanelName &name)
    : Panel(context, name),
      m_model(new NotesModel(context.appearance, context.notes, context.moment, this)),
      m_table(new QTableView(this)),
      m_stack(tableWithHint(
          m_table, tr("Nothing is noted. Select something in any pane and write below what is to be remembered of it."), this)),
      m_line(new QLineEdit(this)),
      m_bookmark(addTool(QStringLiteral("bookmark"), tr("Keep the moment that is shown (Ctrl+B)"))),
      m_remove(addTool(QStringLiteral("close"), tr("Remove the chosen note or bookmark (Delete)")))
{
    m_table->setObjectName(QStringLiteral("notesTable"));
    m_table->setAccessibleName(tr("Notes and bookmarks"));
    m_table->setModel(m_model);
    styleTable(*m_table);
    m_table->setEditTriggers(QAbstractItemView::EditKeyPressed | QAbstractItemView::DoubleClicked);
    m_table->horizontalHeader()->setSectionResizeMode(NotesModel::Place, QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setSectionResizeMode(NotesModel::Text, QHeaderView::Stretch);
    m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_line->setObjectName(QStringLiteral("noteLine"));
    m_line->setAccessibleName(tr("New note"));
    m_bookmark->setObjectName(QStringLiteral("noteBookmark"));
    m_remove->setObjectName(QStringLiteral("noteRemove"));
    auto *content = new QWidget(this);
    auto *lines = new QVBoxLayout(content);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->setSpacing(0);
    lines->addWidget(m_stack, 1);
    auto *foot = new QHBoxLayout;
    foot->setContentsMargins(6, 4, 6, 6);
    foot->addWidget(m_line);
    lines->addLayout(foot);
    setContent(content);
    setFocusProxy(m_line);

    connect(&context.notes, &Notes::changed, this, &NotesPanel::refresh);
    connect(&context.selection, &Selection::selectionChanged, this, &NotesPanel::updateLine);
    connect(&context.moment, &Moment::placeChanged, this, &NotesPanel::updateLine);
    connect(m_line, &QLineEdit::returnPressed, this, &NotesPanel::pin);
    connect(m_bookmark, &QToolButton::clicked, this, [this] { m_context.notes.addBookmark(); });
    connect(m_remove, &QToolButton::clicked, this, &NotesPanel::removeCurrent);
    connect(m_table, &QTableView::clicked, this, [this](const QModelIndex &index) { goTo(index.row()); });
    connect(m_table, &QTableView::activated, this, [this](const QModelIndex &index) { goTo(index.row()); });
    const auto *remove = new QShortcut(QKeySequence::Delete, m_table, nullptr, nullptr, Qt::WidgetShortcut);
    connect(remove, &QShortcut::activated, this, &NotesPanel::removeCurrent);
    refresh();
}

void NotesPanel::setSnapshot(const SnapshotPtr &)
{
    m_model->refresh(); // which items are there, and what passes are called
    updateLine();
}

void NotesPanel::refresh()
{
    m_model->refresh();
    const int rows = m_model->rowCount();
    showTable(*m_stack, rows > 0);
    m_remove->setEnabled(rows > 0);
    const auto notes = static_cast<qint64>(m_context.notes.notes().size());
    setNote(notes > 0 ? counted(notes, tr("%1 note"), tr("%1 notes")) : QString());
    updateLine();
}

void NotesPanel::updateLine()
{
    const std::optional<StageItem> place = m_context.selection.firstSelected();
    const sw::DocumentItem *item = m_context.selection.selectedItem();
    m_line->setPlaceholderText(place && item
                                   ? tr("Note on %1, %2").arg(QString::fromStdString(item->label), stageName(place->stage))
                                   : tr("Note on the program"));
    m_line->setEnabled(m_context.moment.snapshot() != nullptr);
    m_bookmark->setEnabled(m_context.moment.pass() != nullptr);
}

void NotesPanel::pin()
{
    m_context.notes.add(m_context.selection.firstSelected(), m_line->text());
    m_line->clear();
}

void NotesPanel::goTo(int row)
{
    if (const std::optional<std::size_t> bookmark = m_model->bookmarkAt(row)) {
        if (m_context.notes.hasMoment(*bookmark))
            m_context.moment.goTo(m_context.notes.bookmarks()[*bookmark].place);
        return;
    }
    const std::optional<std::size_t> note = m_model->noteAt(row);
    const std::optional<StageItem> place = note ? m_context.notes.placeOf(*note) : std::nullopt;
    if (!place)
        return;
    emit m_context.requests.stageNeeded(place->stage);
    m_context.selection.select(place->stage, {place->item});
}

void NotesPanel::removeCurrent()
{
    const int row = m_table->currentIndex().row();
    if (row < 0)
        return;
    if (const std::optional<std::size_t> note = m_model->noteAt(row))
        m_context.notes.remove(*note);
    else if (const std::optional<std::size_t> bookmark = m_model->bookmarkAt(row))
        m_context.notes.removeBookmark(*bookmark);
}

} // namespace stepwell::ui
