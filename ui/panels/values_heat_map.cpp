#include "ui/panels/values_heat_map.h"

#include "ui/models/quantity.h"
#include "ui/models/value_model.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <array>
#include <cmath>

namespace stepwell::ui {

namespace {

constexpr double kLargestTile = 30; // pixels
constexpr double kSmallestSign = 9; // a tile smaller than this has no room for a sign
constexpr int kMargin = 6;
constexpr int kLegendHeight = 18;
constexpr int kScaleWidth = 70;
constexpr double kOutOfDateOpacity = 0.45;
constexpr QSize kPictureSize(480, 360); // at least: a pane may be small
constexpr std::int64_t kMostRectangles = 20'000;

// The worst that a tile holds.
sw::ValueClass worstOf(const sw::Tile &tile)
{
    if (tile.nans > 0)
        return sw::ValueClass::NotANumber;
    if (tile.infinities > 0)
        return sw::ValueClass::Infinity;
    return tile.subnormals > 0 ? sw::ValueClass::Subnormal : sw::ValueClass::Ordinary;
}

struct Sign {
    sw::ValueClass kind;
    const char *name;
};
constexpr std::array<Sign, 3> kSigns{{{sw::ValueClass::NotANumber, QT_TRANSLATE_NOOP("ValuesHeatMap", "NaN")},
                                      {sw::ValueClass::Infinity, QT_TRANSLATE_NOOP("ValuesHeatMap", "infinite")},
                                      {sw::ValueClass::Subnormal, QT_TRANSLATE_NOOP("ValuesHeatMap", "subnormal")}}};

} // namespace

ValuesHeatMap::ValuesHeatMap(const Appearance &appearance, QWidget *parent) : QWidget(parent), PaintedView(appearance)
{
    setMouseTracking(true);
    connect(&appearance, &Appearance::changed, this, qOverload<>(&QWidget::update));
}

void ValuesHeatMap::setTiles(sw::TensorViewPtr view, const sw::TensorSlice &slice, sw::TileMap map, double low, double high)
{
    m_view = std::move(view);
    m_slice = slice;
    m_map = std::move(map);
    m_low = low;
    m_high = high;
    update();
}

void ValuesHeatMap::clear()
{
    setTiles(nullptr, {}, {}, 0, 0);
}

void ValuesHeatMap::setOutOfDate(bool isOutOfDate)
{
    m_isOutOfDate = isOutOfDate;
    update();
}

void ValuesHeatMap::setCurrent(std::optional<std::int64_t> row, std::optional<std::int64_t> column)
{
    m_row = row;
    m_column = column;
    update();
}

QSize ValuesHeatMap::room() const
{
    const QSize all = sizeOr(size()).toSize();
    return (all - QSize(2 * kMargin, 2 * kMargin + kLegendHeight)).expandedTo(QSize(1, 1));
}

QRectF ValuesHeatMap::mapRect() const
{
    const QSize most = room();
    const double tileWidth = std::min(kLargestTile, static_cast<double>(most.width()) / static_cast<double>(m_map.columns));
    const double tileHeight = std::min(kLargestTile, static_cast<double>(most.height()) / static_cast<double>(m_map.rows));
    return {kMargin, kMargin, tileWidth * static_cast<double>(m_map.columns), tileHeight * static_cast<double>(m_map.rows)};
}

QRectF ValuesHeatMap::rectOf(std::int64_t row, std::int64_t column) const
{
    const QRectF all = mapRect();
    const double tileWidth = all.width() / static_cast<double>(m_map.columns);
    const double tileHeight = all.height() / static_cast<double>(m_map.rows);
    return {all.left() + static_cast<double>(column) * tileWidth, all.top() + static_cast<double>(row) * tileHeight, tileWidth,
            tileHeight};
}

std::optional<std::pair<std::int64_t, std::int64_t>> ValuesHeatMap::tileAt(QPointF point) const
{
    if (m_map.tiles.empty() || !mapRect().contains(point))
        return std::nullopt;
    const QRectF first = rectOf(0, 0);
    const auto row = static_cast<std::int64_t>((point.y() - first.top()) / first.height());
    const auto column = static_cast<std::int64_t>((point.x() - first.left()) / first.width());
    return std::pair{std::min(row, m_map.rows - 1), std::min(column, m_map.columns - 1)};
}

QColor ValuesHeatMap::colorOfTile(const sw::Tile &tile) const
{
    const sw::ValueClass worst = worstOf(tile);
    if (worst == sw::ValueClass::NotANumber || worst == sw::ValueClass::Infinity)
        return colorOf(worst, usedTheme());
    if (tile.finite == 0)
        return roleColor(Role::Base); // after the end of a vector
    // Halves: the range may be larger than the largest number.
    const double range = m_high / 2 - m_low / 2;
    return usedTheme().scaleColor(range > 0 ? (tile.mean / 2 - m_low / 2) / range : 0.5);
}

QImage ValuesHeatMap::image() const
{
    QImage image(static_cast<int>(m_map.columns), static_cast<int>(m_map.rows), QImage::Format_RGB32);
    for (std::int64_t row = 0; row < m_map.rows; ++row)
        for (std::int64_t column = 0; column < m_map.columns; ++column)
            image.setPixelColor(static_cast<int>(column), static_cast<int>(row),
                                colorOfTile(m_map.tiles[static_cast<std::size_t>(row * m_map.columns + column)]));
    return image;
}

void ValuesHeatMap::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), roleColor(Role::Base));
    if (m_map.tiles.empty())
        return;
    painter.setOpacity(m_isOutOfDate ? kOutOfDateOpacity : 1);
    painter.drawImage(mapRect(), image());
    paintMarks(painter);
    painter.setOpacity(1);
    paintLegend(painter);
}

