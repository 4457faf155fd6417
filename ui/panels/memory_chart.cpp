#include "ui/panels/memory_chart.h"

#include "ui/models/quantity.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>

#include <algorithm>
#include <utility>

namespace stepwell::ui {

namespace {

constexpr double kMargin = 8;
// Of a picture, at least: a pane may be small.
constexpr double kPictureWidth = 800;
constexpr double kPictureHeight = 320; // of each chart
constexpr double kMostHeldShare = 1.0 / 3;
constexpr double kLeastBarHeight = 3;
constexpr double kStepGap = 3; // between the bars and the strip of steps

bool hasTag(const sw::DocumentItem &item, const char *tag)
{
    return std::ranges::find(item.tags, tag) != item.tags.end();
}

// The bars that lie inside of others.
std::vector<const sw::DocumentBar *> partsIn(const sw::StageDocument &document, const sw::DocumentChart &chart)
{
    std::vector<const sw::DocumentBar *> parts;
    for (const sw::DocumentBar &bar : chart.bars) {
        const auto &tags = document.items[bar.item].tags;
        if (std::ranges::find(tags, "part") != tags.end())
            parts.push_back(&bar);
    }
    return parts;
}

} // namespace

MemoryChart::MemoryChart(const Appearance &appearance, Selection &selection, QWidget *parent)
    : QWidget(parent), PaintedView(appearance), m_selection(selection)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    const auto repaint = [this] { update(); };
    connect(&selection, &Selection::hoverChanged, this, repaint);
    connect(&selection, &Selection::selectionChanged, this, repaint);
    connect(&appearance, &Appearance::changed, this, [this] {
        m_colors = itemColors();
        placePlots();
        update();
    });
}

void MemoryChart::setDocument(const sw::StageDocumentPtr &document, const std::vector<KernelIdentity> &kernels)
{
    m_document = document;
    m_kernels = kernels;
    m_colors = itemColors();
    m_plots.clear();
    if (document)
        for (const sw::DocumentChart &chart : document->charts)
            if (!chart.bars.empty())
                m_plots.push_back(
                    {.chart = &chart, .parts = partsIn(*document, chart), .area = {}, .heldHeight = 0, .axisWidth = 0});
    placePlots();
    update();
}

void MemoryChart::setDimmed(bool isDimmed)
{
    m_isDimmed = isDimmed;
    m_colors = itemColors();
    update();
}

QSize MemoryChart::sizeHint() const
{
    return {480, 160};
}

double MemoryChart::Plot::yOf(std::int64_t bytes) const
{
    const auto held = static_cast<double>(chart->held);
    const auto at = static_cast<double>(bytes);
    if (at <= held)
        return area.bottom() - (held > 0 ? heldHeight * at / held : 0);
    const double moving = std::max(1.0, static_cast<double>(chart->height) - held);
    return area.bottom() - heldHeight - (area.height() - heldHeight) * (at - held) / moving;
}

double MemoryChart::Plot::xOf(std::uint32_t step) const
{
    return area.left() + area.width() * step / static_cast<double>(std::max<std::size_t>(1, chart->steps.size()));
}

QRectF MemoryChart::Plot::barRect(const sw::DocumentBar &bar) const
{
    QRectF rect(QPointF(xOf(bar.firstStep), yOf(bar.to)), QPointF(xOf(bar.lastStep + 1), yOf(bar.from)));
    if (rect.height() < kLeastBarHeight) // a small buffer among many bytes
        rect.setTop(rect.bottom() - kLeastBarHeight);
    return rect.adjusted(0.5, 0.5, -0.5, -0.5);
}

QRectF MemoryChart::Plot::stepRect(std::uint32_t step) const
{
    return {QPointF(xOf(step), area.bottom() + kStepGap), QPointF(xOf(step + 1), area.bottom() + kStepGap + kMargin + kStepGap)};
}

