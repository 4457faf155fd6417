#pragma once
// A search as a plot, a point for each candidate: its time as a part of that of the model's choice, over when it was tried, with
// a line for the best so far; or over its price by the model, which shows what the model gets wrong.

#include "engine/api/tune/tune_run.h"
#include "ui/sharing/painted_view.h"
#include "ui/theme/appearance.h"

#include <QWidget>

#include <optional>
#include <vector>

namespace stepwell::ui {

enum class TuningAxis : unsigned char { Elapsed, Price };

class TuningPlot : public QWidget, public PaintedView {
    Q_OBJECT

public:
    explicit TuningPlot(const Appearance &appearance, QWidget *parent = nullptr);

    void setTuning(const sw::KernelTuning &tuning);
    void setAxis(TuningAxis axis);
    [[nodiscard]] TuningAxis axis() const { return m_axis; }
    void setCurrent(std::optional<std::size_t> candidate);
    [[nodiscard]] std::optional<std::size_t> current() const { return m_current; }
    // Where the candidate is drawn; nothing: it has no time, or no price where that is the axis.
    [[nodiscard]] std::optional<QPointF> pointOf(std::size_t candidate) const;
    // The candidate nearest to the position, if it is near.
    [[nodiscard]] std::optional<std::size_t> candidateAt(const QPointF &position) const;
    [[nodiscard]] QString toolTipOf(std::size_t candidate) const;
    [[nodiscard]] QSize sizeHint() const override { return {320, 200}; }
    [[nodiscard]] QSizeF pictureSize() const override;

signals:
    void candidateChosen(std::size_t candidate);

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void drawPicture(QPainter &painter) override { draw(painter); }
    void mousePressEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    struct Point {
        double time = 0;     // 0: it has none
        double seconds = 0;  // when it was judged, since the search began
        double price = 0;    // cycles; 0: it has none
        bool isBest = false; // beyond noise, when it was judged
        QString toolTip;
    };

    [[nodiscard]] QRectF area() const;
    [[nodiscard]] double xOf(const Point &point) const;
    [[nodiscard]] double yOf(double time) const;
    [[nodiscard]] QString title() const;
    void draw(QPainter &painter) const;
    void drawAxes(QPainter &painter) const;
    void drawBest(QPainter &painter) const;
    void choose(std::size_t candidate);

    std::vector<Point> m_points; // by candidate
    std::optional<double> m_correlation;
    double m_seconds = 1; // of the search so far
    double m_lowest = 1;  // prices
    double m_highest = 1;
    TuningAxis m_axis = TuningAxis::Elapsed;
    std::optional<std::size_t> m_current;
};

} // namespace stepwell::ui