QSizeF ValuesHeatMap::pictureSize() const
{
    return m_map.tiles.empty() ? QSizeF() : QSizeF(size().expandedTo(kPictureSize));
}

// Tiles as rectangles where there are few: an image that is enlarged would be blurred.
void ValuesHeatMap::drawPicture(QPainter &painter)
{
    if (m_map.rows * m_map.columns <= kMostRectangles) {
        for (std::int64_t row = 0; row < m_map.rows; ++row)
            for (std::int64_t column = 0; column < m_map.columns; ++column)
                painter.fillRect(rectOf(row, column),
                                 colorOfTile(m_map.tiles[static_cast<std::size_t>(row * m_map.columns + column)]));
    } else {
        painter.drawImage(mapRect(), image());
    }
    paintMarks(painter);
    paintLegend(painter);
}

void ValuesHeatMap::paintMarks(QPainter &painter) const
{
    const QRectF first = rectOf(0, 0);
    if (std::min(first.width(), first.height()) >= kSmallestSign) {
        painter.setFont(appearance().codeFont());
        for (std::size_t i = 0; i < m_map.tiles.size(); ++i) {
            const sw::ValueClass worst = worstOf(m_map.tiles[i]);
            const QString glyph = glyphOf(worst);
            if (glyph.isEmpty())
                continue;
            painter.setPen(Theme::legible(roleColor(Role::Base), colorOfTile(m_map.tiles[i])));
            const auto at = static_cast<std::int64_t>(i);
            painter.drawText(rectOf(at / m_map.columns, at % m_map.columns), Qt::AlignCenter, glyph);
        }
    }
    if (!m_row || !m_column || m_slice.rows() == 0 || m_slice.columns() == 0)
        return;
    const QRectF all = mapRect();
    const QRectF marked(all.left() + all.width() * static_cast<double>(*m_column) / static_cast<double>(m_slice.columns()),
                        all.top() + all.height() * static_cast<double>(*m_row) / static_cast<double>(m_slice.rows()),
                        std::max(3.0, all.width() / static_cast<double>(m_slice.columns())),
                        std::max(3.0, all.height() / static_cast<double>(m_slice.rows())));
    painter.setPen(QPen(roleColor(Role::Text), 3));
    painter.drawRect(marked);
    painter.setPen(QPen(roleColor(Role::Base), 1));
    painter.drawRect(marked);
}

