// How the lanes draw themselves.

#include "ui/models/quantity.h"
#include "ui/panels/activity_lanes.h"

#include <QPaintEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace stepwell::ui {

namespace {

constexpr double kMargin = 8;
constexpr double kPadding = 4;
constexpr double kLanePadding = 7;    // of the text in it, above and below together
constexpr double kGroupGap = 6;       // above the first lane of a group
constexpr double kLeastGapText = 46;  // pixels
constexpr double kTickDistance = 110; // pixels, about

// 1, 2 or 5 times a power of ten, at least as long.
double roundStep(double nanoseconds)
{
    const double power = std::pow(10, std::floor(std::log10(std::max(1.0, nanoseconds))));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= nanoseconds)
            return factor * power;
    return 10 * power;
}

} // namespace

void ActivityLanes::place()
{
    m_offsets.clear();
    m_namesWidth = 0;
    if (!m_timeline)
        return;
    const QFontMetricsF metrics(font());
    double offset = 0;
    for (std::size_t lane = 0; lane < m_timeline->lanes.size(); ++lane) {
        const sw::TimelineLane &of = m_timeline->lanes[lane];
        m_namesWidth = std::max(m_namesWidth, metrics.horizontalAdvance(QString::fromStdString(of.group + "  " + of.name)));
        if (lane > 0 && m_timeline->lanes[lane - 1].group != of.group)
            offset += kGroupGap;
        m_offsets.push_back(offset);
        offset += laneHeight();
    }
}

namespace {

// In the unit of the longest time that is seen, with as many digits as tell one step from the next.
QString tickText(double nanoseconds, double longest, double step)
{
    struct Unit {
        double length;
        const char *name;
    };
    constexpr Unit kUnits[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "\u00b5s"}, {1, "ns"}};
    const Unit *unit = std::ranges::find_if(kUnits, [&](const Unit &one) { return longest >= one.length; });
    if (unit == std::end(kUnits))
        --unit;
    const int digits = std::max(0, static_cast<int>(-std::floor(std::log10(step / unit->length) + 1e-9)));
    return QStringLiteral("%1 %2").arg(nanoseconds / unit->length, 0, 'f', digits).arg(QString::fromUtf8(unit->name));
}

} // namespace

QRectF ActivityLanes::plot() const
{
    const double top = laneHeight();
    const QSizeF room = sizeOr(size());
    return {QPointF(std::min(m_namesWidth, room.width() / 3.0) + 2 * kMargin, top),
            QPointF(room.width() - kMargin, std::max(top + 1, room.height() - kPadding))};
}

double ActivityLanes::laneHeight() const
{
    return std::ceil(QFontMetricsF(font()).height() + kLanePadding);
}

double ActivityLanes::laneTop(std::uint32_t lane) const
{
    return plot().top() - m_top + m_offsets[lane];
}

double ActivityLanes::contentHeight() const
{
    return m_offsets.empty() ? 0 : m_offsets.back() + laneHeight();
}

// Kernels have their own colours everywhere; the rest is told apart by what it is.
QColor ActivityLanes::colorOf(const sw::TimelineEvent &event) const
{
    const Theme &theme = usedTheme();
    switch (event.kind) {
    case sw::TimelineKind::Kernel:
    case sw::TimelineKind::Work:
    case sw::TimelineKind::Compile:
    case sw::TimelineKind::Render:
        return event.kernel < m_tags.size() ? theme.identityColor(m_tags[event.kernel].color) : theme.color(Role::Edge);
    case sw::TimelineKind::Transfer:
        return theme.color(Role::Accent);
    case sw::TimelineKind::Wait:
        return theme.color(Role::Warning);
    case sw::TimelineKind::Pass:
        return theme.color(Role::Accent);
    case sw::TimelineKind::CompilerStage:
    case sw::TimelineKind::RunPhase:
    case sw::TimelineKind::Check:
    case sw::TimelineKind::Call:
        return theme.color(Role::Edge);
    }
    Q_UNREACHABLE();
}

