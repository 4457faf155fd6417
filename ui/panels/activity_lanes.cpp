#include "ui/panels/activity_lanes.h"

#include "ui/models/quantity.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <utility>

namespace stepwell::ui {

namespace {

constexpr double kLeastSpan = 20;     // nanoseconds: no clock tells less
constexpr double kZoomPerStep = 1.25; // of the wheel or a key
constexpr double kWheelStep = 120;    // eighths of a degree
constexpr double kPanPart = 0.1;      // of what is seen
constexpr double kDragDistance = 4;   // pixels; less is a click
constexpr double kMarginPart = 0.03;  // of what is shown at first, beside it
constexpr double kReach = 2;          // pixels beside a bar that is narrower than a finger
constexpr int kLeastPictureWidth = 800;
constexpr double kPictureMargin = 8; // below the last lane

} // namespace

ActivityLanes::ActivityLanes(const Appearance &appearance, QWidget *parent) : QWidget(parent), PaintedView(appearance)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(200, 80);
    connect(&appearance, &Appearance::changed, this, [this] { update(); });
}

void ActivityLanes::setTimeline(std::shared_ptr<const sw::Timeline> timeline, std::vector<KernelIdentity> tags,
                                sw::TimelineRange home)
{
    m_timeline = std::move(timeline);
    m_gaps = m_timeline ? sw::gapsOf(*m_timeline) : std::vector<sw::TimelineGap>();
    m_tags = std::move(tags);
    m_zero = static_cast<double>(home.begin);
    const auto margin = static_cast<std::int64_t>(home.begin > 0 ? kMarginPart * static_cast<double>(home.end - home.begin) : 0);
    m_home = {home.begin - margin, home.end + margin};
    m_hovered.reset();
    m_current.reset();
    m_drag.reset();
    m_top = 0;
    place();
    showHome();
    setAccessibleDescription(m_timeline ? tr("%n lane(s)", nullptr, static_cast<int>(m_timeline->lanes.size())) : QString());
}

void ActivityLanes::setSelectedKernels(std::vector<std::uint32_t> kernels)
{
    m_selected = std::move(kernels);
    update();
}

sw::TimelineRange ActivityLanes::range() const
{
    return {static_cast<std::int64_t>(std::llround(m_begin)), static_cast<std::int64_t>(std::llround(m_begin + m_span))};
}

void ActivityLanes::showRange(sw::TimelineRange range)
{
    m_begin = static_cast<double>(range.begin);
    m_span = static_cast<double>(range.end - range.begin);
    clamp();
    emit rangeChanged();
}

void ActivityLanes::showAll()
{
    if (m_timeline)
        showRange({0, m_timeline->nanoseconds});
}

// At the pointer, or in the middle where it points elsewhere.
void ActivityLanes::zoomBy(int steps)
{
    const double at = timeAt(plot().contains(m_pointer) ? m_pointer.x() : plot().center().x());
    const double before = m_span;
    m_span *= std::pow(kZoomPerStep, -steps);
    m_span = std::clamp(m_span, kLeastSpan, std::max(kLeastSpan, m_timeline ? static_cast<double>(m_timeline->nanoseconds) : 1));
    m_begin = at - (at - m_begin) * m_span / before;
    clamp();
    emit rangeChanged();
}

// Nothing but the timeline is ever shown.
void ActivityLanes::clamp()
{
    const double whole = m_timeline ? std::max(kLeastSpan, static_cast<double>(m_timeline->nanoseconds)) : 1;
    m_span = std::clamp(m_span, std::min(kLeastSpan, whole), whole);
    m_begin = std::clamp(m_begin, 0.0, whole - m_span);
    m_top = std::clamp(m_top, 0.0, std::max(0.0, contentHeight() - plot().height()));
    update();
}

double ActivityLanes::xOf(double nanoseconds) const
{
    return plot().left() + plot().width() * (nanoseconds - m_begin) / m_span;
}

double ActivityLanes::timeAt(double x) const
{
    return m_begin + m_span * (x - plot().left()) / std::max(1.0, plot().width());
}

std::optional<std::uint32_t> ActivityLanes::laneAt(double y) const
{
    if (!m_timeline || y < plot().top())
        return {};
    for (std::uint32_t lane = 0; lane < m_timeline->lanes.size(); ++lane)
        if (y >= laneTop(lane) && y < laneTop(lane) + laneHeight())
            return lane;
    return {};
}

QRectF ActivityLanes::rectOf(std::size_t event) const
{
    const sw::TimelineEvent &of = m_timeline->events[event];
    const QRectF area = plot();
    const double left = std::max(area.left(), xOf(static_cast<double>(of.begin)));
    const double right = std::min(area.right(), std::max(xOf(static_cast<double>(of.end)), left + 1));
    const QRectF rect(left, laneTop(of.lane) + 1, right - left, laneHeight() - 3);
    return right < area.left() || left > area.right() || !rect.intersects(area) ? QRectF() : rect;
}

