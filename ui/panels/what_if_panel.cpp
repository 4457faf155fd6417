#include "ui/panels/what_if_panel.h"

#include "ui/panels/loop_editor.h"
#include "ui/panels/table.h"
#include "ui/panels/why_html.h"

#include <QActionGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QSignalBlocker>
#include <QTableWidget>
#include <QTextBrowser>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace stepwell::ui {

namespace {

constexpr int kMostRows = 6; // of the list, before it scrolls
constexpr int kProgressMilliseconds = 100;

Role roleOf(const sw::OverrideEntry &entry)
{
    if (entry.state == "applied")
        return Role::Added;
    return entry.state == "refused" || entry.state == "unknown value" ? Role::Warning : Role::Muted;
}

QString rowHtml(const QString &name, const QString &value, const Appearance &appearance)
{
    if (value.isEmpty())
        return {};
    return QStringLiteral("<tr><td style='color:%1; padding-right:8px; white-space:nowrap'>%2</td><td>%3</td></tr>")
        .arg(appearance.color(Role::Muted).name(), name, value.toHtmlEscaped());
}

} // namespace

WhatIfPanel::WhatIfPanel(const PanelContext &context, const PanelName &name)
    : Panel(context, name),
      m_table(new QTableWidget(0, 2, this)),
      m_stack(tableWithHint(m_table,
                            tr("Decide in place of the compiler: choose an edge, a value or a kernel, and try something else in "
                               "the panel \u201cWhy\u201d."),
                            this)),
      m_loops(new LoopEditor(context.session, context.appearance, this)),
      m_detail(new QTextBrowser(this))
{
    m_table->setObjectName(QStringLiteral("whatIfTable"));
    m_table->setAccessibleName(tr("Overrides"));
    styleTable(*m_table);
    m_table->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed);
    m_table->horizontalHeader()->hide();
    m_table->horizontalHeader()->setSectionResizeMode(Text, QHeaderView::Stretch);
    m_table->horizontalHeader()->setSectionResizeMode(State, QHeaderView::ResizeToContents);
    m_detail->setObjectName(QStringLiteral("whatIfDetail"));
    m_detail->setAccessibleName(tr("What became of the override"));
    m_detail->setFrameShape(QFrame::NoFrame);
    m_detail->document()->setDocumentMargin(8);

    auto *content = new QWidget(this);
    auto *column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_stack, 1);
    column->addWidget(m_loops);
    column->addWidget(makeMeasureRow());
    column->addWidget(m_detail, 1);
    setContent(content);
    setFocusProxy(m_table);
    makeTools();

    connect(m_table, &QTableWidget::itemChanged, this, &WhatIfPanel::onCellChanged);
    connect(m_table, &QTableWidget::currentCellChanged, this, &WhatIfPanel::showDetail);
    connect(m_loops, &LoopEditor::changed, this, [this](const QString &override) {
        if (const auto index = current())
            static_cast<void>(m_context.whatIf.edit(*index, override)); // it was checked
    });
    connect(&context.whatIf, &WhatIf::changed, this, &WhatIfPanel::fill);
    connect(&context.appearance, &Appearance::changed, this, &WhatIfPanel::fill);
    fill();
}

void WhatIfPanel::makeTools()
{
    WhatIf &model = m_context.whatIf;
    const auto tool = [this](const char *icon, const QString &text, const char *id) {
        QToolButton *button = addTool(QLatin1String(icon), text);
        button->setObjectName(QLatin1String(id));
        return button;
    };
    m_undo = tool("previous", tr("Undo"), "whatIfUndo");
    m_redo = tool("next", tr("Redo"), "whatIfRedo");
    m_up = tool("up", tr("Move up: where two overrides contradict each other, the first one counts"), "whatIfUp");
    m_down = tool("down", tr("Move down"), "whatIfDown");
    m_remove = tool("close", tr("Remove"), "whatIfRemove");
    connect(m_undo, &QToolButton::clicked, &model.history(), &QUndoStack::undo);
    connect(m_redo, &QToolButton::clicked, &model.history(), &QUndoStack::redo);
    connect(m_up, &QToolButton::clicked, this, [this] { moveBy(-1); });
    connect(m_down, &QToolButton::clicked, this, [this] { moveBy(1); });
    connect(m_remove, &QToolButton::clicked, this, [this] {
        if (const auto index = current())
            m_context.whatIf.remove(*index);
    });
}

