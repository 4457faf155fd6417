#include "ui/text_view/overview_ruler.h"

#include <QPainter>

#include <algorithm>

namespace stepwell::ui {

namespace {

constexpr int kLeastHeight = 2;

} // namespace

OverviewRuler::OverviewRuler(const Appearance &appearance, QWidget *parent)
    : QScrollBar(Qt::Vertical, parent), m_appearance(appearance)
{
}

void OverviewRuler::setMarks(std::vector<RulerMark> marks, int rowCount)
{
    m_marks = std::move(marks);
    m_rowCount = rowCount;
    update();
}

void OverviewRuler::paintEvent(QPaintEvent *event)
{
    // A handle that cannot move shows nothing useful.
    const bool isNeeded = maximum() > minimum();
    if (isNeeded)
        QScrollBar::paintEvent(event);
    QPainter painter(this);
    if (!isNeeded)
        painter.fillRect(rect(), m_appearance.color(Role::Base));
    if (m_rowCount == 0)
        return;
    int lastY = -kLeastHeight;
    for (const RulerMark &mark : m_marks) {
        const int y = static_cast<int>(static_cast<qint64>(mark.row) * (height() - kLeastHeight) / std::max(m_rowCount, 1));
        if (y == lastY) // thousands of rows share a pixel
            continue;
        lastY = y;
        painter.fillRect(QRect(width() - 7, y, 5, kLeastHeight), m_appearance.color(mark.color));
    }
}

} // namespace stepwell::ui