void MemoryChart::placePlots()
{
    if (m_plots.empty())
        return;
    const QFontMetricsF metrics(font());
    const QSizeF room = sizeOr(size());
    const double each = (room.height() - kMargin) / static_cast<double>(m_plots.size());
    for (std::size_t i = 0; i < m_plots.size(); ++i) {
        Plot &plot = m_plots[i];
        const auto held = static_cast<double>(plot.chart->held);
        const auto whole = static_cast<double>(std::max<std::int64_t>(1, plot.chart->height));
        plot.axisWidth = std::max(metrics.horizontalAdvance(bytesText(plot.chart->height)),
                                  metrics.horizontalAdvance(bytesText(plot.chart->held))) +
                         kMargin;
        const double top = kMargin + each * static_cast<double>(i) + (m_plots.size() > 1 ? metrics.height() : 0);
        const double bottom = each * static_cast<double>(i + 1) - metrics.height() - 2 * kStepGap;
        plot.area = QRectF(QPointF(kMargin + plot.axisWidth, top), QPointF(room.width() - kMargin, std::max(top + 1, bottom)));
        const double share = held >= whole ? 1.0 : std::min(held / whole, kMostHeldShare);
        plot.heldHeight = plot.area.height() * share;
    }
}

QSizeF MemoryChart::pictureSize() const
{
    if (m_plots.empty())
        return {};
    return QSizeF(size()).expandedTo({kPictureWidth, kPictureHeight * static_cast<double>(m_plots.size())});
}

void MemoryChart::drawPicture(QPainter &painter)
{
    const std::vector<QColor> colors = std::exchange(m_colors, itemColors());
    const std::vector<Plot> plots = m_plots;
    placePlots();
    draw(painter);
    m_plots = plots;
    m_colors = colors;
}

// Given buffers have the colour of their role, computed ones that of their kernel; out-of-date ones are grey.
std::vector<QColor> MemoryChart::itemColors() const
{
    std::vector<QColor> colors;
    if (!m_document)
        return colors;
    const Theme &theme = usedTheme();
    if (m_isDimmed) {
        colors.assign(m_document->items.size(), theme.color(Role::Muted));
        return colors;
    }
    for (const sw::DocumentItem &item : m_document->items)
        colors.push_back(item.kernel < m_kernels.size() && hasTag(item, "kernel")
                             ? theme.identityColor(m_kernels[item.kernel].color)
                             : theme.tagColor(item.tags));
    for (const sw::DocumentEdge &edge : m_document->edges)
        if (hasTag(m_document->items[edge.from], "kernel"))
            colors[edge.to] = colors[edge.from];
    return colors;
}

QRectF MemoryChart::rectOf(sw::ItemIndex item) const
{
    for (const Plot &plot : m_plots) {
        const auto bar = std::ranges::find(plot.chart->bars, item, &sw::DocumentBar::item);
        if (bar != plot.chart->bars.end())
            return plot.barRect(*bar);
        const auto step = std::ranges::find(plot.chart->steps, item);
        if (step != plot.chart->steps.end())
            return plot.stepRect(static_cast<std::uint32_t>(step - plot.chart->steps.begin()));
    }
    return {};
}

// Before or behind the parts that cover the bar, whichever is wider.
QRectF MemoryChart::Plot::labelRect(const sw::DocumentBar &bar) const
{
    const QRectF rect = barRect(bar);
    double begin = rect.right();
    double end = rect.left();
    for (const sw::DocumentBar *part : parts) {
        const QRectF covered = barRect(*part);
        if (part == &bar || part->from < bar.from || part->to > bar.to || !covered.intersects(rect))
            continue;
        begin = std::min(begin, covered.left());
        end = std::max(end, covered.right());
    }
    if (begin >= end)
        return rect;
    const bool isBehind = rect.right() - end > begin - rect.left();
    return isBehind ? QRectF(QPointF(end, rect.top()), rect.bottomRight())
                    : QRectF(rect.topLeft(), QPointF(begin, rect.bottom()));
}

QRectF MemoryChart::labelRectOf(sw::ItemIndex item) const
{
    for (const Plot &plot : m_plots)
        for (const sw::DocumentBar &bar : plot.chart->bars)
            if (bar.item == item)
                return plot.labelRect(bar);
    return {};
}

// The smallest bar at the position, because the lowest bars may lie over their neighbours.
sw::ItemIndex MemoryChart::itemAt(const QPointF &position) const
{
    sw::ItemIndex found = sw::kNoIndex;
    double foundHeight = 0;
    for (const Plot &plot : m_plots) {
        for (const sw::DocumentBar &bar : plot.chart->bars) {
            const QRectF rect = plot.barRect(bar).adjusted(-0.5, -0.5, 0.5, 0.5);
            if (rect.contains(position) && (found == sw::kNoIndex || rect.height() < foundHeight)) {
                found = bar.item;
                foundHeight = rect.height();
            }
        }
        for (std::uint32_t step = 0; found == sw::kNoIndex && step < plot.chart->steps.size(); ++step)
            if (plot.stepRect(step).contains(position))
                return plot.chart->steps[step];
    }
    return found;
}

