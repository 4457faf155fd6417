// How the plot is drawn: axes, roofs, the dots of the kernels, and, in a picture, their names.

#include "ui/models/quantity.h"
#include "ui/panels/roofline_plot.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace stepwell::ui {

namespace {

constexpr QSize kPictureSize(720, 440); // at least: a pane may be small
constexpr double kLegendWidth = 220;
constexpr double kArrowHead = 7;
constexpr double kLeastArrow = 10; // pixels: a kernel that stands where it stood has none

// The text on the ground of the plot, so that lines do not run through it.
void drawLabel(QPainter &painter, const QRectF &box, const QColor &ground, const QString &text)
{
    QColor veil = ground;
    veil.setAlphaF(0.85F);
    painter.fillRect(box.adjusted(-2, 1, 2, -1), veil);
    painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter, text);
}

QString powerText(int power)
{
    return power >= 0 && power <= 4   ? QString::number(std::pow(10, power), 'f', 0)
           : power < 0 && power >= -3 ? QString::number(std::pow(10, power), 'f', -power)
                                      : QStringLiteral("1e%1").arg(power);
}

} // namespace

int RooflinePlot::legendColumns(double width)
{
    return std::max(1, static_cast<int>((width - 2 * kMargin) / kLegendWidth));
}

QSizeF RooflinePlot::pictureSize() const
{
    if (m_roofline.roofs.empty() && m_dots.empty())
        return {};
    const QSizeF plot(size().expandedTo(kPictureSize));
    return plot + QSizeF(0, legendHeight(plot.width()));
}

double RooflinePlot::legendHeight(double width) const
{
    const int columns = legendColumns(width);
    return QFontMetricsF(font()).height() * std::ceil(static_cast<double>(m_dots.size()) / columns) + kMargin;
}

// The names of the kernels by their tags: a picture has no table beside it.
void RooflinePlot::drawLegend(QPainter &painter) const
{
    const QSizeF room = sizeOr(size());
    const QFontMetricsF metrics(font());
    const int columns = legendColumns(room.width());
    const double wide = (room.width() - 2 * kMargin) / columns;
    const double top = room.height() - legendHeight(room.width());
    painter.setPen(roleColor(Role::Text));
    for (std::size_t i = 0; i < m_dots.size(); ++i) {
        const Dot &dot = m_dots[i];
        const auto point = std::ranges::find(m_roofline.points, dot.kernel, &sw::RooflinePoint::kernel);
        const QString tag = dot.kernel < m_kernels.size() ? m_kernels[dot.kernel].tag : QString();
        const QString text =
            QStringLiteral("%1  %2, %3 %").arg(tag, QString::fromStdString(point->name)).arg(100 * dot.share, 0, 'f', 0);
        const auto at = static_cast<int>(i);
        const QRectF box(kMargin + wide * (at % columns), top + metrics.height() * (at / columns), wide - kMargin,
                         metrics.height());
        painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter, metrics.elidedText(text, Qt::ElideMiddle, box.width()));
    }
}

void RooflinePlot::drawPicture(QPainter &painter)
{
    const std::optional<std::uint32_t> hovered = std::exchange(m_hovered, std::nullopt);
    draw(painter);
    drawLegend(painter);
    m_hovered = hovered;
}

void RooflinePlot::draw(QPainter &painter) const
{
    painter.setRenderHint(QPainter::Antialiasing);
    drawAxes(painter);
    painter.save();
    painter.setClipRect(area().adjusted(0, -kMargin, kMargin, 0));
    drawRoofs(painter);
    // The large ones first, so that no dot hides another.
    std::vector<const Dot *> bySize;
    for (const Dot &dot : m_dots)
        bySize.push_back(&dot);
    std::ranges::sort(bySize, std::ranges::greater(), [](const Dot *dot) { return dot->share; });
    for (const Dot *dot : bySize)
        drawDot(painter, *dot);
    painter.restore();
}

