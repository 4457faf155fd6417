#include "ui/panels/access_scene.h"

#include "ui/models/cell_model.h"
#include "ui/session/counted.h"

#include <QCoreApplication>
#include <QFontMetricsF>

#include <algorithm>
#include <cmath>

namespace stepwell::ui {

namespace {

constexpr std::int64_t kWrap = 64; // columns of a vector that is drawn in several rows
constexpr double kGap = 14;
constexpr double kMostCell = 22;
constexpr double kLensCell = 12;    // in the part that is drawn larger
constexpr double kSmallCell = 5;    // pixels: the whole is drawn so small that a part is drawn larger
constexpr double kWholePart = 0.36; // of the tile's width, for the whole beside its part
constexpr double kNewest = 0.9;     // opacity of the last step
constexpr double kRecent = 0.55;    // of the step before, down to
constexpr double kOldest = 0.12;

QString tr(const char *english)
{
    return QCoreApplication::translate("AccessScene", english);
}

} // namespace

GridShape gridShapeOf(const sw::TraceMemory &memory)
{
    GridShape shape;
    const std::size_t rank = memory.shape.size();
    if (rank >= 2) {
        shape.columns = std::max<std::int64_t>(1, memory.shape[rank - 1]);
        shape.rows = std::max<std::int64_t>(1, memory.shape[rank - 2]);
        shape.slices = std::max<std::int64_t>(1, memory.elements / (shape.rows * shape.columns));
    } else {
        shape.columns = std::max<std::int64_t>(1, memory.elements);
        if (shape.columns > kWrap) {
            shape.isWrapped = true;
            shape.rows = (shape.columns + kWrap - 1) / kWrap;
            shape.columns = kWrap;
        }
    }
    return shape;
}

void AccessScene::setMemories(std::vector<sw::TraceMemory> memories)
{
    m_tiles.clear();
    for (sw::TraceMemory &memory : memories) {
        const GridShape shape = gridShapeOf(memory);
        m_tiles.push_back({std::move(memory), shape, {}, {}, 1, {}});
    }
    m_trail.clear();
    m_ages.clear();
    m_totals.reset();
}

void AccessScene::setTrail(std::vector<sw::TracePastAccess> accesses, std::uint64_t now)
{
    m_trail = std::move(accesses);
    m_now = now;
    m_ages.clear();
    std::size_t age = 1;
    std::uint64_t at = now;
    for (const sw::TracePastAccess &access : m_trail) {
        if (access.position != at) {
            at = access.position;
            ++age;
        }
        auto &ages = m_ages[access.memory];
        for (std::uint32_t lane = 0; lane < access.count; ++lane)
            ages.try_emplace(access.first + lane, age, access.isStore);
    }
    m_oldest = age;
}

// As many tiles side by side as make the smallest cell largest.
void AccessScene::resize(const QSizeF &size)
{
    if (m_tiles.empty())
        return;
    const double head = 2 * QFontMetricsF(m_look.text).height() + 8;
    const auto count = m_tiles.size();
    const auto cellIn = [&](const Tile &tile, double width, double height) {
        return std::min(
            {kMostCell, width / static_cast<double>(tile.shape.columns), height / static_cast<double>(tile.shape.rows)});
    };
    std::size_t best = 1;
    double bestCell = -1;
    for (std::size_t across = 1; across <= count; ++across) {
        const std::size_t down = (count + across - 1) / across;
        const double width = size.width() / static_cast<double>(across) - kGap;
        const double height = size.height() / static_cast<double>(down) - kGap - head;
        double sum = 0;
        for (const Tile &tile : m_tiles)
            sum += std::sqrt(std::max(0.0, cellIn(tile, width, height)));
        if (sum > bestCell) {
            bestCell = sum;
            best = across;
        }
    }
    const std::size_t down = (count + best - 1) / best;
    const QSizeF room(size.width() / static_cast<double>(best), size.height() / static_cast<double>(down));
    for (std::size_t i = 0; i < count; ++i) {
        Tile &tile = m_tiles[i];
        tile.area =
            QRectF(QPointF(static_cast<double>(i % best) * room.width(), static_cast<double>(i / best) * room.height()), room)
                .adjusted(kGap / 2, kGap / 2, -kGap / 2, -kGap / 2);
        const QRectF below = tile.area.adjusted(0, head, 0, 0);
        tile.cell = cellIn(tile, below.width(), below.height());
        const bool isSmall = tile.cell < kSmallCell && below.width() > 10 * kLensCell && below.height() > 3 * kLensCell;
        if (isSmall)
            tile.cell = cellIn(tile, below.width() * kWholePart, below.height());
        tile.cell = tile.cell > 1 ? std::floor(tile.cell) : std::max(1e-6, tile.cell);
        tile.grid = QRectF(below.topLeft(), QSizeF(tile.cell * static_cast<double>(tile.shape.columns),
                                                   tile.cell * static_cast<double>(tile.shape.rows)));
        tile.lens = isSmall ? below.adjusted(tile.grid.width() + kGap, 0, 0, 0) : QRectF();
    }
}

AccessScene::View AccessScene::wholeOf(const Tile &tile) const
{
    return {tile.grid, tile.cell, 0, 0, tile.shape.rows, tile.shape.columns};
}

// Moves by half of itself, so that it stands still for most steps.
std::optional<AccessScene::View> AccessScene::lensOf(const Tile &tile) const
{
    if (tile.lens.isEmpty())
        return std::nullopt;
    View view{tile.lens, kLensCell, 0, 0, 1, 1};
    view.rows = std::clamp<std::int64_t>(static_cast<std::int64_t>(tile.lens.height() / kLensCell), 1, tile.shape.rows);
    view.columns = std::clamp<std::int64_t>(static_cast<std::int64_t>(tile.lens.width() / kLensCell), 1, tile.shape.columns);
    view.place.setSize(QSizeF(static_cast<double>(view.columns) * kLensCell, static_cast<double>(view.rows) * kLensCell));
    const std::int64_t begin = beginOf(tile);
    for (const sw::TracePastAccess &access : m_trail) {
        const std::int64_t inSlice = access.first - begin;
        if (access.memory != tile.memory.instruction || inSlice < 0 || inSlice >= tile.shape.rows * tile.shape.columns)
            continue;
        const auto origin = [](std::int64_t at, std::int64_t shown, std::int64_t all) {
            const std::int64_t half = std::max<std::int64_t>(1, shown / 2);
            return std::clamp<std::int64_t>(at / half * half - shown / 4, 0, all - shown);
        };
        view.row = origin(inSlice / tile.shape.columns, view.rows, tile.shape.rows);
        view.column = origin(inSlice % tile.shape.columns, view.columns, tile.shape.columns);
        break;
    }
    return view;
}

std::int64_t AccessScene::beginOf(const Tile &tile) const
{
    return sliceOf(tile) * tile.shape.rows * tile.shape.columns;
}

const AccessScene::Tile *AccessScene::tileOf(std::uint32_t memory) const
{
    const auto found = std::ranges::find_if(m_tiles, [memory](const Tile &tile) { return tile.memory.instruction == memory; });
    return found == m_tiles.end() ? nullptr : &*found;
}

std::int64_t AccessScene::mostSlices() const
{
    std::int64_t most = 1;
    for (const Tile &tile : m_tiles)
        most = std::max(most, tile.shape.slices);
    return most;
}

std::int64_t AccessScene::sliceOf(const Tile &tile) const
{
    if (tile.shape.slices == 1)
        return 0;
    if (m_slice)
        return std::min(*m_slice, tile.shape.slices - 1);
    for (const sw::TracePastAccess &access : m_trail)
        if (access.memory == tile.memory.instruction)
            return access.first / (tile.shape.rows * tile.shape.columns);
    return 0;
}

const sw::TraceMemoryTouches *AccessScene::touchesOf(const Tile &tile) const
{
    if (!m_totals)
        return nullptr;
    const auto found = std::ranges::find(m_totals->memories, tile.memory.instruction, &sw::TraceMemoryTouches::memory);
    return found == m_totals->memories.end() || found->elements.empty() ? nullptr : &*found;
}

std::int64_t AccessScene::lineElements(const Tile &tile) const
{
    return std::max<std::int64_t>(1, sw::kCacheLineBytes / std::max<std::int64_t>(1, tile.memory.elementBytes));
}

QRectF AccessScene::cellRect(const Tile &tile, const View &view, std::int64_t element) const
{
    const std::int64_t inSlice = element - beginOf(tile);
    const std::int64_t row = inSlice / tile.shape.columns - view.row;
    const std::int64_t column = inSlice % tile.shape.columns - view.column;
    if (inSlice < 0 || row < 0 || row >= view.rows || column < 0 || column >= view.columns)
        return {};
    const double side = std::max(view.cell, 1.0);
    return {view.place.left() + static_cast<double>(column) * view.cell, view.place.top() + static_cast<double>(row) * view.cell,
            side, side};
}

QRectF AccessScene::rectOf(const Place &place) const
{
    const Tile *tile = tileOf(place.memory);
    if (!tile)
        return {};
    if (const std::optional<View> lens = lensOf(*tile))
        if (const QRectF rect = cellRect(*tile, *lens, place.element); !rect.isEmpty())
            return rect;
    return cellRect(*tile, wholeOf(*tile), place.element);
}

std::optional<AccessScene::Place> AccessScene::placeAt(const QPointF &at) const
{
    const auto placeIn = [&](const Tile &tile, const View &view) -> std::optional<Place> {
        if (!view.place.contains(at))
            return std::nullopt;
        const auto row = view.row + static_cast<std::int64_t>((at.y() - view.place.top()) / view.cell);
        const auto column = view.column + static_cast<std::int64_t>((at.x() - view.place.left()) / view.cell);
        const std::int64_t element = beginOf(tile) + row * tile.shape.columns + column;
        if (row >= tile.shape.rows || column >= tile.shape.columns || element >= tile.memory.elements)
            return std::nullopt;
        return Place{tile.memory.instruction, element};
    };
    for (const Tile &tile : m_tiles) {
        if (const std::optional<View> lens = lensOf(tile))
            if (const std::optional<Place> place = placeIn(tile, *lens))
                return place;
        if (const std::optional<Place> place = placeIn(tile, wholeOf(tile)))
            return place;
    }
    return std::nullopt;
}

std::uint64_t AccessScene::mostOf(const Tile &tile) const
{
    const sw::TraceMemoryTouches *touches = touchesOf(tile);
    if (m_mode != AccessMode::Touches)
        return m_totals ? std::max<std::uint64_t>(1, m_totals->steps) : 1;
    std::uint64_t most = 1;
    if (touches)
        for (const sw::TraceTouches &touched : touches->elements)
            most = std::max<std::uint64_t>(most, std::uint64_t{touched.reads} + touched.writes);
    return most;
}

QColor AccessScene::colorOf(const Tile &tile, std::int64_t element, std::uint64_t most) const
{
    const QColor plain = m_look.theme.color(Role::Alternate);
    if (m_mode == AccessMode::Now) {
        const auto ages = m_ages.find(tile.memory.instruction);
        if (ages == m_ages.end())
            return plain;
        const auto found = ages->second.find(element);
        if (found == ages->second.end())
            return plain;
        const auto &[age, isWrite] = found->second;
        const double fade = m_oldest <= 2 ? 0 : static_cast<double>(age - 2) / static_cast<double>(m_oldest - 1);
        const double opacity = age == 1 ? kNewest : kRecent + (kOldest - kRecent) * fade;
        return Theme::blend(plain, m_look.theme.color(isWrite ? Role::Added : Role::Note), opacity);
    }
    const sw::TraceMemoryTouches *touches = touchesOf(tile);
    if (!touches)
        return plain;
    const sw::TraceTouches &touched = touches->elements[static_cast<std::size_t>(element)];
    if (touched.first == 0)
        return plain;
    std::uint64_t value = touched.last;
    if (m_mode == AccessMode::Touches)
        value = std::uint64_t{touched.reads} + touched.writes;
    else if (m_mode == AccessMode::First)
        value = touched.first;
    const double part = std::min(1.0, static_cast<double>(value) / static_cast<double>(most));
    return Theme::blend(plain, m_look.theme.color(Role::Halo), 0.15 + 0.75 * part);
}

QColor AccessScene::colorOf(const Place &place) const
{
    const Tile *tile = tileOf(place.memory);
    return tile ? colorOf(*tile, place.element, mostOf(*tile)) : QColor();
}

QString AccessScene::describe(const Place &place) const
{
    const Tile *tile = tileOf(place.memory);
    if (!tile)
        return {};
    QString text = tr("%1%2, cache line %3")
                       .arg(QString::fromStdString(tile->memory.name), placeText(tile->memory.shape, place.element))
                       .arg(place.element / lineElements(*tile));
    const sw::TraceMemoryTouches *touches = touchesOf(*tile);
    if (!touches)
        return text;
    const sw::TraceTouches &touched = touches->elements[static_cast<std::size_t>(place.element)];
    if (touched.first == 0)
        return text + (m_totals->isWhole ? tr("\nnever touched") : tr("\nnot touched in the steps that were counted"));
    text +=
        tr("\nread %1, written %2")
            .arg(counted(touched.reads, tr("%1 time"), tr("%1 times")), counted(touched.writes, tr("%1 time"), tr("%1 times")));
    return text + tr("\nfirst at step %1, last at step %2").arg(touched.first).arg(touched.last);
}

QString AccessScene::lastStep() const
{
    if (m_trail.empty() || m_trail.front().position != m_now)
        return {};
    const sw::TracePastAccess &access = m_trail.front();
    const Tile *tile = tileOf(access.memory);
    if (!tile)
        return {};
    const std::int64_t line = lineElements(*tile);
    const std::int64_t lines = (access.first + access.count - 1) / line - access.first / line + 1;
    QString text = access.isStore ? tr("wrote ") : tr("read ");
    text += placeText(tile->memory.shape, access.first);
    if (access.count > 1)
        text += tr(" to %1").arg(placeText(tile->memory.shape, access.first + access.count - 1));
    text +=
        tr(": %1, %2")
            .arg(counted(access.count, tr("%1 lane"), tr("%1 lanes")), counted(lines, tr("%1 cache line"), tr("%1 cache lines")));
    for (const sw::TracePastAccess &before : m_trail) {
        if (before.position == m_now || before.memory != access.memory || before.isStore != access.isStore)
            continue;
        const std::int64_t stride = access.first - before.first;
        return text + tr(", stride %1%2").arg(stride > 0 ? QStringLiteral("+") : QString()).arg(stride);
    }
    return text;
}

} // namespace stepwell::ui
