#pragma once
// The last part of the timeline: the kernels of the run in a row, taller for more work. The kernel that is stepped is filled as
// far as its steps are done.

#include "ui/session/walk.h"
#include "ui/sharing/painted_view.h"
#include "ui/theme/appearance.h"

#include <QAbstractSlider>

#include <limits>

namespace stepwell::ui {

class TimelineRun : public QAbstractSlider, public PaintedView {
    Q_OBJECT

public:
    TimelineRun(const Appearance &appearance, Walk &walk, QWidget *parent = nullptr);

    [[nodiscard]] QRectF slotOf(int kernel) const;
    [[nodiscard]] int slotAt(double x) const; // -1: none
    [[nodiscard]] QSize sizeHint() const override { return {150, 52}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {56, 44}; }
    [[nodiscard]] QSizeF pictureSize() const override;

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void drawPicture(QPainter &painter) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *) override {}
    void leaveEvent(QEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;

private:
    // Of the kernels' work.
    struct Range {
        double least = std::numeric_limits<double>::infinity();
        double most = 0;
    };

    void tell();
    void draw(QPainter &painter) const;
    void drawTick(QPainter &painter, int kernel, const Range &range) const;

    Walk &m_walk;
    int m_hovered = -1;
};

} // namespace stepwell::ui