// The name, or the tag of its kernel, whichever has room; nothing: neither has.
QString ActivityLanes::textOf(const sw::TimelineEvent &event, double width) const
{
    const QFontMetricsF metrics(font());
    const QString name = QString::fromStdString(event.name);
    const QString time = QStringLiteral("  ") + timeText(event.nanoseconds());
    if (metrics.horizontalAdvance(name + time) <= width)
        return name + time;
    if (metrics.horizontalAdvance(name) <= width)
        return name;
    const QString tag = event.kernel < m_tags.size() ? m_tags[event.kernel].tag : QString();
    if (!tag.isEmpty() && metrics.horizontalAdvance(tag) <= width)
        return tag;
    constexpr double kLeastLetters = 5;
    return width < kLeastLetters * metrics.averageCharWidth() ? QString() : metrics.elidedText(name, Qt::ElideRight, width);
}

bool ActivityLanes::isSelected(const sw::TimelineEvent &event) const
{
    return event.kernel != sw::kNoIndex && std::ranges::find(m_selected, event.kernel) != m_selected.end();
}

void ActivityLanes::paintEvent(QPaintEvent *event)
{
    QPainter painter(this);
    draw(painter, event->rect());
    if (hasFocus()) {
        painter.setClipping(false);
        painter.setPen(roleColor(Role::Accent));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
    }
}

void ActivityLanes::draw(QPainter &painter, const QRectF &clip) const
{
    painter.fillRect(clip, roleColor(Role::Base));
    if (!m_timeline)
        return;
    const QRectF area = plot();
    painter.setClipRect(QRectF(0, area.top(), clip.right(), area.height()));
    drawNames(painter);
    painter.setClipRect(area);
    for (std::uint32_t lane = 0; lane < m_timeline->lanes.size(); ++lane)
        painter.fillRect(QRectF(area.left(), laneTop(lane), area.width(), laneHeight() - 1), roleColor(Role::Alternate));
    painter.setClipping(false);
    drawAxis(painter);
    painter.setClipRect(area);
    for (std::uint32_t lane = 0; lane < m_timeline->lanes.size(); ++lane)
        drawLane(painter, lane);
    drawGaps(painter);
    if (m_drag && m_drag->isRange && m_drag->hasMoved) {
        QColor veil = roleColor(Role::Accent);
        veil.setAlphaF(0.25F);
        painter.fillRect(QRectF(QPointF(m_drag->from.x(), area.top()), QPointF(m_pointer.x(), area.bottom())).normalized(), veil);
    }
    painter.setClipping(false);
}

// Round times, since the beginning of what is shown at first.
void ActivityLanes::drawAxis(QPainter &painter) const
{
    const QRectF area = plot();
    const QFontMetricsF metrics(font());
    const double step = roundStep(m_span * kTickDistance / std::max(1.0, area.width()));
    const double from = m_begin - m_zero;
    const double longest = std::max(std::abs(from), std::abs(from + m_span));
    for (double at = std::ceil(from / step) * step; at <= from + m_span; at += step) {
        const double x = xOf(at + m_zero);
        painter.setPen(QPen(roleColor(Role::Border), 1));
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
        const QString text = tickText(at, longest, step);
        const double width = metrics.horizontalAdvance(text);
        if (x + width > area.right() + kMargin)
            continue;
        painter.setPen(roleColor(Role::Muted));
        painter.drawText(QRectF(x, 0, width + 1, area.top() - 1), Qt::AlignLeft | Qt::AlignVCenter, text);
    }
}

