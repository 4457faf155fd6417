// How an access scene is drawn.

#include "ui/panels/access_scene.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QLocale>

#include <algorithm>
#include <cmath>

namespace stepwell::ui {

namespace {

constexpr double kLinedCell = 6;      // pixels: from here on, cells have borders
constexpr double kCacheLinedCell = 3; // and cache lines

QString tr(const char *english)
{
    return QCoreApplication::translate("AccessScene", english);
}

QString textOfExtents(const std::vector<std::int64_t> &shape)
{
    QStringList extents;
    for (const std::int64_t extent : shape)
        extents << QString::number(extent);
    return extents.join(QStringLiteral(", "));
}

} // namespace

// A pixel for each element, or for the most touched of several when there are more elements than pixels.
QImage AccessScene::imageOf(const Tile &tile) const
{
    const auto step = static_cast<std::int64_t>(std::ceil(1.0 / tile.cell));
    const std::int64_t columns = (tile.shape.columns + step - 1) / step;
    const std::int64_t rows = (tile.shape.rows + step - 1) / step;
    QImage image(static_cast<int>(columns), static_cast<int>(rows), QImage::Format_RGB32);
    const std::int64_t begin = beginOf(tile);
    const std::uint64_t most = mostOf(tile);
    const QColor outside = m_look.theme.color(Role::Base);
    const sw::TraceMemoryTouches *touches = touchesOf(tile);
    const auto strength = [&](std::int64_t element) {
        const sw::TraceTouches &touched = touches->elements[static_cast<std::size_t>(element)];
        return m_mode == AccessMode::Touches ? std::uint64_t{touched.reads} + touched.writes : std::uint64_t{touched.last};
    };
    for (std::int64_t y = 0; y < rows; ++y) {
        for (std::int64_t x = 0; x < columns; ++x) {
            std::int64_t chosen = begin + y * step * tile.shape.columns + x * step;
            for (std::int64_t i = 0; touches && step > 1 && i < step * step; ++i) {
                const std::int64_t row = y * step + i / step;
                const std::int64_t column = x * step + i % step;
                const std::int64_t element = begin + row * tile.shape.columns + column;
                if (row < tile.shape.rows && column < tile.shape.columns && element < tile.memory.elements &&
                    strength(element) > strength(chosen))
                    chosen = element;
            }
            image.setPixelColor(static_cast<int>(x), static_cast<int>(y),
                                chosen < tile.memory.elements ? colorOf(tile, chosen, most) : outside);
        }
    }
    return image;
}

void AccessScene::paint(QPainter &painter) const
{
    painter.setFont(m_look.text);
    for (const Tile &tile : m_tiles)
        paintTile(painter, tile);
}

void AccessScene::paintTile(QPainter &painter, const Tile &tile) const
{
    const double line = QFontMetricsF(m_look.text).height();
    const QFontMetricsF metrics(m_look.text);
    painter.setPen(m_look.theme.color(Role::Text));
    painter.drawText(QRectF(tile.area.topLeft(), QSizeF(tile.area.width(), line)), Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(titleOf(tile), Qt::ElideRight, tile.area.width()));
    painter.setPen(m_look.theme.color(Role::Muted));
    painter.drawText(QRectF(tile.area.topLeft() + QPointF(0, line), QSizeF(tile.area.width(), line)),
                     Qt::AlignLeft | Qt::AlignVCenter, metrics.elidedText(legendOf(tile), Qt::ElideRight, tile.area.width()));
    const View whole = wholeOf(tile);
    const std::optional<View> lens = lensOf(tile);
    if (m_mode == AccessMode::Now)
        paintTrail(painter, tile, whole);
    else
        painter.drawImage(tile.grid, imageOf(tile));
    paintGridLines(painter, tile, whole);
    if (!lens) {
        if (m_mode == AccessMode::Now)
            paintLastStep(painter, tile, whole);
        return;
    }
    painter.setPen(QPen(m_look.theme.color(Role::Text), 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(QRectF(tile.grid.left() + static_cast<double>(lens->column) * tile.cell,
                            tile.grid.top() + static_cast<double>(lens->row) * tile.cell,
                            static_cast<double>(lens->columns) * tile.cell, static_cast<double>(lens->rows) * tile.cell));
    if (m_mode == AccessMode::Now)
        paintTrail(painter, tile, *lens);
    else
        paintCells(painter, tile, *lens);
    paintGridLines(painter, tile, *lens);
    if (m_mode == AccessMode::Now)
        paintLastStep(painter, tile, *lens);
}

void AccessScene::paintCells(QPainter &painter, const Tile &tile, const View &view) const
{
    const std::uint64_t most = mostOf(tile);
    for (std::int64_t row = 0; row < view.rows; ++row) {
        const std::int64_t first = beginOf(tile) + (view.row + row) * tile.shape.columns + view.column;
        for (std::int64_t element = first; element < std::min(first + view.columns, tile.memory.elements); ++element)
            painter.fillRect(cellRect(tile, view, element), colorOf(tile, element, most));
    }
}

void AccessScene::paintTrail(QPainter &painter, const Tile &tile, const View &view) const
{
    const QColor plain = m_look.theme.color(Role::Alternate);
    const auto ages = m_ages.find(tile.memory.instruction);
    for (std::int64_t row = 0; row < view.rows; ++row) {
        const std::int64_t first = beginOf(tile) + (view.row + row) * tile.shape.columns + view.column;
        const std::int64_t end = std::min(first + view.columns, tile.memory.elements);
        if (first >= end)
            break;
        painter.fillRect(QRectF(view.place.left(), view.place.top() + static_cast<double>(row) * view.cell,
                                static_cast<double>(end - first) * view.cell, std::max(view.cell, 1.0)),
                         plain);
        if (ages == m_ages.end())
            continue;
        for (auto age = ages->second.lower_bound(first); age != ages->second.end() && age->first < end; ++age)
            painter.fillRect(cellRect(tile, view, age->first), colorOf(tile, age->first, 1));
    }
}

void AccessScene::paintGridLines(QPainter &painter, const Tile &tile, const View &view) const
{
    if (view.cell >= kLinedCell) {
        painter.setPen(m_look.theme.color(Role::Base));
        for (std::int64_t row = 1; row < view.rows; ++row) {
            const double y = view.place.top() + static_cast<double>(row) * view.cell;
            painter.drawLine(QPointF(view.place.left(), y), QPointF(view.place.right(), y));
        }
        for (std::int64_t column = 1; column < view.columns; ++column) {
            const double x = view.place.left() + static_cast<double>(column) * view.cell;
            painter.drawLine(QPointF(x, view.place.top()), QPointF(x, view.place.bottom()));
        }
    }
    painter.setPen(m_look.theme.color(Role::Border));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(view.place);
    if (!m_look.showsCacheLines || view.cell < kCacheLinedCell)
        return;
    const std::int64_t line = lineElements(tile);
    painter.setPen(QPen(m_look.theme.color(Role::Edge), 1));
    for (std::int64_t row = 0; row < view.rows; ++row) {
        const std::int64_t first = beginOf(tile) + (view.row + row) * tile.shape.columns + view.column;
        for (std::int64_t element = (first + line - 1) / line * line; element < first + view.columns; element += line) {
            const double x = view.place.left() + static_cast<double>(element - first) * view.cell;
            const double y = view.place.top() + static_cast<double>(row) * view.cell;
            painter.drawLine(QPointF(x, y), QPointF(x, y + view.cell));
        }
    }
}

// A frame around each cache line that the last step touched, and one around what it read or wrote.
void AccessScene::paintLastStep(QPainter &painter, const Tile &tile, const View &view) const
{
    const std::int64_t line = lineElements(tile);
    const std::int64_t columns = tile.shape.columns;
    painter.setBrush(Qt::NoBrush);
    // The parts of rows between two elements, as far as they are in the view.
    const auto frame = [&](std::int64_t first, std::int64_t last, double margin) {
        const std::int64_t begin = beginOf(tile);
        for (std::int64_t at = std::max(first, begin); at < std::min(last, tile.memory.elements);) {
            const std::int64_t row = (at - begin) / columns;
            const std::int64_t end = std::min({begin + (row + 1) * columns, last, tile.memory.elements});
            const std::int64_t from = std::max(at, begin + row * columns + view.column);
            const std::int64_t to = std::min(end, begin + row * columns + view.column + view.columns);
            const QRectF begins = from < to ? cellRect(tile, view, from) : QRectF();
            if (!begins.isEmpty())
                painter.drawRect(begins.united(cellRect(tile, view, to - 1)).adjusted(-margin, -margin, margin, margin));
            at = end;
        }
    };
    for (const sw::TracePastAccess &access : m_trail) {
        if (access.position != m_now || access.memory != tile.memory.instruction)
            continue;
        if (m_look.showsCacheLines) {
            painter.setPen(QPen(m_look.theme.color(Role::Halo), 1));
            frame(access.first / line * line, (access.first + access.count - 1) / line * line + line, 1.5);
        }
        painter.setPen(QPen(m_look.theme.color(Role::Text), access.isStore ? 2 : 1));
        frame(access.first, access.first + access.count, 0);
    }
}

QString AccessScene::titleOf(const Tile &tile) const
{
    QString title = QStringLiteral("%1: %2[%3]")
                        .arg(QString::fromStdString(tile.memory.name), QString::fromStdString(tile.memory.type),
                             textOfExtents(tile.memory.shape));
    if (tile.shape.slices > 1)
        title += tr(", slice %1 of %2").arg(sliceOf(tile) + 1).arg(tile.shape.slices);
    if (tile.shape.isWrapped)
        title += tr(", %1 in a row").arg(tile.shape.columns);
    return title;
}

QString AccessScene::legendOf(const Tile &tile) const
{
    if (m_mode == AccessMode::Now) {
        for (const sw::TracePastAccess &access : m_trail)
            if (access.position == m_now && access.memory == tile.memory.instruction)
                return lastStep();
        return {};
    }
    if (!m_totals)
        return tr("Counting\u2026");
    if (!touchesOf(tile))
        return tr("Too many elements to count.");
    const QString part = m_totals->isWhole
                             ? tr("whole run")
                             : tr("only the first %1 steps").arg(QLocale().toString(static_cast<qulonglong>(m_totals->steps)));
    const QString most = QLocale().toString(static_cast<qulonglong>(mostOf(tile)));
    switch (m_mode) {
    case AccessMode::Now:
        break;
    case AccessMode::Touches:
        return tr("reads and writes: none to %1; %2").arg(most, part);
    case AccessMode::First:
        return tr("first touched: step 1 to %1; %2").arg(most, part);
    case AccessMode::Last:
        return tr("last touched: step 1 to %1; %2").arg(most, part);
    }
    return {};
}

} // namespace stepwell::ui
