#pragma once
// The passes of a compilation in a row, stage by stage: one tick per pass, taller for more rewrites and thin if it changed
// nothing. Its value is the pass where the window is; the end comes after the last pass.

#include "ui/session/moment.h"
#include "ui/session/walk.h"
#include "ui/sharing/painted_view.h"
#include "ui/theme/appearance.h"

#include <QAbstractSlider>
#include <QElapsedTimer>
#include <QString>

#include <vector>

namespace stepwell::ui {

class TimelineTrack : public QAbstractSlider, public PaintedView {
    Q_OBJECT

public:
    TimelineTrack(const Appearance &appearance, Moment &moment, Walk &walk, QWidget *parent = nullptr);

    // The area of a pass, or of the end, which comes after the last pass. Empty: the pass is hidden.
    [[nodiscard]] QRectF slotOf(int pass) const;
    [[nodiscard]] int slotAt(double x) const; // -1: none
    [[nodiscard]] QSize sizeHint() const override { return {520, 52}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {190, 44}; }
    [[nodiscard]] QSizeF pictureSize() const override;

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void drawPicture(QPainter &painter) override;
    void resizeEvent(QResizeEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *) override {}
    void leaveEvent(QEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;

private:
    // The passes that make one stage; the shown ones share its width.
    struct Segment {
        sw::StageKind stage = sw::StageKind::Graph;
        int first = 0;
        int count = 0;
        std::vector<int> shown = {};
        double left = 0;
        double width = 0;
    };

    void setPasses();
    void place();
    void tell();
    void choose(int slot);
    // Typing goes to the next pass that has a word which begins with what was typed.
    [[nodiscard]] bool isTyping() const;
    void search(const QString &letter);
    [[nodiscard]] std::uint32_t countOf(int pass) const;
    [[nodiscard]] QString textOf(int slot) const;
    void draw(QPainter &painter) const;
    void drawSegment(QPainter &painter, const Segment &segment) const;
    void drawTick(QPainter &painter, int pass) const;
    void drawEnd(QPainter &painter) const;

    Moment &m_moment;
    Walk &m_walk;
    std::vector<Segment> m_segments;
    std::uint32_t m_mostRewrites = 1;
    int m_hovered = -1;
    QString m_typed;
    QElapsedTimer m_sinceTyped;
};

} // namespace stepwell::ui