QWidget *WhatIfPanel::makeMeasureRow()
{
    auto *row = new QWidget(this);
    auto *line = new QHBoxLayout(row);
    line->setContentsMargins(8, 4, 8, 4);
    m_measure = new QToolButton(row);
    m_measure->setObjectName(QStringLiteral("whatIfMeasure"));
    m_measure->setPopupMode(QToolButton::MenuButtonPopup);
    m_measure->setMenu(makeMeasureMenu(m_measure));
    m_measuring = new QLabel(row);
    m_measuring->setObjectName(QStringLiteral("whatIfMeasuring"));
    m_measuring->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    line->addWidget(m_measure);
    line->addWidget(m_measuring, 1);
    connect(m_measure, &QToolButton::clicked, this, [this] {
        if (m_context.whatIf.isMeasuringInTurn())
            m_context.whatIf.stopMeasuring();
        else
            m_context.whatIf.measureBeforeAndAfter();
    });
    m_progress.setInterval(kProgressMilliseconds);
    connect(&m_progress, &QTimer::timeout, this, &WhatIfPanel::showMeasuring);
    return row;
}

QMenu *WhatIfPanel::makeMeasureMenu(QWidget *parent)
{
    auto *menu = new QMenu(parent);
    WhatIf &model = m_context.whatIf;
    const auto addChoices = [menu](const QString &title) {
        menu->addSection(title);
        return new QActionGroup(menu); // the menu owns it
    };
    QActionGroup *precisions = addChoices(tr("Until the ratio is known within"));
    for (const double percent : {0.2, 0.5, 1.0, 2.0, 5.0}) {
        QAction *action = menu->addAction(tr("\u00b1 %1 %").arg(percent));
        action->setCheckable(true);
        action->setChecked(percent == model.measureChoice().percent);
        precisions->addAction(action);
        connect(action, &QAction::triggered, &model,
                [&model, percent] { model.setMeasureChoice({percent, model.measureChoice().budgetMilliseconds}); });
    }
    QActionGroup *budgets = addChoices(tr("Or for at most"));
    for (const int seconds : {1, 2, 5, 10, 30, 60}) {
        QAction *action = menu->addAction(tr("%1 s").arg(seconds));
        action->setCheckable(true);
        action->setChecked(1000 * seconds == model.measureChoice().budgetMilliseconds);
        budgets->addAction(action);
        connect(action, &QAction::triggered, &model,
                [&model, seconds] { model.setMeasureChoice({model.measureChoice().percent, 1000 * seconds}); });
    }
    return menu;
}

void WhatIfPanel::showMeasuring()
{
    const WhatIf &model = m_context.whatIf;
    const bool isMeasuring = model.isMeasuringInTurn();
    m_measure->setText(isMeasuring ? tr("Stop") : tr("Measure before and after"));
    m_measure->setEnabled(isMeasuring || model.canMeasure());
    m_measure->setToolTip(isMeasuring ? tr("Stop measuring")
                                      : tr("Compile the program as it was before the last change and as it is now, and run both "
                                           "in turn"));
    const MeasureChoice &choice = model.measureChoice();
    m_measuring->setText(isMeasuring ? tr("measuring: %1 %").arg(model.percentMeasured())
                                     : tr("\u00b1 %1 %, at most %2 s").arg(choice.percent).arg(choice.budgetMilliseconds / 1000));
    m_measuring->setEnabled(m_measure->isEnabled());
    if (isMeasuring && !m_progress.isActive())
        m_progress.start();
    else if (!isMeasuring)
        m_progress.stop();
}

void WhatIfPanel::setSnapshot(const SnapshotPtr &snapshot)
{
    setMadeBy(snapshot && !m_context.whatIf.lines().empty() ? snapshot->madeBy(sw::StageKind::Schedule) : std::nullopt);
}

std::optional<std::size_t> WhatIfPanel::current() const
{
    const int row = m_table->currentRow();
    return row < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(row));
}

void WhatIfPanel::moveBy(int rows)
{
    const auto index = current();
    const auto count = static_cast<int>(m_context.whatIf.lines().size());
    const int to = index ? static_cast<int>(*index) + rows : -1;
    if (to < 0 || to >= count)
        return;
    m_context.whatIf.move(*index, static_cast<std::size_t>(to));
    m_table->setCurrentCell(to, Text);
}

QTableWidgetItem &WhatIfPanel::itemAt(int row, int column)
{
    if (!m_table->item(row, column))
        m_table->setItem(row, column, new QTableWidgetItem); // the table owns it
    return *m_table->item(row, column);
}