std::optional<std::size_t> ActivityLanes::eventAt(const QPointF &position) const
{
    const std::optional<std::uint32_t> lane = plot().contains(position) ? laneAt(position.y()) : std::nullopt;
    if (!lane)
        return {};
    const std::span<const sw::TimelineEvent> events = m_timeline->eventsOf(*lane);
    std::optional<std::size_t> found;
    double nearest = kReach;
    for (const sw::TimelineEvent &event : events) {
        const double left = xOf(static_cast<double>(event.begin));
        if (left > position.x() + kReach)
            break;
        const double right = xOf(static_cast<double>(event.end));
        const double distance = std::max({left - position.x(), position.x() - right, 0.0});
        if (distance <= nearest) {
            nearest = distance;
            found = static_cast<std::size_t>(&event - m_timeline->events.data());
        }
    }
    return found;
}

QString ActivityLanes::toolTipOf(const sw::TimelineEvent &event) const
{
    QString text = QString::fromStdString(event.name);
    const auto at = [&] {
        return timeText(event.begin - (event.round == sw::kNoIndex ? 0 : sw::rangeOf(*m_timeline, event.round).begin));
    };
    text += u'\n' + tr("%1, from %2 on").arg(timeText(event.nanoseconds()), at());
    if (event.round != sw::kNoIndex && event.kind != sw::TimelineKind::RunPhase)
        text += tr(" of run %1").arg(event.round + 1);
    if (event.bytes > 0)
        text += u'\n' + bytesText(event.bytes);
    if (event.kind == sw::TimelineKind::Transfer && event.bytes > 0 && event.nanoseconds() > 0)
        text += QStringLiteral(", ") + rateText(1e9 * static_cast<double>(event.bytes) / static_cast<double>(event.nanoseconds()),
                                                QStringLiteral("B/s"));
    if (event.kind == sw::TimelineKind::Kernel && event.kernel < m_counted.size())
        for (const sw::HardwareEventInfo &counted : sw::hardwareEvents())
            if (const auto count = m_counted[event.kernel].countOf(counted.event))
                text += u'\n' +
                        tr("%1 %2").arg(countText(static_cast<std::int64_t>(*count)),
                                        QString::fromUtf8(counted.title.data(), static_cast<qsizetype>(counted.title.size())));
    return text;
}

QString ActivityLanes::toolTipAt(const QPointF &position) const
{
    if (const auto event = eventAt(position))
        return toolTipOf(m_timeline->events[*event]);
    const std::optional<std::uint32_t> lane = plot().contains(position) ? laneAt(position.y()) : std::nullopt;
    if (!lane)
        return {};
    const double at = timeAt(position.x());
    for (const sw::TimelineGap &gap : m_gaps)
        if (gap.lane == *lane && at >= static_cast<double>(gap.begin) && at < static_cast<double>(gap.end))
            return tr("nothing for %1\nbetween %2 and %3")
                .arg(timeText(gap.nanoseconds()), QString::fromStdString(m_timeline->events[gap.after].name),
                     QString::fromStdString(m_timeline->events[gap.before].name));
    return {};
}

void ActivityLanes::choose(std::size_t event)
{
    m_current = event;
    const sw::TimelineEvent &of = m_timeline->events[event];
    if (of.kernel != sw::kNoIndex)
        emit kernelChosen(of.kernel);
    else if (of.kind == sw::TimelineKind::Pass)
        emit passChosen(QString::fromStdString(of.name));
    update();
}

bool ActivityLanes::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    const QString text = toolTipAt(help->pos());
    if (text.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(), text, this);
    return true;
}

void ActivityLanes::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    clamp();
}

void ActivityLanes::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange) {
        place();
        clamp();
    }
}

void ActivityLanes::wheelEvent(QWheelEvent *event)
{
    m_pointer = event->position();
    const double steps = event->angleDelta().y() / kWheelStep;
    if (event->modifiers().testFlag(Qt::ShiftModifier)) {
        m_top -= steps * 2 * laneHeight();
        clamp();
    } else if (event->angleDelta().x() != 0) {
        m_begin -= kPanPart * m_span * event->angleDelta().x() / kWheelStep;
        clamp();
        emit rangeChanged();
    } else if (steps != 0) {
        zoomBy(steps > 0 ? static_cast<int>(std::ceil(steps)) : static_cast<int>(std::floor(steps)));
    }
    event->accept();
}

void ActivityLanes::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton || !m_timeline)
        return;
    m_drag = Drag{event->position(), m_begin, m_top, event->modifiers().testFlag(Qt::ShiftModifier)};
}

