#include "ui/graph_view/camera_bars.h"

#include <QScrollBar>
#include <QSignalBlocker>

#include <algorithm>
#include <cmath>

namespace stepwell::ui {

namespace {

constexpr int kStep = 40;       // pixels
constexpr double kHidden = 2.0; // pixels that may lie outside before a bar appears

QScrollBar *makeBar(Qt::Orientation orientation, const char *name, QWidget *canvas)
{
    auto *bar = new QScrollBar(orientation, canvas);
    bar->setObjectName(QLatin1String(name));
    bar->setSingleStep(kStep);
    bar->setCursor(Qt::ArrowCursor);
    bar->hide();
    return bar;
}

} // namespace

CameraBars::CameraBars(QWidget *canvas)
    : QObject(canvas),
      m_canvas(canvas),
      m_across(makeBar(Qt::Horizontal, "acrossBar", canvas)),
      m_down(makeBar(Qt::Vertical, "downBar", canvas))
{
    connect(m_across, &QScrollBar::valueChanged, this, [this](int value) { emit scrolled(QPointF(m_values.x() - value, 0)); });
    connect(m_down, &QScrollBar::valueChanged, this, [this](int value) { emit scrolled(QPointF(0, m_values.y() - value)); });
}

// The range covers the picture and the visible part, since the picture may have been moved off centre.
void CameraBars::setRange(QScrollBar &bar, double from, double to, int page)
{
    const QSignalBlocker blocker(bar);
    const bool isNeeded = from < -kHidden || to > page + kHidden;
    const int least = static_cast<int>(std::floor(std::min(from, 0.0)));
    const int most = static_cast<int>(std::ceil(std::max(to, static_cast<double>(page))));
    bar.setPageStep(page);
    bar.setRange(0, isNeeded ? most - least - page : 0);
    bar.setValue(-least);
    bar.setVisible(isNeeded);
}

void CameraBars::show(const QRectF &content)
{
    const QRectF lies = content.isNull() ? QRectF(m_canvas->rect()) : content;
    setRange(*m_across, lies.left(), lies.right(), m_canvas->width());
    setRange(*m_down, lies.top(), lies.bottom(), m_canvas->height());
    m_values = {m_across->value(), m_down->value()};
    place();
}

void CameraBars::place()
{
    const QRect inside = m_canvas->rect().adjusted(1, 1, -1, -1); // keeps the focus frame uncovered
    const int thickness = m_down->sizeHint().width();
    const int besideDown = m_down->isHidden() ? 0 : thickness;
    m_down->setGeometry(inside.right() + 1 - thickness, inside.top(), thickness, inside.height());
    m_across->setGeometry(inside.left(), inside.bottom() + 1 - thickness, inside.width() - besideDown, thickness);
}

QRect CameraBars::room() const
{
    return {0, 0, m_down->isHidden() ? m_canvas->width() : m_down->x(),
            m_across->isHidden() ? m_canvas->height() : m_across->y()};
}

} // namespace stepwell::ui
