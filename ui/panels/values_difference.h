#pragma once

#include "engine/api/compare/tensor_difference.h"
#include "ui/sharing/painted_view.h"
#include "ui/theme/appearance.h"

#include <QWidget>

#include <memory>
#include <optional>

class QLabel;
class QTableWidget;

namespace stepwell::ui {

using TensorDifferencePtr = std::shared_ptr<const sw::TensorDifference>;

// How many elements are how many representable values apart, in powers of two.
class UlpHistogram : public QWidget, public PaintedView {
    Q_OBJECT

public:
    explicit UlpHistogram(const Appearance &appearance, QWidget *parent = nullptr);

    void setDifference(TensorDifferencePtr difference);
    // "4 to 7 ULP: 12 elements"; empty beside the bars.
    [[nodiscard]] QString tipAt(int x) const;
    [[nodiscard]] QSize sizeHint() const override { return {160, 44}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {90, 24}; }
    [[nodiscard]] QSizeF pictureSize() const override;

protected:
    void paintEvent(QPaintEvent *event) override;
    void drawPicture(QPainter &painter) override;
    bool event(QEvent *event) override;

private:
    [[nodiscard]] std::size_t bins() const; // up to the last one that is not empty
    void draw(QPainter &painter, const QSizeF &room) const;

    TensorDifferencePtr m_difference;
};

// Where two tensors differ: a tile per block of elements, the redder the further apart.
class DifferenceMapView : public QWidget, public PaintedView {
    Q_OBJECT

public:
    explicit DifferenceMapView(const Appearance &appearance, QWidget *parent = nullptr);

    // columns: the extent of the last axis.
    void setDifference(TensorDifferencePtr difference, std::int64_t columns);
    [[nodiscard]] QRectF tileRect(std::uint32_t row, std::uint32_t column) const;
    [[nodiscard]] QSize sizeHint() const override { return {140, 120}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {60, 40}; }
    [[nodiscard]] QSizeF pictureSize() const override;

signals:
    void elementChosen(std::int64_t element); // the first of the tile

protected:
    void paintEvent(QPaintEvent *event) override;
    void drawPicture(QPainter &painter) override;
    void mousePressEvent(QMouseEvent *event) override;
    bool event(QEvent *event) override;

private:
    struct Tile {
        std::uint32_t row = 0;
        std::uint32_t column = 0;
    };
    [[nodiscard]] std::optional<Tile> tileAt(QPointF point) const;
    [[nodiscard]] std::int64_t elementOf(const Tile &tile) const;
    void draw(QPainter &painter) const;

    TensorDifferencePtr m_difference;
    std::int64_t m_columns = 1;
    double m_largest = 0;
};

// The difference of two tensors, by the reference and by the device, or of a baseline and now: figures, distances, the worst
// elements, and where they are.
class ValuesDifference : public QWidget {
    Q_OBJECT

public:
    explicit ValuesDifference(const Appearance &appearance, QWidget *parent = nullptr);

    // What the two are called: "Reference", "Device".
    void setNames(const QString &before, const QString &after);
    // columns: as above; places: by worst element. Null: error says why there is none.
    void setDifference(const TensorDifferencePtr &difference, std::int64_t columns, const QStringList &places,
                       const QString &error);
    [[nodiscard]] const TensorDifferencePtr &difference() const { return m_difference; }

signals:
    void elementChosen(std::int64_t element);

private:
    [[nodiscard]] QString summary() const;

    TensorDifferencePtr m_difference;
    QLabel *m_summary;
    UlpHistogram *m_histogram;
    QTableWidget *m_worst;
    DifferenceMapView *m_map;
};

} // namespace stepwell::ui
