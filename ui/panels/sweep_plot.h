#pragma once
// A sweep as a plot: time to the left, GFLOP/s to the right, both logarithmic over the values. Dashed lines with numbers stand
// where the compiler decided otherwise.

#include "engine/api/sweep.h"
#include "ui/sharing/painted_view.h"
#include "ui/theme/appearance.h"

#include <QWidget>

#include <optional>

namespace stepwell::ui {

class SweepPlot : public QWidget, public PaintedView {
    Q_OBJECT

public:
    explicit SweepPlot(const Appearance &appearance, QWidget *parent = nullptr);

    void setSweep(sw::Sweep sweep);
    void setCurrent(std::optional<std::size_t> point);
    [[nodiscard]] std::optional<std::size_t> current() const { return m_current; }
    // Where the time of the point is drawn.
    [[nodiscard]] QPointF timeAt(std::size_t point) const;
    // The point whose value is nearest, if it is near.
    [[nodiscard]] std::optional<std::size_t> pointAt(const QPointF &position) const;
    [[nodiscard]] QString toolTipOf(std::size_t point) const;
    // Lines where decisions change.
    [[nodiscard]] std::size_t markCount() const;
    [[nodiscard]] QSize sizeHint() const override { return {420, 240}; }
    [[nodiscard]] QSizeF pictureSize() const override;

signals:
    void pointChosen(std::size_t point);

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void drawPicture(QPainter &painter) override;
    void mousePressEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    // What an axis shows, as powers of ten.
    struct Range {
        double low = 0;
        double high = 1;
    };

    [[nodiscard]] static Range rangeOf(const std::vector<double> &values, double margin);
    [[nodiscard]] QRectF area() const;
    [[nodiscard]] double xOf(double value) const;
    [[nodiscard]] double yOf(const Range &range, double value) const;
    void draw(QPainter &painter) const;
    void drawAxes(QPainter &painter) const;
    void drawMarks(QPainter &painter) const;
    void drawCurve(QPainter &painter, const Range &range, Role role, bool isRate) const;
    void choose(std::size_t point);

    sw::Sweep m_sweep;
    Range m_values;
    Range m_times; // nanoseconds
    Range m_rates; // GFLOP/s
    bool m_hasRates = false;
    std::optional<std::size_t> m_current;
};

} // namespace stepwell::ui
