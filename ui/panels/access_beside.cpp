// The kernel before one of its transformations, beside the one that is stepped through.

#include "ui/panels/access_panel.h"

#include <QComboBox>
#include <QLabel>
#include <QLocale>
#include <QResizeEvent>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QSplitter>

namespace stepwell::ui {

namespace {

// Pixels high.
constexpr int kRoomForCounters = 440;
constexpr int kRoomForTools = 240;

} // namespace

void AccessPanel::forBoth(const std::function<void(AccessCanvas &canvas)> &change)
{
    change(*m_canvas);
    change(m_other->canvas());
}

// The newest transformation first: what it changed is asked most often.
void AccessPanel::listTransforms()
{
    const QSignalBlocker blocker(m_beside);
    m_beside->clear();
    m_beside->addItem(tr("Nothing beside"));
    const sw::ChosenTransforms &chosen = m_twin.transforms();
    for (std::size_t i = chosen.lines.size(); i-- > chosen.first;) {
        const QString line = QString::fromStdString(chosen.lines[i]);
        m_beside->addItem(i == chosen.first ? tr("Before all: without %1").arg(line) : tr("Before %1").arg(line),
                          static_cast<qulonglong>(i));
    }
    m_beside->setEnabled(m_beside->count() > 1);
}

bool AccessPanel::showNewestBeside()
{
    const sw::ChosenTransforms &chosen = m_twin.transforms();
    if (chosen.lines.size() <= chosen.first)
        return false;
    m_twin.choose(chosen.lines.size() - 1);
    return true;
}

void AccessPanel::showTwin()
{
    const bool isWanted = m_twin.chosen().has_value();
    if (isWanted && !m_other->isVisibleTo(this))
        m_sides->setSizes({1, 1}); // the same room for both
    m_other->setVisible(isWanted);
    const QSignalBlocker blocker(m_beside);
    m_beside->setCurrentIndex(isWanted ? m_beside->findData(static_cast<qulonglong>(*m_twin.chosen())) : 0);
    if (!isWanted) {
        m_side->setTitle({});
        m_side->setFigures({});
        return;
    }
    m_side->setTitle(tr("As it is"));
    m_other->setTitle(m_beside->currentText());
    AccessCanvas &canvas = m_other->canvas();
    canvas.setHint(m_twin.isOpen() ? QString() : m_twin.problem().isEmpty() ? tr("Lowering the kernel\u2026") : m_twin.problem());
    canvas.scene().setMemories(m_twin.memories());
    canvas.scene().setTotals(m_twin.totals());
    canvas.showCacheLines(m_canvas->scene().look().showsCacheLines);
    moveTwin();
}

void AccessPanel::moveTwin()
{
    if (!m_twin.chosen())
        return;
    m_side->setFigures(figuresText(m_twin.linesOfRun()));
    if (!m_twin.isOpen()) {
        m_other->setFigures({});
        return;
    }
    m_other->setTitle(tr("%1: step %2 of %3")
                          .arg(m_beside->currentText(), QLocale().toString(static_cast<qulonglong>(m_twin.position())),
                               QLocale().toString(static_cast<qulonglong>(m_twin.steps()))));
    m_other->setFigures(figuresText(m_twin.lines()));
    // Its last access is lit as the last step's: at the same part of the way it may stand between two.
    const std::vector<sw::TracePastAccess> &trail = m_twin.trail();
    m_other->canvas().scene().setTrail(trail, trail.empty() ? m_twin.position() : trail.front().position);
    m_other->canvas().update();
}

void AccessPanel::resizeEvent(QResizeEvent *event)
{
    Panel::resizeEvent(event);
    // The Step pane has the same counters.
    m_loopArea->setVisible(event->size().height() >= kRoomForCounters);
    // A low panel has one row of tools and then the grids; the timeline tells the step too.
    for (QWidget *tool : std::initializer_list<QWidget *>{m_trail, m_speeds, m_steps})
        tool->setVisible(event->size().height() >= kRoomForTools);
    m_sides->setOrientation(event->size().width() * 3 >= event->size().height() * 4 ? Qt::Horizontal : Qt::Vertical);
}

} // namespace stepwell::ui
