#include "ui/timeline_run.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QSignalBlocker>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <utility>

namespace stepwell::ui {

namespace {

constexpr double kLabelHeight = 17;
constexpr double kMargin = 7;
constexpr double kMostTickWidth = 9;
constexpr double kLeastTick = 5; // pixels high
constexpr double kDefinite = 2;  // pixels wide: narrower slots have no gap between their ticks

double workOf(const sw::KernelEntry &kernel)
{
    return std::log2(2.0 + static_cast<double>(std::max<std::int64_t>(kernel.flops + kernel.bytes, 0)));
}

} // namespace

TimelineRun::TimelineRun(const Appearance &appearance, Walk &walk, QWidget *parent)
    : QAbstractSlider(parent), PaintedView(appearance), m_walk(walk)
{
    setObjectName(QStringLiteral("timelineRun"));
    setAccessibleName(tr("Kernels of the run"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    connect(&appearance, &Appearance::changed, this, qOverload<>(&QWidget::update));
    connect(&walk, &Walk::changed, this, &TimelineRun::tell);
    // Changes come from assistive technology; keys and clicks go directly to the walk.
    connect(this, &QAbstractSlider::valueChanged, this, [this](int value) {
        if (value > 0)
            m_walk.goTo(static_cast<std::uint32_t>(value - 1));
        else
            m_walk.goToEnd();
    });
    tell();
}

// Value 0 is before the run, value 1 in its first kernel.
void TimelineRun::tell()
{
    const QSignalBlocker blocker(this);
    setRange(0, static_cast<int>(m_walk.kernels().size()));
    setValue(m_walk.kernel() ? static_cast<int>(*m_walk.kernel()) + 1 : 0);
    setAccessibleDescription(m_walk.kernel() ? m_walk.text() : tr("The run has not been entered"));
    update();
}

QRectF TimelineRun::slotOf(int kernel) const
{
    const auto count = static_cast<double>(std::max<std::size_t>(m_walk.kernels().size(), 1));
    const double each = (width() - 2 * kMargin) / count;
    return {kMargin + each * kernel, kLabelHeight, each, height() - kLabelHeight};
}

int TimelineRun::slotAt(double x) const
{
    const auto count = static_cast<int>(m_walk.kernels().size());
    if (count == 0)
        return -1;
    return std::clamp(static_cast<int>((x - kMargin) / slotOf(0).width()), 0, count - 1);
}

bool TimelineRun::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QAbstractSlider::event(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    const int kernel = slotAt(help->pos().x());
    if (kernel < 0) {
        QToolTip::showText(help->globalPos(), tr("<b>The run</b><br>It can be stepped once the kernels are compiled."), this);
        return true;
    }
    const bool isCurrent = m_walk.kernel() && static_cast<int>(*m_walk.kernel()) == kernel;
    const QString name = QString::fromStdString(m_walk.kernels()[static_cast<std::size_t>(kernel)].name);
    const QString text =
        isCurrent ? m_walk.text() : tr("Kernel %1 of %2: %3").arg(kernel + 1).arg(m_walk.kernels().size()).arg(name);
    QToolTip::showText(
        help->globalPos(),
        tr("<b>%1</b><br>Its run, step by step (Right: a step, Shift+Right: the next kernel)").arg(text.toHtmlEscaped()), this);
    return true;
}

void TimelineRun::mousePressEvent(QMouseEvent *event)
{
    const int kernel = slotAt(event->position().x());
    if (event->button() == Qt::LeftButton && kernel >= 0)
        m_walk.goTo(static_cast<std::uint32_t>(kernel));
}

void TimelineRun::mouseMoveEvent(QMouseEvent *event)
{
    const int kernel = slotAt(event->position().x());
    if (kernel == m_hovered)
        return;
    m_hovered = kernel;
    setCursor(kernel < 0 ? Qt::ArrowCursor : Qt::PointingHandCursor);
    update();
}

void TimelineRun::leaveEvent(QEvent *event)
{
    QAbstractSlider::leaveEvent(event);
    m_hovered = -1;
    update();
}

// A user who scrolls past the bar does not mean to move it.
void TimelineRun::wheelEvent(QWheelEvent *event)
{
    event->ignore();
}

void TimelineRun::drawTick(QPainter &painter, int kernel, const Range &range) const
{
    const QRectF room = slotOf(kernel).adjusted(0, 1, 0, -3);
    const bool isCurrent = m_walk.kernel() && static_cast<int>(*m_walk.kernel()) == kernel;
    painter.setPen(Qt::NoPen);
    if (isCurrent || kernel == m_hovered) {
        const double wide = std::max(room.width(), kDefinite + 1);
        painter.setBrush(roleColor(isCurrent ? Role::Selection : Role::Hover));
        painter.drawRoundedRect(QRectF(room.center().x() - wide / 2, room.top() - 1, wide, room.height() + 4), 2, 2);
    }
    const double work = workOf(m_walk.kernels()[static_cast<std::size_t>(kernel)]);
    const double share = range.most > range.least ? (work - range.least) / (range.most - range.least) : 1;
    const double tall = kLeastTick + (room.height() - kLeastTick) * share;
    const double wide = room.width() <= kDefinite + 1 ? std::max(room.width(), 1.0) : std::min(room.width() - 1, kMostTickWidth);
    QRectF tick(room.center().x() - wide / 2, room.bottom() - tall, wide, tall);
    const QColor strong = roleColor(Role::Accent);
    const QColor faint = Theme::blend(roleColor(isCurrent ? Role::Selection : Role::Base), strong, 0.35);
    const bool isBehind = m_walk.kernel() && static_cast<int>(*m_walk.kernel()) > kernel;
    painter.setBrush(isBehind ? strong : faint);
    painter.drawRoundedRect(tick, 1.5, 1.5);
    if (!isCurrent)
        return;
    tick.setTop(tick.bottom() - tall * m_walk.done().value_or(0));
    painter.setBrush(strong);
    painter.drawRoundedRect(tick, 1.5, 1.5);
}

void TimelineRun::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    draw(painter);
    if (hasFocus()) {
        painter.setPen(roleColor(Role::Accent));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    }
}

QSizeF TimelineRun::pictureSize() const
{
    return m_walk.kernels().empty() ? QSizeF() : QSizeF(size());
}

void TimelineRun::drawPicture(QPainter &painter)
{
    const int hovered = std::exchange(m_hovered, -1);
    painter.fillRect(rect(), roleColor(Role::Window));
    draw(painter);
    m_hovered = hovered;
}

void TimelineRun::draw(QPainter &painter) const
{
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(roleColor(Role::Base));
    painter.drawRoundedRect(rect(), 3, 3);
    const bool isHere = m_walk.kernel().has_value();
    QFont label = font();
    label.setWeight(isHere ? QFont::DemiBold : QFont::Normal);
    painter.setFont(label);
    const auto count = static_cast<int>(m_walk.kernels().size());
    painter.setPen(roleColor(isHere ? Role::Text : count > 0 ? Role::Muted : Role::Disabled));
    painter.drawText(QRectF(kMargin, 0, width() - 2 * kMargin, kLabelHeight), Qt::AlignLeft | Qt::AlignVCenter, tr("Run"));
    Range range;
    for (const sw::KernelEntry &kernel : m_walk.kernels()) {
        range.least = std::min(range.least, workOf(kernel));
        range.most = std::max(range.most, workOf(kernel));
    }
    for (int kernel = 0; kernel < count; ++kernel)
        if (!isHere || kernel != static_cast<int>(*m_walk.kernel()))
            drawTick(painter, kernel, range);
    if (isHere) // over its neighbours, if they are narrow
        drawTick(painter, static_cast<int>(*m_walk.kernel()), range);
}

} // namespace stepwell::ui