void ActivityLanes::mouseMoveEvent(QMouseEvent *event)
{
    m_pointer = event->position();
    if (m_drag) {
        const QPointF way = event->position() - m_drag->from;
        m_drag->hasMoved |= way.manhattanLength() >= kDragDistance;
        if (m_drag->hasMoved && !m_drag->isRange) {
            m_begin = m_drag->begin - way.x() * m_span / std::max(1.0, plot().width());
            m_top = m_drag->top - way.y();
            clamp();
            emit rangeChanged();
        }
        update();
        return;
    }
    const auto hovered = m_timeline ? eventAt(event->position()) : std::nullopt;
    if (std::exchange(m_hovered, hovered) != hovered)
        update();
}

void ActivityLanes::mouseReleaseEvent(QMouseEvent *event)
{
    const std::optional<Drag> drag = std::exchange(m_drag, std::nullopt);
    if (!drag || event->button() != Qt::LeftButton)
        return;
    if (drag->hasMoved && drag->isRange) {
        const auto [from, to] = std::minmax(timeAt(drag->from.x()), timeAt(event->position().x()));
        showRange({static_cast<std::int64_t>(from), static_cast<std::int64_t>(to)});
    } else if (!drag->hasMoved) {
        if (const auto hit = eventAt(event->position()))
            choose(*hit);
    }
    update();
}

void ActivityLanes::leaveEvent(QEvent *event)
{
    QWidget::leaveEvent(event);
    m_hovered.reset();
    update();
}

// A change of lanes keeps the time.
void ActivityLanes::stepLane(int by)
{
    const auto lanes = static_cast<int>(m_timeline->lanes.size());
    const std::int64_t at = m_current ? m_timeline->events[*m_current].begin : range().begin;
    int lane = m_current ? static_cast<int>(m_timeline->events[*m_current].lane) : (by > 0 ? -1 : lanes);
    for (lane += by; lane >= 0 && lane < lanes; lane += by) {
        const auto events = m_timeline->eventsOf(static_cast<std::uint32_t>(lane));
        if (events.empty())
            continue;
        const auto nearest = std::ranges::min_element(events, {}, [&](const sw::TimelineEvent &event) {
            return at >= event.begin && at <= event.end ? 0 : std::min(std::abs(event.begin - at), std::abs(event.end - at));
        });
        choose(static_cast<std::size_t>(&*nearest - m_timeline->events.data()));
        keepInSight(*m_current);
        return;
    }
}

void ActivityLanes::step(int by)
{
    if (!m_current) {
        stepLane(1);
        return;
    }
    const auto next = static_cast<std::int64_t>(*m_current) + by;
    if (next < 0 || next >= static_cast<std::int64_t>(m_timeline->events.size()))
        return;
    const auto event = static_cast<std::size_t>(next);
    if (m_timeline->events[event].lane != m_timeline->events[*m_current].lane)
        return;
    choose(event);
    keepInSight(event);
}

void ActivityLanes::keepInSight(std::size_t event)
{
    const sw::TimelineEvent &of = m_timeline->events[event];
    const auto begin = static_cast<double>(of.begin);
    const auto end = static_cast<double>(of.end);
    if (end > m_begin + m_span || begin < m_begin)
        m_begin = begin - std::max(0.0, m_span - (end - begin)) / 2;
    const double top = laneTop(of.lane) - plot().top();
    if (top < 0)
        m_top += top;
    else if (top + laneHeight() > plot().height())
        m_top += top + laneHeight() - plot().height();
    clamp();
    emit rangeChanged();
}

void ActivityLanes::keyPressEvent(QKeyEvent *event)
{
    if (!m_timeline || event->modifiers() & (Qt::ControlModifier | Qt::AltModifier)) {
        QWidget::keyPressEvent(event);
        return;
    }
    switch (event->key()) {
    case Qt::Key_Left:
        return step(-1);
    case Qt::Key_Right:
        return step(1);
    case Qt::Key_Up:
        return stepLane(-1);
    case Qt::Key_Down:
        return stepLane(1);
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        return zoomBy(1);
    case Qt::Key_Minus:
        return zoomBy(-1);
    case Qt::Key_Home:
        return showHome();
    case Qt::Key_Space:
        return showAll();
    default:
        QWidget::keyPressEvent(event);
    }
}

// All lanes, however many; the times are those that are shown.
QSizeF ActivityLanes::pictureSize() const
{
    if (!m_timeline)
        return {};
    return {static_cast<double>(std::max(kLeastPictureWidth, width())),
            std::ceil(contentHeight() + laneHeight() + kPictureMargin)};
}

void ActivityLanes::drawPicture(QPainter &painter)
{
    const double top = std::exchange(m_top, 0.0);
    const std::optional<std::size_t> hovered = std::exchange(m_hovered, std::nullopt);
    draw(painter, QRectF({0, 0}, sizeOr(size())));
    m_hovered = hovered;
    m_top = top;
}

} // namespace stepwell::ui