void ActivityLanes::drawNames(QPainter &painter) const
{
    const QRectF area = plot();
    const QFontMetricsF metrics(font());
    for (std::uint32_t lane = 0; lane < m_timeline->lanes.size(); ++lane) {
        const sw::TimelineLane &of = m_timeline->lanes[lane];
        const QRectF box(kMargin, laneTop(lane), area.left() - 2 * kMargin, laneHeight() - 1);
        const bool isFirst = lane == 0 || m_timeline->lanes[lane - 1].group != of.group;
        const QString group = QString::fromStdString(of.group);
        if (isFirst) {
            painter.setPen(roleColor(Role::Text));
            painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter, group);
        }
        painter.setPen(roleColor(Role::Muted));
        const double room = box.width() - (isFirst ? metrics.horizontalAdvance(group) + kPadding : 0);
        painter.drawText(box, Qt::AlignRight | Qt::AlignVCenter,
                         metrics.elidedText(QString::fromStdString(of.name), Qt::ElideRight, room));
    }
}

void ActivityLanes::drawLane(QPainter &painter, std::uint32_t lane) const
{
    const QRectF area = plot();
    if (laneTop(lane) > area.bottom() || laneTop(lane) + laneHeight() < area.top())
        return;
    double drawnTo = -1; // bars that end in a pixel that is full already are not drawn
    for (const sw::TimelineEvent &event : m_timeline->eventsOf(lane)) {
        if (static_cast<double>(event.begin) > m_begin + m_span)
            break;
        const double right = xOf(static_cast<double>(event.end));
        if (static_cast<double>(event.end) < m_begin || (right < drawnTo && !isSelected(event)))
            continue;
        const auto index = static_cast<std::size_t>(&event - m_timeline->events.data());
        const QRectF rect = rectOf(index);
        if (rect.isEmpty())
            continue;
        drawEvent(painter, index, rect);
        drawnTo = rect.width() <= 1 ? rect.right() : drawnTo;
    }
}

void ActivityLanes::drawEvent(QPainter &painter, std::size_t index, const QRectF &rect) const
{
    const sw::TimelineEvent &event = m_timeline->events[index];
    const QColor color = colorOf(event);
    const bool isHovered = m_hovered && (*m_hovered == index ||
                                         (event.kernel != sw::kNoIndex && m_timeline->events[*m_hovered].kernel == event.kernel));
    const bool isMarked = m_current == index || isSelected(event);
    const QColor fill = Theme::blend(roleColor(Role::Base), color, isHovered || isMarked ? 0.7 : 0.45);
    painter.fillRect(rect, fill);
    if (isMarked || isHovered) {
        const double width = m_current == index ? 2 : 1;
        painter.setPen(QPen(roleColor(isMarked ? Role::SelectedHalo : Role::Halo), width));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5));
    } else if (rect.width() > 3) {
        painter.fillRect(QRectF(rect.left(), rect.top(), 1, rect.height()), color); // neighbours of one colour stay apart
    }
    const QRectF inside = rect.adjusted(kPadding, 0, -kPadding, 0);
    const QString text = textOf(event, inside.width());
    if (text.isEmpty())
        return;
    painter.setPen(Theme::legible(roleColor(Role::Text), fill));
    painter.drawText(inside, Qt::AlignLeft | Qt::AlignVCenter, text);
}

// How long nothing happened, where there is room to say it.
void ActivityLanes::drawGaps(QPainter &painter) const
{
    const QRectF area = plot();
    const QFontMetricsF metrics(font());
    painter.setPen(roleColor(Role::Muted));
    for (const sw::TimelineGap &gap : m_gaps) {
        const double left = std::max(area.left(), xOf(static_cast<double>(gap.begin)));
        const double right = std::min(area.right(), xOf(static_cast<double>(gap.end)));
        const QString text = timeText(gap.nanoseconds());
        if (right - left < std::max(kLeastGapText, metrics.horizontalAdvance(text) + 2 * kPadding))
            continue;
        const QRectF box(left, laneTop(gap.lane) + 1, right - left, laneHeight() - 3);
        painter.drawText(box, Qt::AlignCenter, text);
        const double middle = box.center().y();
        const double half = metrics.horizontalAdvance(text) / 2 + kPadding;
        painter.drawLine(QPointF(left + 2, middle), QPointF(box.center().x() - half, middle));
        painter.drawLine(QPointF(box.center().x() + half, middle), QPointF(right - 2, middle));
    }
}

} // namespace stepwell::ui
