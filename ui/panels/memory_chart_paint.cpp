// How the memory chart draws itself.

#include "ui/models/quantity.h"
#include "ui/panels/memory_chart.h"

#include <QPaintEvent>
#include <QPainter>

#include <algorithm>

namespace stepwell::ui {

namespace {

constexpr double kTextPadding = 4;
constexpr double kLeastLetters = 6; // of a name that is cut off

bool hasTag(const sw::DocumentItem &item, const char *tag)
{
    return std::ranges::find(item.tags, tag) != item.tags.end();
}

// The label below a step that is not a kernel.
QString signOf(const sw::DocumentItem &item)
{
    if (hasTag(item, "synchronization"))
        return QStringLiteral("\u2016");
    if (hasTag(item, "callback"))
        return QStringLiteral("\u0192");
    if (hasTag(item, "join"))
        return QStringLiteral("+");
    return hasTag(item, "load")    ? QStringLiteral("\u2191")
           : hasTag(item, "fetch") ? QStringLiteral("\u2193")
                                   : QStringLiteral("\u2192");
}

} // namespace

bool MemoryChart::isLit(sw::ItemIndex item) const
{
    return !isPainting() && m_selection.hovered(sw::StageKind::Schedule).hasItem(item);
}

void MemoryChart::paintEvent(QPaintEvent *event)
{
    QPainter painter(this);
    painter.fillRect(event->rect(), roleColor(Role::Base));
    draw(painter);
    if (hasFocus()) {
        painter.setPen(roleColor(Role::Accent));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
    }
}

void MemoryChart::draw(QPainter &painter) const
{
    painter.setRenderHint(QPainter::Antialiasing);
    for (const Plot &plot : m_plots) {
        painter.fillRect(plot.area, roleColor(Role::Alternate));
        drawAxis(painter, plot);
        for (const sw::DocumentBar &bar : plot.chart->bars)
            drawBar(painter, plot, bar);
        drawSteps(painter, plot);
    }
}

void MemoryChart::drawAxis(QPainter &painter, const Plot &plot) const
{
    const double line = painter.fontMetrics().height();
    const QRectF column(plot.area.left() - plot.axisWidth, 0, plot.axisWidth - kTextPadding, line);
    painter.setPen(roleColor(Role::Muted));
    double lowestLabel = sizeOr(size()).height();
    for (const std::int64_t bytes : {std::int64_t{0}, plot.chart->held, plot.chart->height}) {
        const double y = plot.yOf(bytes);
        if (y > lowestLabel - line && bytes != 0) // no room above the previous label
            continue;
        lowestLabel = y;
        painter.drawText(column.translated(0, std::max(0.0, y - line / 2)), Qt::AlignRight | Qt::AlignVCenter, bytesText(bytes));
    }
    if (m_plots.size() > 1)
        painter.drawText(QRectF(plot.area.left(), plot.area.top() - line, plot.area.width(), line), Qt::AlignLeft,
                         QString::fromStdString(plot.chart->title));
    if (plot.chart->held > 0 && plot.chart->held < plot.chart->height) {
        painter.setPen(QPen(roleColor(Role::Edge), 1, Qt::DashLine));
        const double y = plot.yOf(plot.chart->held);
        painter.drawLine(QPointF(plot.area.left(), y), QPointF(plot.area.right(), y));
    }
}

void MemoryChart::drawBar(QPainter &painter, const Plot &plot, const sw::DocumentBar &bar) const
{
    const QRectF rect = plot.barRect(bar);
    const QColor base = roleColor(Role::Base);
    const QColor color = m_colors[bar.item];
    const bool isSelected = m_selection.selected(sw::StageKind::Schedule).hasItem(bar.item);
    const bool isHovered = isLit(bar.item);
    const QColor fill = Theme::blend(base, color, isHovered || isSelected ? 0.55 : 0.3);
    painter.setBrush(fill);
    const Role halo = isSelected ? Role::SelectedHalo : Role::Halo;
    painter.setPen(isSelected || isHovered ? QPen(roleColor(halo), 2) : QPen(color, 1));
    painter.drawRect(rect);
    const QFontMetricsF metrics(painter.font());
    const QRectF inside = plot.labelRect(bar).adjusted(kTextPadding, 0, -kTextPadding, 0);
    const QString name = QString::fromStdString(m_document->items[bar.item].label);
    const QString size = QStringLiteral("  ") + bytesText(bar.to - bar.from);
    const double wanted = std::min(metrics.horizontalAdvance(name), kLeastLetters * metrics.averageCharWidth());
    if (rect.height() < metrics.height() || inside.width() < wanted)
        return;
    painter.setPen(Theme::legible(roleColor(m_isDimmed ? Role::Muted : Role::Text), fill));
    painter.drawText(inside, Qt::AlignLeft | Qt::AlignVCenter, metrics.elidedText(name, Qt::ElideRight, inside.width()));
    const double used = metrics.horizontalAdvance(name);
    if (used + metrics.horizontalAdvance(size) > inside.width())
        return;
    painter.setPen(Theme::legible(roleColor(Role::Muted), fill));
    painter.drawText(inside.adjusted(used, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, size);
}

// Kernels in their colours with tags, other steps with signs; as many labels as there is room for.
void MemoryChart::drawSteps(QPainter &painter, const Plot &plot) const
{
    const QFontMetricsF metrics(painter.font());
    double free = plot.area.left(); // where free space for text begins
    for (std::uint32_t step = 0; step < plot.chart->steps.size(); ++step) {
        const sw::ItemIndex index = plot.chart->steps[step];
        const sw::DocumentItem &item = m_document->items[index];
        const bool isKernel = hasTag(item, "kernel") && item.kernel < m_kernels.size();
        const QRectF rect = plot.stepRect(step);
        const bool isMarked = isLit(index) || m_selection.selected(sw::StageKind::Schedule).hasItem(index);
        painter.fillRect(QRectF(rect.left() + 0.5, rect.top(), std::max(1.0, rect.width() - 1), isMarked ? 4 : 2),
                         isKernel ? m_colors[index] : roleColor(Role::Edge));
        const QString text = isKernel ? m_kernels[item.kernel].tag : signOf(item);
        const double width = metrics.horizontalAdvance(text);
        const double left = rect.center().x() - width / 2;
        if (left < free || left + width > plot.area.right() + kTextPadding)
            continue;
        free = left + width + kTextPadding;
        painter.setPen(isMarked ? roleColor(Role::Text) : roleColor(Role::Muted));
        painter.drawText(QPointF(left, rect.top() + 2 + metrics.ascent()), text);
    }
}

} // namespace stepwell::ui