// "-1.2 [scale] 3.4   ! NaN": signs only of what there is.
void ValuesHeatMap::paintLegend(QPainter &painter) const
{
    painter.setFont(appearance().textFont());
    const QFontMetrics metrics = painter.fontMetrics();
    const int top = static_cast<int>(mapRect().bottom()) + 3;
    int left = kMargin;
    const auto write = [&](const QString &text, const QColor &color) {
        painter.setPen(color);
        painter.drawText(QRect(left, top, static_cast<int>(sizeOr(size()).width()) - left, kLegendHeight),
                         Qt::AlignLeft | Qt::AlignVCenter, text);
        left += metrics.horizontalAdvance(text) + kMargin;
    };
    const bool hasFinite = std::ranges::any_of(m_map.tiles, [](const sw::Tile &tile) { return tile.finite > 0; });
    if (hasFinite) {
        write(shortNumber(numberText(m_low), 9), roleColor(Role::Muted));
        for (int x = 0; x < kScaleWidth; ++x)
            painter.fillRect(left + x, top + 5, 1, kLegendHeight - 9,
                             usedTheme().scaleColor(static_cast<double>(x) / kScaleWidth));
        left += kScaleWidth + kMargin;
        write(shortNumber(numberText(m_high), 9), roleColor(Role::Muted));
    }
    for (const Sign &sign : kSigns)
        if (std::ranges::any_of(m_map.tiles, [&](const sw::Tile &tile) { return worstOf(tile) == sign.kind; }))
            write(glyphOf(sign.kind) + u' ' + tr(sign.name), colorOf(sign.kind, usedTheme()));
}

void ValuesHeatMap::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    emit roomChanged();
}

void ValuesHeatMap::mousePressEvent(QMouseEvent *event)
{
    const auto tile = tileAt(event->position());
    if (event->button() == Qt::LeftButton && tile)
        emit placeChosen(tile->first * m_slice.rows() / m_map.rows, tile->second * m_slice.columns() / m_map.columns);
}

QString ValuesHeatMap::tipOf(std::int64_t row, std::int64_t column) const
{
    const sw::Tile &tile = m_map.tiles[static_cast<std::size_t>(row * m_map.columns + column)];
    const std::int64_t count = tile.finite + tile.nans + tile.infinities;
    if (count == 0)
        return {};
    const auto first = m_slice.indexAt(row * m_slice.rows() / m_map.rows, column * m_slice.columns() / m_map.columns);
    QString text = QStringLiteral("[%1]").arg(QString::fromStdString(m_view->placeText(*first)));
    if (count == 1)
        return text + u' ' + QString::fromStdString(m_view->text(*first, sw::ValueFormat::Decimal));
    text = tr("%1 and %2 more").arg(text).arg(count - 1);
    if (tile.finite > 0)
        text += tr("\nmin %1, mean %2, max %3").arg(numberText(tile.minimum), numberText(tile.mean), numberText(tile.maximum));
    for (const auto &[number, name] :
         {std::pair{tile.nans, tr("NaN")}, {tile.infinities, tr("infinite")}, {tile.subnormals, tr("subnormal")}})
        if (number > 0)
            text += QStringLiteral("\n%1 %2").arg(number).arg(name);
    return text;
}

bool ValuesHeatMap::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    const auto tile = tileAt(help->pos());
    if (const QString tip = tile ? tipOf(tile->first, tile->second) : QString(); !tip.isEmpty())
        QToolTip::showText(help->globalPos(), tip, this);
    else
        QToolTip::hideText();
    return true;
}

} // namespace stepwell::ui