QString MemoryChart::toolTipOf(sw::ItemIndex item) const
{
    const sw::DocumentItem &of = m_document->items[item];
    QString text = QStringLiteral("%1  %2").arg(QString::fromStdString(of.label), QString::fromStdString(of.detail));
    for (const Plot &plot : m_plots) {
        const auto bar = std::ranges::find(plot.chart->bars, item, &sw::DocumentBar::item);
        if (bar != plot.chart->bars.end())
            text += QLatin1Char('\n') + tr("%1 at byte %2, steps %3 to %4")
                                            .arg(bytesText(bar->to - bar->from))
                                            .arg(bar->from)
                                            .arg(bar->firstStep)
                                            .arg(bar->lastStep);
    }
    return text;
}

bool MemoryChart::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    const sw::ItemIndex item = itemAt(help->pos());
    if (item == sw::kNoIndex)
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(), toolTipOf(item), this, rectOf(item).toAlignedRect());
    return true;
}

void MemoryChart::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    placePlots();
}

void MemoryChart::mouseMoveEvent(QMouseEvent *event)
{
    const sw::ItemIndex item = itemAt(event->position());
    if (item == sw::kNoIndex)
        m_selection.clearHover();
    else
        m_selection.setHover(sw::StageKind::Schedule, {item});
}

void MemoryChart::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return;
    const sw::ItemIndex item = itemAt(event->position());
    if (item == sw::kNoIndex)
        m_selection.clear();
    else
        selectWithKernels(item);
}

// Selects a buffer with the kernel that fills it, or, if its value is given, with the kernels that read it.
void MemoryChart::selectWithKernels(sw::ItemIndex item)
{
    std::vector<sw::ItemIndex> writers;
    std::vector<sw::ItemIndex> readers;
    for (const sw::DocumentEdge &edge : m_document->edges) {
        if (edge.to == item && hasTag(m_document->items[edge.from], "kernel"))
            writers.push_back(edge.from);
        else if (edge.from == item && hasTag(m_document->items[edge.to], "kernel"))
            readers.push_back(edge.to);
    }
    std::vector<sw::ItemIndex> items{item};
    if (!hasTag(m_document->items[item], "kernel")) {
        const std::vector<sw::ItemIndex> &kernels = writers.empty() ? readers : writers;
        items.insert(items.end(), kernels.begin(), kernels.end());
    }
    m_selection.select(sw::StageKind::Schedule, items);
}

void MemoryChart::leaveEvent(QEvent *event)
{
    QWidget::leaveEvent(event);
    m_selection.clearHover();
}

void MemoryChart::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Right || event->key() == Qt::Key_Down)
        moveSelection(1);
    else if (event->key() == Qt::Key_Left || event->key() == Qt::Key_Up)
        moveSelection(-1);
    else
        QWidget::keyPressEvent(event);
}

// Moves to the next or previous bar, in the order in which the buffers come to life.
void MemoryChart::moveSelection(int by)
{
    std::vector<const sw::DocumentBar *> bars;
    for (const Plot &plot : m_plots)
        for (const sw::DocumentBar &bar : plot.chart->bars)
            bars.push_back(&bar);
    if (bars.empty())
        return;
    std::ranges::stable_sort(bars, {}, [](const sw::DocumentBar *bar) { return std::pair(bar->firstStep, bar->from); });
    const auto current = std::ranges::find_if(
        bars, [&](const sw::DocumentBar *bar) { return m_selection.selected(sw::StageKind::Schedule).hasItem(bar->item); });
    const auto count = static_cast<std::ptrdiff_t>(bars.size());
    const std::ptrdiff_t at =
        current == bars.end() ? (by > 0 ? 0 : count - 1) : std::clamp<std::ptrdiff_t>(current - bars.begin() + by, 0, count - 1);
    selectWithKernels(bars[static_cast<std::size_t>(at)]->item);
}

} // namespace stepwell::ui
