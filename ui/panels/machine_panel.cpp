#include "ui/panels/machine_panel.h"

#include "ui/panels/cut_text.h"
#include "ui/panels/machine_columns.h"
#include "ui/panels/text_sides.h"
#include "ui/session/counted.h"

#include <QBoxLayout>
#include <QKeyEvent>
#include <QMenu>
#include <QScrollBar>
#include <QSplitter>
#include <QToolButton>

#include <algorithm>

namespace stepwell::ui {

namespace {

constexpr int kLeastWidthBeside = 330; // of this machine's code when there are columns: the pane scrolls if they do not fit

} // namespace

MachinePanel::MachinePanel(const PanelContext &context, const PanelName &name)
    : TextPanel(context, name, sw::StageKind::Machine),
      m_code(new MachineText(context.appearance, view(), this)),
      m_columns(new MachineColumns(context, this)),
      m_loopButton(new QToolButton(this)),
      m_targetButton(new QToolButton(this)),
      m_bytesButton(new QToolButton(this)),
      m_told(new CutLabel(this)),
      m_cycles(new CutLabel(this)),
      m_loopMenu(new QMenu(this)),
      m_targetMenu(new QMenu(this))
{
    static_cast<QBoxLayout *>(layout())->insertWidget(0, makeStrip());
    // The columns stand beside the text as it is now; before and the difference have the place for themselves.
    auto *splitter = new QSplitter(this);
    splitter->setObjectName(QStringLiteral("machineSplitter"));
    splitter->setHandleWidth(3);
    splitter->setChildrenCollapsible(false);
    sides().removeWidget(&view());
    splitter->addWidget(&view());
    splitter->addWidget(m_columns);
    splitter->setStretchFactor(0, 1);
    splitter->setStretchFactor(1, 1);
    splitter->setFocusProxy(&view());
    view().show();
    sides().insertWidget(0, splitter);
    sides().setCurrentIndex(0);

    view().installEventFilter(this);
    connect(m_code, &MachineText::factsChanged, this, [this](const std::map<int, RunSigns::Note> &facts) { setFacts(facts); });
    connect(m_code, &MachineText::lineChosen, this, [this] {
        if (m_code->chosenLine() != sw::kNoIndex)
            showKernelAt(m_code->chosenLine());
        updateStrip();
    });
    connect(m_code, &MachineText::bytesShown, this, [this](bool isShown) {
        m_bytesButton->setChecked(isShown);
        m_columns->showBytes(isShown);
    });
    connect(view().verticalScrollBar(), &QScrollBar::valueChanged, this, [this] {
        if (!m_context.selection.hasSelection() && m_code->chosenLine() == sw::kNoIndex)
            showKernelAt(view().rows().lineNear(view().firstVisibleRow()));
        updateStrip();
    });
    connect(&context.selection, &Selection::selectionChanged, this, &MachinePanel::onSelection);
    const auto makeRoom = [this] { view().setMinimumWidth(m_context.targets.targets().isEmpty() ? 0 : kLeastWidthBeside); };
    connect(&context.targets, &TargetChoice::changed, this, makeRoom);
    makeRoom();
    updateStrip();
}

QWidget *MachinePanel::makeStrip()
{
    auto *strip = new QWidget(this);
    auto *row = new QHBoxLayout;
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(6);
    const auto setUp = [&](QToolButton *button, const char *name, const QString &toolTip) {
        button->setObjectName(QLatin1String(name));
        button->setToolTip(toolTip);
        button->setAutoRaise(true);
    };
    setUp(m_loopButton, "machineLoops", tr("The loops, the hottest first ([ and ] step through them)"));
    setUp(m_targetButton, "machineTargets", tr("The same kernel on other processors, in columns beside this one (T)"));
    setUp(m_bytesButton, "machineBytes", tr("The encoding of every instruction (B)"));
    m_loopButton->setPopupMode(QToolButton::InstantPopup);
    m_loopButton->setMenu(m_loopMenu);
    m_targetButton->setText(tr("Processors"));
    m_targetButton->setPopupMode(QToolButton::InstantPopup);
    m_targetButton->setMenu(m_targetMenu);
    m_bytesButton->setText(tr("Bytes"));
    m_bytesButton->setCheckable(true);
    m_told->setObjectName(QStringLiteral("machineTold"));
    m_told->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_cycles->setObjectName(QStringLiteral("machineCycles"));
    m_cycles->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_cycles->setContentsMargins(6, 0, 0, 2);
    m_cycles->hide();
    row->addWidget(m_loopButton);
    row->addWidget(m_told, 1);
    row->addWidget(m_targetButton);
    row->addWidget(m_bytesButton);
    auto *rows = new QVBoxLayout(strip);
    rows->setContentsMargins(6, 2, 6, 2);
    rows->setSpacing(2);
    rows->addLayout(row);
    rows->addWidget(m_cycles);
    connect(m_bytesButton, &QToolButton::toggled, this, [this](bool isShown) {
        if (isShown != gutter().showsBytes())
            m_code->showBytes(isShown);
    });
    connect(m_loopMenu, &QMenu::aboutToShow, this, &MachinePanel::fillLoops);
    connect(m_targetMenu, &QMenu::aboutToShow, this, [this] { m_columns->fillMenu(*m_targetMenu); });
    return strip;
}

void MachinePanel::setSnapshot(const SnapshotPtr &snapshot)
{
    TextPanel::setSnapshot(snapshot);
    m_snapshot = snapshot;
    m_code->readDocument();
    m_columns->setSnapshot(snapshot);
    onSelection();
    askCycles();
}

void MachinePanel::showEvent(QShowEvent *event)
{
    TextPanel::showEvent(event);
    askCycles();
}

bool MachinePanel::isSettled() const
{
    return TextPanel::isSettled() && m_columns->isSettled() && (!isVisible() || !m_context.session.isAsking(RequestTag::Cycles));
}

void MachinePanel::setAllFolded(bool isFolded)
{
    m_code->setAllFolded(isFolded);
    m_columns->setAllFolded(isFolded);
}

// What is selected elsewhere must be seen here, and its kernel is the one of the columns.
void MachinePanel::onSelection()
{
    const std::vector<std::uint32_t> &lines = m_context.selection.selected(sw::StageKind::Machine).firstLines();
    if (!lines.empty())
        m_code->reveal(lines.front());
    if (const sw::DocumentItem *item = m_context.selection.selectedItem(); item != nullptr && item->kernel != sw::kNoIndex)
        m_columns->setKernel(item->kernel);
    else if (!lines.empty())
        showKernelAt(lines.front());
    updateStrip();
}

void MachinePanel::showKernelAt(std::uint32_t line)
{
    const sw::StageDocumentPtr &document = view().rows().document();
    if (!document || document->parts.empty())
        return;
    const auto next = std::ranges::upper_bound(document->parts, line, {}, &sw::DocumentPart::line);
    m_columns->setKernel(static_cast<std::uint32_t>(std::max<std::ptrdiff_t>(next - document->parts.begin() - 1, 0)));
}

void MachinePanel::fillLoops()
{
    m_loopMenu->clear();
    for (std::size_t place = 0; m_code->structure() && place < m_code->structure()->byHeat.size(); ++place)
        m_loopMenu->addAction(m_code->loopText(place), this, [this, place] { m_code->goToLoop(place); });
}

void MachinePanel::updateStrip()
{
    const std::size_t count = m_code->structure() ? m_code->structure()->loops.size() : 0;
    m_loopButton->setText(counted(static_cast<std::int64_t>(count), tr("%1 loop"), tr("%1 loops")));
    m_loopButton->setEnabled(count > 0);
    m_told->setText(m_code->summary());
    updateCycles();
}

// Of the kernel that the columns show, too.
void MachinePanel::updateCycles()
{
    const auto found = std::ranges::find(m_answer.kernels, m_columns->kernel(), &sw::CyclesOfKernel::kernel);
    m_cycles->setVisible(found != m_answer.kernels.end());
    if (found == m_answer.kernels.end())
        return;
    QString told = found->problem.empty() ? QString::fromStdString(found->text)
                                          : tr("measured cycles: no comparison, %1").arg(QString::fromStdString(found->problem));
    if (!found->reason.empty())
        told += QStringLiteral("  \u00b7  ") + QString::fromStdString(found->reason);
    m_cycles->setText(told);
    QString tip = told;
    if (found->threads > 1)
        tip += tr("\n%1 threads, taken to share the work evenly").arg(found->threads);
    if (found->share < 0.995)
        tip += tr("\nan estimate: the loop has %1 % of the simulated cycles, and is taken to have as much of the time")
                   .arg(100 * found->share, 0, 'f', 0);
    m_cycles->setToolTip(tip + tr("\nclock: %1").arg(QString::fromStdString(sw::toText(m_answer.clock))));
}

// Once there is a run of this compilation, for the kernels that are read.
void MachinePanel::askCycles()
{
    const sw::StageDocumentPtr &document = view().rows().document();
    const bool isMeasured = m_snapshot && m_snapshot->isFinal && m_snapshot->measured && document && !isCompiling() &&
                            m_snapshot->measuredCompilation == m_snapshot->compilation &&
                            m_snapshot->madeBy(sw::StageKind::Machine) == m_snapshot->compilation && !m_context.session.isKept();
    if (!isMeasured) {
        m_answer = {};
        m_askedOf = nullptr;
        m_asked.clear();
        updateCycles();
        return;
    }
    std::vector<std::uint32_t> kernels;
    for (std::uint32_t kernel = 0; kernel < document->parts.size(); ++kernel)
        if (document->parts[kernel].isRead)
            kernels.push_back(kernel);
    const auto median = [](const sw::ReportPtr &report) { return report ? report->totalMedianNanoseconds : std::nullopt; };
    if (!isVisible() || kernels.empty() || (median(m_askedOf) == median(m_snapshot->measured) && kernels == m_asked))
        return;
    m_askedOf = m_snapshot->measured;
    m_asked = kernels;
    m_context.session.ask(
        RequestTag::Cycles, this,
        [kernels](EngineService &engine, const std::stop_token &stop) { return engine.measuredCycles(kernels, stop); },
        [this](sw::CyclesAnswer answer) {
            m_answer = std::move(answer);
            updateCycles();
        });
}

bool MachinePanel::eventFilter(QObject *object, QEvent *event)
{
    const bool isOverride = event->type() == QEvent::ShortcutOverride;
    if (object != &view() || (event->type() != QEvent::KeyPress && !isOverride))
        return TextPanel::eventFilter(object, event);
    const auto *key = static_cast<QKeyEvent *>(event);
    if (key->modifiers() != Qt::NoModifier || key->key() != Qt::Key_T)
        return TextPanel::eventFilter(object, event);
    if (isOverride)
        event->accept();
    else
        m_targetButton->showMenu();
    return true;
}

} // namespace stepwell::ui
