#include "ui/panels/step_panel.h"

#include "ui/models/past_model.h"
#include "ui/models/register_model.h"
#include "ui/panels/cut_text.h"
#include "ui/panels/loop_bar.h"
#include "ui/panels/memory_cells.h"
#include "ui/panels/table.h"
#include "ui/session/kernel_choice.h"

#include <QComboBox>
#include <QKeyEvent>
#include <QLabel>
#include <QLocale>
#include <QSignalBlocker>
#include <QSlider>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <QTableView>

#include <algorithm>
#include <limits>
#include <utility>

namespace stepwell::ui {

namespace {

constexpr int kNoteCharacters = 44;
constexpr int kHistoryTab = 1;

QString grouped(std::uint64_t number)
{
    return QLocale().toString(static_cast<qulonglong>(number));
}

// The lines of a kernel in the lowered document: its first line has no item.
std::vector<std::uint32_t> linesOf(const sw::StageDocument &document, std::uint32_t kernel)
{
    std::vector<std::uint32_t> lines;
    const auto isOfKernel = [&](const sw::DocumentLine &line) {
        return line.item != sw::kNoIndex && document.items[line.item].kernel == kernel;
    };
    const auto first = std::ranges::find_if(document.lines, isOfKernel);
    if (first == document.lines.end() || first == document.lines.begin())
        return lines;
    for (auto line = first - 1; line != document.lines.end() && !line->text.empty(); ++line)
        lines.push_back(static_cast<std::uint32_t>(line - document.lines.begin()));
    return lines;
}

} // namespace

StepPanel::StepPanel(const PanelContext &context, const PanelName &name)
    : Panel(context, name),
      m_debugger(context.debugger),
      m_viewed(&context.debugger),
      m_kernels(new CutComboBox(this)),
      m_actions(new StepActions(context.appearance, context.debugger,
                                {[this] { return cursorLine(); }, [this] { return m_chosenValue; }}, this)),
      m_scrubber(new QSlider(Qt::Horizontal, this)),
      m_steps(new QLabel(this)),
      m_noteLine(new CutLabel(this)),
      m_loops(new LoopBar(this)),
      m_splitter(new QSplitter(Qt::Horizontal, this)),
      m_view(new TextView(sw::StageKind::Lowered, context.appearance, context.selection, this)),
      m_registers(new RegisterModel(context.appearance, this)),
      m_past(new PastModel(context.appearance, this)),
      m_valueTabs(new QTabBar(this)),
      m_valueStack(new QStackedWidget(this)),
      m_registerTable(new QTableView(this)),
      m_pastTable(new QTableView(this)),
      m_cells(new MemoryCells(context.appearance, context.debugger, this))
{
    m_view->setObjectName(QStringLiteral("stepText"));
    m_view->setAccessibleName(tr("Lowered text of the kernel"));
    m_view->showRun();
    m_view->setHint(tr("Compile a program to step through its kernels."));
    arrange();

    connect(m_kernels, &QComboBox::activated, this, [this](int index) {
        openKernel(m_kernels->itemData(index).toUInt());
        selectRow(1); // what is selected is in the kernel that is shown
    });
    connect(m_scrubber, &QSlider::valueChanged, this, [this](int step) { m_debugger.goTo(static_cast<std::uint64_t>(step)); });
    connect(m_loops, &LoopBar::jumpWanted, &m_debugger, &Debugger::jump);
    connect(m_view, &TextView::gutterClicked, this, [this](int row, Qt::MouseButton button) {
        if (button == Qt::RightButton)
            showBreakpointMenu(row);
        else
            m_debugger.toggleBreakpoint(static_cast<std::uint32_t>(row + 1));
    });
    connect(m_valueTabs, &QTabBar::currentChanged, this, [this](int tab) {
        m_valueStack->setCurrentIndex(tab);
        askHistory();
    });
    connect(m_registerTable->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &StepPanel::chooseValue);
    connect(m_registerTable, &QTableView::activated, this, &StepPanel::showHistoryTab);
    connect(m_registerTable, &QWidget::customContextMenuRequested, this, &StepPanel::showValueMenu);
    connect(m_pastTable, &QTableView::activated, this, [this](const QModelIndex &index) {
        m_debugger.goTo(m_past->past()[static_cast<std::size_t>(index.row())].position);
    });
    connect(&m_debugger, &Debugger::opened, this, &StepPanel::onOpened);
    connect(&m_debugger, &Debugger::moved, this, &StepPanel::onMoved);
    connect(&m_debugger, &Debugger::busyChanged, this, &StepPanel::showNote);
    connect(&m_debugger, &Debugger::breakpointsChanged, this, &StepPanel::showRun);
    connect(&m_debugger, &Debugger::historyReady, this, &StepPanel::showHistory);
    connect(&context.selection, &Selection::selectionChanged, this, &StepPanel::followSelection);
    onOpened();
}

bool StepPanel::event(QEvent *event)
{
    // The window reloads its file with this key; here it runs the kernel.
    if (event->type() == QEvent::ShortcutOverride) {
        const auto *key = static_cast<QKeyEvent *>(event);
        if (StepActions::isRunKey(key->key(), key->modifiers())) {
            event->accept();
            return true;
        }
    }
    return Panel::event(event);
}

void StepPanel::keyPressEvent(QKeyEvent *event)
{
    if (StepActions::isRunKey(event->key(), event->modifiers()))
        m_actions->run(event->modifiers());
    else if (event->key() == Qt::Key_F9 && cursorLine() != 0)
        m_debugger.toggleBreakpoint(cursorLine());
    else
        Panel::keyPressEvent(event);
}

void StepPanel::showEvent(QShowEvent *event)
{
    Panel::showEvent(event);
    m_debugger.addViewer(this);
    followSelection();
}

void StepPanel::hideEvent(QHideEvent *event)
{
    if (m_viewed)
        m_viewed->removeViewer(this);
    Panel::hideEvent(event);
}

void StepPanel::setSnapshot(const SnapshotPtr &snapshot)
{
    m_snapshot = snapshot;
    m_view->setLinked(m_context.moment.isAtEnd());
    refillWhenVisible();
    followSelection();
}

void StepPanel::refill()
{
    fillKernels();
    showText();
    if (m_context.moment.isAtEnd())
        showRun();
}

void StepPanel::fillKernels()
{
    const QSignalBlocker blocker(m_kernels);
    const sw::ReportPtr report = m_snapshot ? m_snapshot->good : nullptr;
    if (std::exchange(m_kernelsOf, report) != report) {
        m_kernels->clear();
        if (report)
            for (std::size_t i = 0; i < report->kernels.size(); ++i)
                m_kernels->addItem(QString::fromStdString(report->kernels[i].name), static_cast<uint>(i));
        m_kernels->setEnabled(m_kernels->count() > 0);
    }
    m_kernels->setCurrentIndex(m_debugger.kernel() ? m_kernels->findData(*m_debugger.kernel()) : -1);
}

void StepPanel::followSelection()
{
    if (!isVisible())
        return;
    if (const auto kernel = kernelToOpen(m_debugger, m_context.selection, m_context.moment, m_snapshot))
        openKernel(*kernel);
}

void StepPanel::openKernel(std::uint32_t kernel)
{
    m_debugger.open(kernel);
    m_kernels->setCurrentIndex(m_kernels->findData(kernel));
}

void StepPanel::showText()
{
    const sw::StageDocumentPtr document = m_snapshot ? m_snapshot->stage(sw::StageKind::Lowered).document : nullptr;
    const std::optional<std::uint32_t> kernel = m_debugger.kernel();
    if (document == m_document && kernel == m_textOf)
        return;
    m_document = document;
    m_textOf = kernel;
    if (!document || !kernel) {
        m_view->setRun({});
        m_view->setRows({}, {});
        return;
    }
    std::vector<std::uint32_t> lines = linesOf(*document, *kernel);
    std::vector<RowMark> marks(lines.size(), RowMark::None);
    m_view->setRun({});
    m_view->setRows(TextRows(document, std::move(lines), std::move(marks)), {});
}

void StepPanel::onOpened()
{
    const TraceFacts *facts = m_debugger.facts();
    refillWhenVisible();
    m_loops->setFacts(facts);
    m_selectedAt = facts ? m_debugger.position()->position : 0; // opening a kernel selects nothing
    setMadeBy(facts ? std::optional(m_debugger.compilation()) : std::nullopt);
    if (!facts) {
        m_chosenValue.clear();
        showValues({});
        m_past->setPast({});
    }
    m_view->setHint(m_debugger.state() == TraceState::Failed
                        ? m_debugger.problem()
                        : tr("Choose a kernel to step through, here or in the Kernels pane."));
    showRun();
    showPosition();
    showNote();
}

void StepPanel::onMoved()
{
    const sw::TracePosition *position = m_debugger.position();
    if (!position)
        return;
    showValues(position->values);
    m_loops->setPosition(*position);
    showRun();
    showPosition();
    showNote();
    selectLine();
    askHistory();
}

void StepPanel::showRun()
{
    RunSigns signs;
    const TraceFacts *facts = m_debugger.facts();
    const sw::TracePosition *position = m_debugger.position();
    for (const Breakpoint &breakpoint : m_debugger.breakpoints())
        signs.stops[static_cast<int>(breakpoint.line) - 1] = !breakpoint.isEnabled      ? RunSigns::Stop::Off
                                                             : breakpoint.check.empty() ? RunSigns::Stop::Always
                                                                                        : RunSigns::Stop::Checked;
    if (position) {
        signs.next = static_cast<int>(position->line) - 1;
        signs.last = static_cast<int>(position->lastLine) - 1;
        for (const sw::TraceValue &value : position->values)
            if (value.instruction < facts->instructionLines.size())
                signs.notes[static_cast<int>(facts->instructionLines[value.instruction]) - 1] = {
                    lanesText(value.lanes, kNoteCharacters), value.isChanged};
    }
    m_view->setRun(std::move(signs));
}

void StepPanel::showPosition()
{
    const QSignalBlocker blocker(m_scrubber);
    const sw::TracePosition *position = m_debugger.position();
    m_scrubber->setEnabled(position && position->steps);
    if (!position) {
        m_scrubber->setRange(0, 0);
        m_steps->clear();
        return;
    }
    const auto asStep = [](std::uint64_t step) {
        return static_cast<int>(std::min<std::uint64_t>(step, std::numeric_limits<int>::max()));
    };
    m_scrubber->setRange(0, asStep(position->steps.value_or(position->position)));
    m_scrubber->setValue(asStep(position->position));
    m_steps->setText(position->steps ? tr("step %1 of %2").arg(grouped(position->position), grouped(*position->steps))
                                     : tr("step %1").arg(grouped(position->position)));
}

void StepPanel::showNote()
{
    const sw::TracePosition *position = m_debugger.position();
    QString note = m_debugger.note();
    Role role = Role::Muted;
    if (m_debugger.state() == TraceState::Failed) {
        note = m_debugger.problem();
        role = Role::Error;
    } else if (m_debugger.isBusy()) {
        note = m_debugger.state() == TraceState::Opening
                   ? tr("Running what comes before the kernel\u2026")
                   : tr("Searching, at step %1\u2026 Stop leaves the run where it was.").arg(grouped(m_debugger.reached()));
    } else if (note.isEmpty() && position && !position->differences.empty()) {
        note = QString::fromStdString(toText(position->differences.front()));
        if (position->differences.size() > 1)
            note = tr("%1 (and %2 more)").arg(note).arg(position->differences.size() - 1);
        role = Role::Error;
    } else if (note.isEmpty() && position && !position->problem.empty()) {
        note = tr("The run ends here: %1").arg(QString::fromStdString(position->problem));
        role = Role::Error;
    } else if (note.isEmpty() && position && !position->faults.empty()) {
        note = tr("Index out of range: %1").arg(QString::fromStdString(position->faults.back()));
        role = Role::Error;
    }
    QPalette palette = m_noteLine->palette();
    palette.setColor(QPalette::WindowText, m_context.appearance.color(role));
    m_noteLine->setPalette(palette);
    m_noteLine->setText(note);
    m_noteLine->setVisible(!note.isEmpty());
}

// The line that runs next is selected everywhere; at the end, the one that ran last.
void StepPanel::selectLine()
{
    const sw::TracePosition &position = *m_debugger.position();
    const bool isCurrent = m_snapshot && m_snapshot->compilation == m_debugger.compilation() && m_context.moment.isAtEnd();
    if (!isCurrent || position.position == m_selectedAt)
        return;
    m_selectedAt = position.position;
    selectRow(static_cast<int>(position.line != 0 ? position.line : position.lastLine) - 1);
}

void StepPanel::selectRow(int row)
{
    const sw::ItemIndex item = row < 0 || row >= m_view->rows().count() ? sw::kNoIndex : m_view->rows().itemAt(row);
    if (item != sw::kNoIndex && m_context.moment.isAtEnd())
        m_context.selection.select(sw::StageKind::Lowered, {item});
}

std::uint32_t StepPanel::cursorLine() const
{
    if (m_view->chosenRow() >= 0)
        return static_cast<std::uint32_t>(m_view->chosenRow() + 1);
    const sw::TracePosition *position = m_debugger.position();
    return position ? position->line : 0;
}

// The choice stays with its value, which may stand in another row after a step, or in none.
void StepPanel::chooseValue(const QModelIndex &index)
{
    if (!index.isValid() || m_isFilling)
        return;
    m_chosenValue = QString::fromStdString(m_registers->values()[static_cast<std::size_t>(index.row())].name);
    askHistory();
}

void StepPanel::showValues(const std::vector<sw::TraceValue> &values)
{
    m_isFilling = true;
    m_registers->setValues(values);
    const int row = m_chosenValue.isEmpty() ? -1 : m_registers->rowNamed(m_chosenValue.toStdString());
    m_registerTable->setCurrentIndex(row < 0 ? QModelIndex() : m_registers->index(row, RegisterModel::kName));
    m_isFilling = false;
    if (const int changed = m_registers->firstChanged(); changed >= 0)
        m_registerTable->scrollTo(m_registers->index(changed, RegisterModel::kName));
}

void StepPanel::askHistory()
{
    const QString &value = m_chosenValue;
    const QString title = value.isEmpty() ? tr("History") : tr("History of %%1").arg(value);
    m_valueTabs->setTabText(kHistoryTab, title);
    m_valueTabs->setTabToolTip(kHistoryTab, title);
    if (m_valueTabs->currentIndex() == kHistoryTab && !value.isEmpty() && isVisible())
        m_debugger.askHistory(value.toStdString());
}

void StepPanel::showHistoryTab()
{
    m_valueTabs->setCurrentIndex(kHistoryTab);
}

void StepPanel::showHistory(const QString &value, const std::vector<sw::TracePast> &past, const QString &problem)
{
    if (value != m_chosenValue)
        return;
    m_past->setPast(past);
    auto *stack = static_cast<QStackedWidget *>(m_valueStack->widget(kHistoryTab));
    setTableHint(*stack, problem.isEmpty() ? tr("It has not been made yet.") : problem);
    showTable(*stack, !past.empty());
}

} // namespace stepwell::ui