void RooflinePlot::drawAxes(QPainter &painter) const
{
    const QRectF plot = area();
    const QFontMetricsF metrics(font());
    painter.fillRect(plot, roleColor(Role::Alternate));
    const QColor line = Theme::blend(roleColor(Role::Alternate), roleColor(Role::Edge), 0.35);
    double free = plot.left() - kMargin;
    for (int power = static_cast<int>(m_x.low); power <= static_cast<int>(m_x.high); ++power) {
        const double x = at(std::pow(10, power), 1).x();
        painter.setPen(line);
        painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
        const QString text = powerText(power);
        const double width = metrics.horizontalAdvance(text);
        if (x - width / 2 < free)
            continue;
        free = x + width / 2 + 4;
        painter.setPen(roleColor(Role::Muted));
        painter.drawText(
            QPointF(std::min(x - width / 2, sizeOr(size()).width() - width - 2), plot.bottom() + metrics.ascent() + 2), text);
    }
    for (int power = static_cast<int>(std::ceil(m_y.low)); power <= static_cast<int>(std::floor(m_y.high)); ++power) {
        const double y = at(1, std::pow(10, power)).y();
        painter.setPen(line);
        painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
        painter.setPen(roleColor(Role::Muted));
        // The lowest one stands above the corner, where the first of the other axis begins.
        const double top = std::min(y - metrics.height() / 2, plot.bottom() - metrics.height());
        painter.drawText(QRectF(0, top, plot.left() - 4, metrics.height()), Qt::AlignRight | Qt::AlignVCenter, powerText(power));
    }
    painter.setPen(roleColor(Role::Muted));
    painter.drawText(QRectF(plot.left(), plot.bottom() + metrics.height() + kMargin - 2, plot.width(), metrics.height()),
                     Qt::AlignCenter, tr("operations per byte"));
    painter.save();
    painter.translate(2, plot.center().y());
    painter.rotate(-90);
    painter.drawText(QRectF(-plot.height() / 2, 0, plot.height(), metrics.height()), Qt::AlignCenter, tr("GFLOP/s"));
    painter.restore();
}

void RooflinePlot::drawRoofs(QPainter &painter) const
{
    const QRectF plot = area();
    const QFontMetricsF metrics(font());
    const double highest = highestRate();
    double fastest = 0; // bytes per nanosecond
    for (const sw::Roof &roof : m_roofline.roofs)
        if (roof.kind == sw::RoofKind::Memory) {
            fastest = std::max(fastest, roof.perNanosecond);
            drawMemoryRoof(painter, roof, highest);
        }
    double free = -1e9; // the lowest place that a name has taken
    std::vector<const sw::Roof *> arithmetic;
    for (const sw::Roof &roof : m_roofline.roofs)
        if (roof.kind != sw::RoofKind::Memory)
            arithmetic.push_back(&roof);
    std::ranges::sort(arithmetic, std::ranges::greater(), &sw::Roof::perNanosecond);
    for (const sw::Roof *roof : arithmetic) {
        const double rate = roof->perNanosecond;
        const double left = fastest > 0 ? std::max(at(rate / fastest, rate).x(), plot.left()) : plot.left();
        const QPointF begin(left, at(1, rate).y());
        const bool isHighest = rate == highest;
        painter.setPen(QPen(roleColor(isHighest ? Role::Text : Role::Muted), isHighest ? 1.6 : 1));
        painter.drawLine(begin, QPointF(plot.right(), begin.y()));
        const QString text =
            QStringLiteral("%1  %2").arg(QString::fromStdString(roof->name), rateText(1e9 * rate, QStringLiteral("FLOP/s")));
        const double width = metrics.horizontalAdvance(text);
        const QRectF box(plot.right() - width - 4, begin.y() - metrics.height() - 1, width, metrics.height());
        if (box.top() < free)
            continue;
        free = begin.y();
        painter.setPen(roleColor(Role::Muted));
        drawLabel(painter, box, roleColor(Role::Alternate), text);
    }
}

