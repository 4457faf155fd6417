#pragma once

#include "engine/api/tensor_slice.h"
#include "ui/sharing/painted_view.h"
#include "ui/theme/appearance.h"

#include <QImage>
#include <QWidget>

#include <optional>

namespace stepwell::ui {

// A slice of a tensor as colours: one tile per element, or per rectangle of elements where there are more than pixels. Tiles with
// NaN, infinite or subnormal elements have a colour and a sign of their own.
class ValuesHeatMap : public QWidget, public PaintedView {
    Q_OBJECT

public:
    explicit ValuesHeatMap(const Appearance &appearance, QWidget *parent = nullptr);

    // low, high: the range of the scale.
    void setTiles(sw::TensorViewPtr view, const sw::TensorSlice &slice, sw::TileMap map, double low, double high);
    void clear();
    void setOutOfDate(bool isOutOfDate);
    // The element that is marked; nothing: none.
    void setCurrent(std::optional<std::int64_t> row, std::optional<std::int64_t> column);
    // The most tiles that have a pixel each.
    [[nodiscard]] QSize room() const;
    [[nodiscard]] const sw::TileMap &tiles() const { return m_map; }
    // The rectangle of a tile, for tests.
    [[nodiscard]] QRectF rectOf(std::int64_t row, std::int64_t column) const;
    [[nodiscard]] QColor colorOfTile(const sw::Tile &tile) const;
    [[nodiscard]] QImage image() const; // a pixel per tile
    [[nodiscard]] QSize sizeHint() const override { return {220, 120}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {90, 40}; }
    [[nodiscard]] QSizeF pictureSize() const override;

signals:
    void roomChanged();
    void placeChosen(std::int64_t row, std::int64_t column); // of the slice

protected:
    void paintEvent(QPaintEvent *event) override;
    void drawPicture(QPainter &painter) override;
    void resizeEvent(QResizeEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    bool event(QEvent *event) override;

private:
    [[nodiscard]] QRectF mapRect() const;
    [[nodiscard]] std::optional<std::pair<std::int64_t, std::int64_t>> tileAt(QPointF point) const;
    [[nodiscard]] QString tipOf(std::int64_t row, std::int64_t column) const;
    void paintMarks(QPainter &painter) const;
    void paintLegend(QPainter &painter) const;

    sw::TensorViewPtr m_view;
    sw::TensorSlice m_slice;
    sw::TileMap m_map;
    double m_low = 0;
    double m_high = 0;
    std::optional<std::int64_t> m_row;
    std::optional<std::int64_t> m_column;
    bool m_isOutOfDate = false;
};

} // namespace stepwell::ui
