#include "ui/text_view/machine_text.h"

#include <QKeyEvent>
#include <QScrollBar>

#include <algorithm>
#include <array>

namespace stepwell::ui {

MachineText::MachineText(const Appearance &appearance, TextView &view, QObject *parent)
    : QObject(parent), m_view(view), m_gutter(appearance)
{
    view.setMargin(&m_gutter);
    view.installEventFilter(this);
    connect(&view, &TextView::marginClicked, this, &MachineText::onMarginClicked);
}

void MachineText::readDocument()
{
    const sw::StageDocumentPtr &document = m_view.rows().document();
    const auto structure = document ? document->machine : nullptr;
    if (structure == m_structure)
        return;
    m_structure = structure;
    m_loopPlace = -1;
    applyRows();
}

MachineText::FoldKey MachineText::keyOf(std::size_t copies) const
{
    const std::uint32_t line = m_structure->copies[copies].first;
    for (std::uint32_t kernel = 0; kernel < m_structure->kernels.size(); ++kernel) {
        const sw::MachineKernelLines &lines = m_structure->kernels[kernel];
        if (line >= lines.first && line <= lines.last)
            return {m_view.rows().document()->items[m_view.rows().document()->lines[line].item].kernel, line - lines.first};
    }
    return {};
}

std::optional<std::size_t> MachineText::copiesAt(std::uint32_t line) const
{
    for (std::size_t i = 0; m_structure && i < m_structure->copies.size(); ++i) {
        const sw::MachineCopyLines &copies = m_structure->copies[i];
        if (line >= copies.first && line < copies.first + copies.length * copies.count)
            return i;
    }
    return std::nullopt;
}

std::map<std::uint32_t, QString> MachineText::notes() const
{
    std::map<std::uint32_t, QString> notes;
    for (std::size_t i = 0; i < m_structure->copies.size(); ++i)
        if (isFolded(i))
            notes[m_structure->copies[i].first] = QString::fromStdString(m_structure->copies[i].summary);
    for (const sw::MachineLoopLines &loop : m_structure->loops) {
        QString &note = notes[loop.header];
        const QString cycles =
            loop.cyclesPerRound > 0 ? tr("%1 cycles per round").arg(loop.cyclesPerRound, 0, 'f', 2) : QString();
        QString told = tr("loop %1").arg(QString::fromStdString(loop.name));
        if (!cycles.isEmpty())
            told += QStringLiteral(", ") + cycles;
        note = note.isEmpty() ? told : told + QStringLiteral("; ") + note;
    }
    return notes;
}

// The rows without the folded copies but the first, and what stands behind the lines.
void MachineText::applyRows()
{
    const sw::StageDocumentPtr document = m_view.rows().document();
    m_gutter.setStructure(m_structure, [this](std::size_t copies) { return isFolded(copies); });
    if (!document || !m_structure) {
        m_view.updateMargin();
        return;
    }
    std::vector<bool> isHidden(document->lines.size(), false);
    for (std::size_t i = 0; i < m_structure->copies.size(); ++i) {
        const sw::MachineCopyLines &copies = m_structure->copies[i];
        if (!isFolded(i))
            continue;
        for (std::uint32_t line = copies.first + copies.length; line < copies.first + copies.length * copies.count; ++line)
            isHidden[line] = true;
    }
    std::vector<std::uint32_t> lines;
    for (std::uint32_t line = 0; line < isHidden.size(); ++line)
        if (!isHidden[line])
            lines.push_back(line);
    std::map<int, RunSigns::Note> facts; // by row
    for (const auto &[line, note] : notes())
        if (const auto row = std::ranges::lower_bound(lines, line); row != lines.end() && *row == line)
            facts[static_cast<int>(row - lines.begin())] = {note, false};
    const std::vector<KernelIdentity> kernels = m_view.kernels();
    const std::uint32_t top = m_view.rows().lineNear(m_view.firstVisibleRow());
    std::vector<RowMark> marks(lines.size(), RowMark::None);
    const auto rowOfTop = std::ranges::upper_bound(lines, top) - lines.begin() - 1; // what is on top stays there
    m_view.setRows(TextRows(document, std::move(lines), std::move(marks)), kernels);
    emit factsChanged(facts);
    m_view.updateMargin();
    m_view.verticalScrollBar()->setValue(static_cast<int>(rowOfTop));
}

void MachineText::setAllFolded(bool isFolded)
{
    m_unfolded.clear();
    for (std::size_t i = 0; m_structure && !isFolded && i < m_structure->copies.size(); ++i)
        m_unfolded.insert(keyOf(i));
    applyRows();
}

void MachineText::toggleFold(std::uint32_t line)
{
    const std::optional<std::size_t> copies = copiesAt(line);
    if (!copies)
        return;
    const FoldKey key = keyOf(*copies);
    if (m_unfolded.erase(key) == 0)
        m_unfolded.insert(key);
    applyRows();
    chooseLine(m_structure->copies[*copies].first);
}

void MachineText::reveal(std::uint32_t line)
{
    const std::optional<std::size_t> copies = m_view.rows().rowOfLine(line) < 0 ? copiesAt(line) : std::nullopt;
    if (!copies)
        return;
    m_unfolded.insert(keyOf(*copies));
    applyRows();
    m_view.scrollToRow(m_view.rows().rowOfLine(line));
}

std::uint32_t MachineText::chosenLine() const
{
    return m_view.chosenRow() < 0 ? sw::kNoIndex : m_view.rows().lineAt(m_view.chosenRow());
}

void MachineText::chooseLine(std::uint32_t line)
{
    int row = m_view.rows().rowOfLine(line);
    if (row < 0) {
        toggleFold(line);
        row = m_view.rows().rowOfLine(line);
    }
    if (row >= 0)
        m_view.chooseRow(row);
    emit lineChosen();
}

void MachineText::followJump()
{
    const std::uint32_t line = chosenLine();
    if (const auto other = line == sw::kNoIndex ? std::nullopt : m_gutter.otherEnd(line))
        chooseLine(*other);
}

void MachineText::goToLoop(std::size_t place)
{
    if (!m_structure || place >= m_structure->byHeat.size())
        return;
    m_loopPlace = static_cast<int>(place);
    chooseLine(m_structure->loops[m_structure->byHeat[place]].header);
}

void MachineText::stepLoop(int direction)
{
    if (!m_structure || m_structure->byHeat.empty())
        return;
    const int count = static_cast<int>(m_structure->byHeat.size());
    const int from = m_loopPlace < 0 && direction < 0 ? count : m_loopPlace;
    goToLoop(static_cast<std::size_t>((from + direction + count) % count));
}

void MachineText::showBytes(bool isShown)
{
    m_gutter.setBytesShown(isShown);
    m_view.updateMargin();
    emit bytesShown(isShown);
}

void MachineText::onMarginClicked(int row, int x)
{
    const std::uint32_t line = m_view.rows().lineAt(row);
    switch (m_gutter.partAt(x, m_view.metrics())) {
    case MachineGutter::Part::Fold:
        toggleFold(line);
        return;
    case MachineGutter::Part::Arrows:
        if (const auto other = m_gutter.otherEnd(line))
            chooseLine(*other);
        return;
    case MachineGutter::Part::Registers:
    case MachineGutter::Part::Bytes:
        m_view.chooseRow(row);
        emit lineChosen();
        return;
    }
}

QString MachineText::loopText(std::size_t place) const
{
    const sw::MachineLoopLines &loop = m_structure->loops[m_structure->byHeat[place]];
    QString text = QString::fromStdString(loop.summary);
    if (!loop.throughput.empty())
        text += QStringLiteral("; ") + QString::fromStdString(loop.throughput);
    return text;
}

QString MachineText::summary() const
{
    if (!m_structure || m_structure->kernels.empty())
        return {};
    const std::uint32_t line =
        chosenLine() != sw::kNoIndex ? chosenLine() : m_view.rows().lineAt(std::max(0, m_view.firstVisibleRow()));
    const sw::MachineKernelLines *kernel = &m_structure->kernels.front();
    for (const sw::MachineKernelLines &one : m_structure->kernels)
        if (line >= one.first && line <= one.last)
            kernel = &one;
    QStringList told;
    if (!kernel->registers.empty())
        told << tr("at most %1").arg(QString::fromStdString(kernel->registers));
    const sw::MachineLoopLines *around = nullptr;
    for (const sw::MachineLoopLines &loop : m_structure->loops)
        if (line >= loop.first && line <= loop.last)
            around = &loop;
    if (const std::string &throughput = around != nullptr ? around->throughput : kernel->whole; !throughput.empty())
        told << QString::fromStdString(throughput);
    return told.join(QStringLiteral("  ·  "));
}

bool MachineText::eventFilter(QObject *object, QEvent *event)
{
    const bool isOverride = event->type() == QEvent::ShortcutOverride;
    if (object != &m_view || (event->type() != QEvent::KeyPress && !isOverride))
        return QObject::eventFilter(object, event);
    const auto *key = static_cast<QKeyEvent *>(event);
    // While the code has the focus, its keys come before the timeline's, which are letters, too.
    constexpr std::array kOwn{Qt::Key_J, Qt::Key_BracketLeft, Qt::Key_BracketRight, Qt::Key_F, Qt::Key_B};
    if (key->modifiers() != Qt::NoModifier || std::ranges::find(kOwn, key->key()) == kOwn.end())
        return QObject::eventFilter(object, event);
    if (isOverride) {
        event->accept();
        return true;
    }
    if (key->key() == Qt::Key_J)
        followJump();
    else if (key->key() == Qt::Key_BracketLeft)
        stepLoop(-1);
    else if (key->key() == Qt::Key_BracketRight)
        stepLoop(1);
    else if (key->key() == Qt::Key_B)
        showBytes(!m_gutter.showsBytes());
    else if (const std::uint32_t line = chosenLine(); line != sw::kNoIndex)
        toggleFold(line);
    return true;
}

} // namespace stepwell::ui
