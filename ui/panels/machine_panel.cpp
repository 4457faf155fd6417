#include "ui/panels/machine_panel.h"

#include "ui/session/counted.h"

#include <QBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QScrollBar>
#include <QToolButton>

#include <algorithm>
#include <array>

namespace stepwell::ui {

MachinePanel::MachinePanel(const PanelContext &context, const PanelName &name)
    : TextPanel(context, name, sw::StageKind::Machine),
      m_gutter(context.appearance),
      m_loopButton(new QToolButton(this)),
      m_bytesButton(new QToolButton(this)),
      m_told(new QLabel(this)),
      m_loopMenu(new QMenu(this))
{
    auto *strip = new QWidget(this);
    auto *row = new QHBoxLayout(strip);
    row->setContentsMargins(6, 2, 6, 2);
    row->setSpacing(6);
    m_loopButton->setObjectName(QStringLiteral("machineLoops"));
    m_loopButton->setToolTip(tr("The loops, the hottest first ([ and ] step through them)"));
    m_loopButton->setPopupMode(QToolButton::InstantPopup);
    m_loopButton->setMenu(m_loopMenu);
    m_loopButton->setAutoRaise(true);
    m_bytesButton->setObjectName(QStringLiteral("machineBytes"));
    m_bytesButton->setText(tr("Bytes"));
    m_bytesButton->setToolTip(tr("The encoding of every instruction (B)"));
    m_bytesButton->setCheckable(true);
    m_bytesButton->setAutoRaise(true);
    m_told->setObjectName(QStringLiteral("machineTold"));
    m_told->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    row->addWidget(m_loopButton);
    row->addWidget(m_told, 1);
    row->addWidget(m_bytesButton);
    static_cast<QBoxLayout *>(layout())->insertWidget(0, strip);

    view().setMargin(&m_gutter);
    view().installEventFilter(this);
    connect(m_bytesButton, &QToolButton::toggled, this, &MachinePanel::showBytes);
    connect(m_loopMenu, &QMenu::aboutToShow, this, &MachinePanel::fillLoops);
    connect(&view(), &TextView::marginClicked, this, &MachinePanel::onMarginClicked);
    connect(&context.selection, &Selection::selectionChanged, this, [this] {
        unfoldSelected();
        updateStrip();
    });
    updateStrip();
}

void MachinePanel::setSnapshot(const SnapshotPtr &snapshot)
{
    TextPanel::setSnapshot(snapshot);
    const sw::StageDocumentPtr &document = view().rows().document();
    const auto structure = document ? document->machine : nullptr;
    if (structure == m_structure)
        return;
    m_structure = structure;
    m_loopPlace = -1;
    applyRows();
    unfoldSelected();
    updateStrip();
}

MachinePanel::FoldKey MachinePanel::keyOf(std::size_t copies) const
{
    const std::uint32_t line = m_structure->copies[copies].first;
    for (std::uint32_t kernel = 0; kernel < m_structure->kernels.size(); ++kernel) {
        const sw::MachineKernelLines &lines = m_structure->kernels[kernel];
        if (line >= lines.first && line <= lines.last)
            return {view().rows().document()->items[view().rows().document()->lines[line].item].kernel, line - lines.first};
    }
    return {};
}

// The rows without the folded copies but the first, and what stands behind the lines.
void MachinePanel::applyRows()
{
    const sw::StageDocumentPtr document = view().rows().document();
    m_gutter.setStructure(m_structure, [this](std::size_t copies) { return isFolded(copies); });
    if (!document || !m_structure) {
        view().updateMargin();
        return;
    }
    std::vector<bool> isHidden(document->lines.size(), false);
    std::map<int, RunSigns::Note> facts;    // by row
    std::map<std::uint32_t, QString> notes; // by line
    for (std::size_t i = 0; i < m_structure->copies.size(); ++i) {
        const sw::MachineCopyLines &copies = m_structure->copies[i];
        if (!isFolded(i))
            continue;
        for (std::uint32_t line = copies.first + copies.length; line < copies.first + copies.length * copies.count; ++line)
            isHidden[line] = true;
        notes[copies.first] = QString::fromStdString(copies.summary);
    }
    for (const sw::MachineLoopLines &loop : m_structure->loops) {
        QString &note = notes[loop.header];
        const QString cycles =
            loop.cyclesPerRound > 0 ? tr("%1 cycles per round").arg(loop.cyclesPerRound, 0, 'f', 2) : QString();
        QString told = tr("loop %1").arg(QString::fromStdString(loop.name));
        if (!cycles.isEmpty())
            told += QStringLiteral(", ") + cycles;
        note = note.isEmpty() ? told : told + QStringLiteral("; ") + note;
    }
    std::vector<std::uint32_t> lines;
    for (std::uint32_t line = 0; line < isHidden.size(); ++line)
        if (!isHidden[line])
            lines.push_back(line);
    for (const auto &[line, note] : notes)
        if (const auto row = std::ranges::lower_bound(lines, line); row != lines.end() && *row == line)
            facts[static_cast<int>(row - lines.begin())] = {note, false};
    const std::vector<KernelIdentity> kernels = view().kernels();
    const std::uint32_t top = view().rows().lineNear(view().firstVisibleRow());
    std::vector<RowMark> marks(lines.size(), RowMark::None);
    const auto rowOfTop = std::ranges::upper_bound(lines, top) - lines.begin() - 1; // what is on top stays there
    view().setRows(TextRows(document, std::move(lines), std::move(marks)), kernels);
    setFacts(std::move(facts));
    view().updateMargin();
    view().verticalScrollBar()->setValue(static_cast<int>(rowOfTop));
}

void MachinePanel::setAllFolded(bool isFolded)
{
    m_unfolded.clear();
    for (std::size_t i = 0; m_structure && !isFolded && i < m_structure->copies.size(); ++i)
        m_unfolded.insert(keyOf(i));
    applyRows();
}

void MachinePanel::toggleFold(std::uint32_t line)
{
    for (std::size_t i = 0; m_structure && i < m_structure->copies.size(); ++i) {
        const sw::MachineCopyLines &copies = m_structure->copies[i];
        if (line < copies.first || line >= copies.first + copies.length * copies.count)
            continue;
        const FoldKey key = keyOf(i);
        if (m_unfolded.erase(key) == 0)
            m_unfolded.insert(key);
        applyRows();
        chooseLine(copies.first);
        return;
    }
}

// What is selected elsewhere must be seen here.
void MachinePanel::unfoldSelected()
{
    if (!m_structure)
        return;
    const std::vector<std::uint32_t> &lines = m_context.selection.selected(sw::StageKind::Machine).firstLines();
    if (lines.empty() || view().rows().rowOfLine(lines.front()) >= 0)
        return;
    for (std::size_t i = 0; i < m_structure->copies.size(); ++i) {
        const sw::MachineCopyLines &copies = m_structure->copies[i];
        if (lines.front() < copies.first || lines.front() >= copies.first + copies.length * copies.count)
            continue;
        m_unfolded.insert(keyOf(i));
        applyRows();
        view().scrollToRow(view().rows().rowOfLine(lines.front()));
        return;
    }
}

std::uint32_t MachinePanel::chosenLine() const
{
    return view().chosenRow() < 0 ? sw::kNoIndex : view().rows().lineAt(view().chosenRow());
}

void MachinePanel::chooseLine(std::uint32_t line)
{
    int row = view().rows().rowOfLine(line);
    if (row < 0) {
        toggleFold(line);
        row = view().rows().rowOfLine(line);
    }
    if (row >= 0)
        view().chooseRow(row);
    updateStrip();
}

void MachinePanel::followJump()
{
    const std::uint32_t line = chosenLine();
    if (const auto other = line == sw::kNoIndex ? std::nullopt : m_gutter.otherEnd(line))
        chooseLine(*other);
}

void MachinePanel::goToLoop(std::size_t place)
{
    if (!m_structure || place >= m_structure->byHeat.size())
        return;
    m_loopPlace = static_cast<int>(place);
    chooseLine(m_structure->loops[m_structure->byHeat[place]].header);
}

void MachinePanel::stepLoop(int direction)
{
    if (!m_structure || m_structure->byHeat.empty())
        return;
    const int count = static_cast<int>(m_structure->byHeat.size());
    const int from = m_loopPlace < 0 && direction < 0 ? count : m_loopPlace;
    goToLoop(static_cast<std::size_t>((from + direction + count) % count));
}

void MachinePanel::showBytes(bool isShown)
{
    m_gutter.setBytesShown(isShown);
    m_bytesButton->setChecked(isShown);
    view().updateMargin();
}

void MachinePanel::onMarginClicked(int row, int x)
{
    const std::uint32_t line = view().rows().lineAt(row);
    switch (m_gutter.partAt(x, view().metrics())) {
    case MachineGutter::Part::Fold:
        toggleFold(line);
        return;
    case MachineGutter::Part::Arrows:
        if (const auto other = m_gutter.otherEnd(line))
            chooseLine(*other);
        return;
    case MachineGutter::Part::Registers:
    case MachineGutter::Part::Bytes:
        view().chooseRow(row);
        updateStrip();
        return;
    }
}

void MachinePanel::fillLoops()
{
    m_loopMenu->clear();
    for (std::size_t place = 0; m_structure && place < m_structure->byHeat.size(); ++place) {
        const sw::MachineLoopLines &loop = m_structure->loops[m_structure->byHeat[place]];
        QString text = QString::fromStdString(loop.summary);
        if (!loop.throughput.empty())
            text += QStringLiteral("; ") + QString::fromStdString(loop.throughput);
        m_loopMenu->addAction(text, this, [this, place] { goToLoop(place); });
    }
}

// The kernel of the chosen or first visible line: its registers, and the loop around the line.
void MachinePanel::updateStrip()
{
    const std::size_t count = m_structure ? m_structure->loops.size() : 0;
    m_loopButton->setText(counted(static_cast<std::int64_t>(count), tr("%1 loop"), tr("%1 loops")));
    m_loopButton->setEnabled(count > 0);
    if (!m_structure || m_structure->kernels.empty()) {
        m_told->clear();
        return;
    }
    const std::uint32_t line =
        chosenLine() != sw::kNoIndex ? chosenLine() : view().rows().lineAt(std::max(0, view().firstVisibleRow()));
    const sw::MachineKernelLines *kernel = &m_structure->kernels.front();
    for (const sw::MachineKernelLines &one : m_structure->kernels)
        if (line >= one.first && line <= one.last)
            kernel = &one;
    QString told = tr("at most %1").arg(QString::fromStdString(kernel->registers));
    const sw::MachineLoopLines *around = nullptr;
    for (const sw::MachineLoopLines &loop : m_structure->loops)
        if (line >= loop.first && line <= loop.last)
            around = &loop;
    const std::string &throughput = around != nullptr ? around->throughput : kernel->whole;
    if (!throughput.empty())
        told += QStringLiteral("  ·  ") + QString::fromStdString(throughput);
    m_told->setText(told);
    m_told->setToolTip(told);
}

bool MachinePanel::eventFilter(QObject *object, QEvent *event)
{
    const bool isOverride = event->type() == QEvent::ShortcutOverride;
    if (object != &view() || (event->type() != QEvent::KeyPress && !isOverride))
        return TextPanel::eventFilter(object, event);
    const auto *key = static_cast<QKeyEvent *>(event);
    if (key->modifiers() != Qt::NoModifier)
        return TextPanel::eventFilter(object, event);
    // While the code has the focus, its keys come before the timeline's, which are letters, too.
    constexpr std::array kOwn{Qt::Key_J, Qt::Key_BracketLeft, Qt::Key_BracketRight, Qt::Key_F, Qt::Key_B};
    if (isOverride) {
        if (std::ranges::find(kOwn, key->key()) == kOwn.end())
            return TextPanel::eventFilter(object, event);
        event->accept();
        return true;
    }
    switch (key->key()) {
    case Qt::Key_J:
        followJump();
        return true;
    case Qt::Key_BracketLeft:
        stepLoop(-1);
        return true;
    case Qt::Key_BracketRight:
        stepLoop(1);
        return true;
    case Qt::Key_F:
        if (const std::uint32_t line = chosenLine(); line != sw::kNoIndex)
            toggleFold(line);
        return true;
    case Qt::Key_B:
        showBytes(!m_gutter.showsBytes());
        return true;
    default:
        return TextPanel::eventFilter(object, event);
    }
}

} // namespace stepwell::ui
