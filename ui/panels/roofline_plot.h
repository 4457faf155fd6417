#pragma once
// The roofline as a plot: operations per byte to the right, GFLOP/s upwards, both logarithmic. Roofs are lines with their names,
// kernels dots whose area is their share of the time. An arrow leads to a dot from where the kernel stood before.

#include "engine/api/roofline.h"
#include "ui/session/selection.h"
#include "ui/sharing/painted_view.h"
#include "ui/theme/appearance.h"

#include <QWidget>

#include <optional>
#include <vector>

namespace stepwell::ui {

class RooflinePlot : public QWidget, public PaintedView {
    Q_OBJECT

public:
    explicit RooflinePlot(const Appearance &appearance, QWidget *parent = nullptr);

    // before: where the kernels stood in an earlier run; empty: no arrows. Kernels of the same name are the same.
    void setRoofline(sw::Roofline roofline, std::vector<sw::RooflinePoint> before, const std::vector<KernelIdentity> &kernels);
    void setSelected(std::vector<std::uint32_t> kernels);

    [[nodiscard]] const sw::Roofline &roofline() const { return m_roofline; }
    [[nodiscard]] bool hasDots() const { return !m_dots.empty(); }
    // Where the kernel's dot is; nothing: it does no arithmetic, or was not run.
    [[nodiscard]] std::optional<QPointF> positionOf(std::uint32_t kernel) const;
    // The kernel under the position; nothing: none.
    [[nodiscard]] std::optional<std::uint32_t> kernelAt(const QPointF &position) const;
    [[nodiscard]] std::size_t arrowCount() const;
    [[nodiscard]] QString toolTipOf(std::uint32_t kernel) const;
    [[nodiscard]] QSize sizeHint() const override { return {420, 260}; }
    [[nodiscard]] QSizeF pictureSize() const override;

signals:
    void kernelChosen(std::uint32_t kernel);

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void drawPicture(QPainter &painter) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    static constexpr double kMargin = 10; // pixels

    [[nodiscard]] double highestRate() const; // of arithmetic; 0: there is none
    [[nodiscard]] static int legendColumns(double width);
    struct Dot {
        std::uint32_t kernel = 0;
        double intensity = 0;
        double rate = 0;
        double share = 0;
        std::optional<QPointF> before; // intensity and rate
    };
    // What the axes show, as powers of ten.
    struct Range {
        double low = 0;
        double high = 1;
    };

    void place();
    [[nodiscard]] QRectF area() const;
    [[nodiscard]] QPointF at(double intensity, double rate) const;
    [[nodiscard]] double radiusOf(const Dot &dot) const;
    [[nodiscard]] QColor colorOf(std::uint32_t kernel) const;
    [[nodiscard]] const Dot *dotOf(std::uint32_t kernel) const;
    void draw(QPainter &painter) const;
    [[nodiscard]] double legendHeight(double width) const;
    void drawLegend(QPainter &painter) const;
    void drawAxes(QPainter &painter) const;
    void drawRoofs(QPainter &painter) const;
    void drawMemoryRoof(QPainter &painter, const sw::Roof &roof, double highest) const;
    void drawDot(QPainter &painter, const Dot &dot) const;
    void choose(int by);

    sw::Roofline m_roofline;
    std::vector<KernelIdentity> m_kernels;
    std::vector<Dot> m_dots; // from left to right
    std::vector<std::uint32_t> m_selected;
    std::optional<std::uint32_t> m_hovered;
    Range m_x;
    Range m_y;
};

} // namespace stepwell::ui