void WhatIfPanel::fill()
{
    const WhatIf &model = m_context.whatIf;
    {
        const QSignalBlocker blocker(m_table);
        const bool isOtherCount = std::exchange(m_count, model.lines().size()) != model.lines().size();
        m_table->setRowCount(static_cast<int>(model.lines().size()));
        for (std::size_t i = 0; i < model.lines().size(); ++i) {
            const sw::OverrideLine &line = model.lines()[i];
            const sw::OverrideEntry *entry = model.entry(i);
            // Changed in place: one of them may be telling of its own change right now.
            QTableWidgetItem &text = itemAt(static_cast<int>(i), Text);
            text.setText(QString::fromStdString(sw::overrideTitle(line.text)));
            const bool hasLines = line.text.find('\n') != std::string::npos; // the text of a kernel has an editor of its own
            text.setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable |
                          (hasLines ? Qt::NoItemFlags : Qt::ItemIsEditable));
            text.setCheckState(line.isOn ? Qt::Checked : Qt::Unchecked);
            QTableWidgetItem &state = itemAt(static_cast<int>(i), State);
            state.setText(entry ? QString::fromStdString(entry->state) : tr("\u2026"));
            state.setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
            state.setForeground(m_context.appearance.color(entry ? roleOf(*entry) : Role::Muted));
            state.setToolTip(entry ? QString::fromStdString(entry->reason) : QString());
        }
        if (isOtherCount && model.changedIndex())
            m_table->setCurrentCell(static_cast<int>(*model.changedIndex()), Text);
        else if (m_table->currentRow() < 0 && m_table->rowCount() > 0)
            m_table->setCurrentCell(m_table->rowCount() - 1, Text);
    }
    // As high as its rows; the hint of an empty list takes all the room.
    const int height = kRowHeight * std::min(m_table->rowCount(), kMostRows) + 2;
    m_stack->setMaximumHeight(model.lines().empty() ? QWIDGETSIZE_MAX : height);
    m_stack->setMinimumHeight(model.lines().empty() ? 0 : height);
    showTable(*m_stack, !model.lines().empty());
    showDetail();
}

void WhatIfPanel::showDetail()
{
    WhatIf &model = m_context.whatIf;
    const Appearance &appearance = m_context.appearance;
    const QUndoStack &history = model.history();
    m_undo->setEnabled(history.canUndo());
    m_undo->setToolTip(history.canUndo() ? tr("Undo: %1").arg(history.undoText()) : tr("Undo"));
    m_redo->setEnabled(history.canRedo());
    m_redo->setToolTip(history.canRedo() ? tr("Redo: %1").arg(history.redoText()) : tr("Redo"));
    const auto index = current();
    for (QToolButton *button : {m_up, m_down, m_remove})
        button->setEnabled(index.has_value());
    showMeasuring();
    const QString text = index && *index < model.lines().size() ? QString::fromStdString(model.lines()[*index].text) : QString();
    const bool isOfLoops = text.startsWith(QStringLiteral("loops "));
    m_loops->setVisible(isOfLoops);
    if (isOfLoops && m_context.session.snapshot() && m_context.session.snapshot()->isFinal)
        m_loops->setOverride(text);
    QString html;
    if (index && *index < model.lines().size()) {
        if (const sw::OverrideEntry *entry = model.entry(*index)) {
            QString rows = rowHtml(tr("state"), QString::fromStdString(entry->state), appearance);
            rows += rowHtml(tr("why"), QString::fromStdString(entry->reason), appearance);
            rows += rowHtml(tr("where"), QString::fromStdString(entry->where), appearance);
            rows += rowHtml(tr("note"), QString::fromStdString(entry->note), appearance);
            html += QStringLiteral("<table cellspacing='0' cellpadding='1'>%1</table>").arg(rows);
        }
    }
    if (const auto &measured = model.measured())
        html += effectHtml(tr("Measured before and after: %1").arg(measured->name), measured->effect, appearance);
    const WhatIfEffect *own = index ? model.effectOf(*index) : nullptr;
    if (own)
        html += effectHtml(own->name, own->effect, appearance);
    if (const auto &last = model.effect(); last && (!own || own->name != last->name))
        html += effectHtml(tr("Last change: %1").arg(last->name), last->effect, appearance);
    m_detail->setHtml(html);
    m_detail->setVisible(!html.isEmpty());
}

void WhatIfPanel::onCellChanged(const QTableWidgetItem *item)
{
    const auto index = static_cast<std::size_t>(item->row());
    if (item->column() != Text || index >= m_context.whatIf.lines().size())
        return;
    const sw::OverrideLine &line = m_context.whatIf.lines()[index];
    if (const bool isOn = item->checkState() == Qt::Checked; isOn != line.isOn) {
        m_context.whatIf.setOn(index, isOn);
        return;
    }
    if ((item->flags() & Qt::ItemIsEditable) == 0)
        return;
    const QString problem = m_context.whatIf.edit(index, item->text());
    if (problem.isEmpty())
        return;
    fill(); // the old text again
    m_detail->setHtml(QStringLiteral("<p style='margin:0'><span style='color:%1'>%2</span></p>")
                          .arg(m_context.appearance.color(Role::Error).name(), problem.toHtmlEscaped()));
    m_detail->show();
}

} // namespace stepwell::ui