// Its name stands along the line, near its left end.
void RooflinePlot::drawMemoryRoof(QPainter &painter, const sw::Roof &roof, double highest) const
{
    const QRectF plot = area();
    const double lowest = std::pow(10, m_y.low);
    const QPointF from = at(std::max(std::pow(10, m_x.low), lowest / roof.perNanosecond),
                            std::max(std::pow(10, m_x.low) * roof.perNanosecond, lowest));
    QPointF to = highest > 0 ? at(highest / roof.perNanosecond, highest) : QPointF(plot.right(), plot.top());
    if (to.x() > plot.right()) // a drawing cuts nothing off
        to = from + (to - from) * (plot.right() - from.x()) / (to.x() - from.x());
    painter.setPen(QPen(roleColor(Role::Accent), roof.levelBytes == 0 ? 1.6 : 1));
    painter.drawLine(from, to);
    const QString text = QStringLiteral("%1  %2").arg(QString::fromStdString(roof.name),
                                                      rateText(1e9 * roof.perNanosecond, QStringLiteral("B/s")));
    painter.save();
    painter.translate(from);
    painter.rotate(-std::atan2(from.y() - to.y(), to.x() - from.x()) * 180 / std::numbers::pi);
    const QFontMetricsF metrics(font());
    drawLabel(painter, {8, -metrics.height() - 1, metrics.horizontalAdvance(text), metrics.height()}, roleColor(Role::Alternate),
              text);
    painter.restore();
}

void RooflinePlot::drawDot(QPainter &painter, const Dot &dot) const
{
    const QPointF center = at(dot.intensity, dot.rate);
    const QColor color = colorOf(dot.kernel);
    if (dot.before) {
        const QPointF from = at(dot.before->x(), dot.before->y());
        const QPointF way = center - from;
        const double length = std::hypot(way.x(), way.y());
        if (length >= kLeastArrow) {
            const QPointF unit = way / length;
            const QPointF tip = center - unit * radiusOf(dot);
            const QPointF side(-unit.y(), unit.x());
            painter.setPen(QPen(color, 1.2));
            painter.setBrush(Qt::NoBrush);
            painter.drawEllipse(from, 2.5, 2.5);
            painter.drawLine(from, tip);
            painter.drawPolyline(QPolygonF(
                {tip - unit * kArrowHead + side * kArrowHead / 2, tip, tip - unit * kArrowHead - side * kArrowHead / 2}));
        }
    }
    const bool isSelected = std::ranges::find(m_selected, dot.kernel) != m_selected.end();
    const bool isMarked = isSelected || m_hovered == dot.kernel;
    if (isMarked) {
        painter.setPen(QPen(roleColor(isSelected ? Role::SelectedHalo : Role::Halo), 3));
        painter.setBrush(Qt::NoBrush);
        painter.drawEllipse(center, radiusOf(dot) + 2, radiusOf(dot) + 2);
    }
    const QColor fill = Theme::blend(roleColor(Role::Base), color, 0.75);
    painter.setPen(QPen(color, 1.2));
    painter.setBrush(fill);
    painter.drawEllipse(center, radiusOf(dot), radiusOf(dot));
    const QString name = dot.kernel < m_kernels.size() ? m_kernels[dot.kernel].tag : QString();
    if (name.isEmpty())
        return;
    const QFontMetricsF metrics(font());
    const double width = metrics.horizontalAdvance(name);
    const double right = center.x() + radiusOf(dot) + 4;
    // On the other side of a dot at the right edge.
    const double left = right + width > area().right() ? center.x() - radiusOf(dot) - 4 - width : right;
    painter.setPen(roleColor(Role::Text));
    drawLabel(painter, {left, center.y() - metrics.height() / 2, width, metrics.height()}, roleColor(Role::Alternate), name);
}

} // namespace stepwell::ui
