#pragma once
// Shows a graph scene and handles pointer and keys: drag pans, the wheel scrolls, Ctrl+wheel zooms at the pointer, arrows walk
// edges. It reports the boxes that the user points at, and lights up the boxes it is given.

#include "ui/graph_view/graph_painter.h"
#include "ui/graph_view/moment_fade.h"
#include "ui/sharing/painted_view.h"

#include <QPointF>
#include <QWidget>

#include <optional>

namespace stepwell::ui {

class CameraBars;

class GraphCanvas : public QWidget, public PaintedView {
    Q_OBJECT

public:
    // Text is easy to read from this scale on, and part of a graph opens at it.
    static constexpr double kReadableScale = 0.6;
    // A whole graph never opens smaller than this: slightly small text is better than a missing corner.
    static constexpr double kLeastWholeScale = 0.5;

    explicit GraphCanvas(const Appearance &appearance, QWidget *parent = nullptr);

    // Null: nothing to show; `hint` then says why, and the next scene opens at its start. Otherwise, once the user has moved the
    // camera, it stays on what it showed.
    void setScene(const GraphScenePtr &scene);
    // Shows another moment of the same program: what both scenes contain stays in place, as far as the layout allows.
    void setNextScene(const GraphScenePtr &scene);
    void setHint(const QString &hint);
    [[nodiscard]] const QString &hint() const { return m_hint; }
    void setKernels(const std::vector<KernelIdentity> &kernels);
    // The schedule's document, whose decisions the edges name; null: there is none.
    void setDecisions(const sw::StageDocumentPtr &schedule);
    // Of the drawing of a difference: by edge of the document. Empty: it is none.
    void setEdgeKinds(std::vector<sw::ItemKind> kinds);
    void setMarks(GraphMarks marks); // hovered, selected and found; the cursor is the canvas's own
    void setDimmed(bool isDimmed);

    [[nodiscard]] const GraphScenePtr &scene() const { return m_scene; }
    [[nodiscard]] const GraphMarks &marks() const { return m_marks; }
    [[nodiscard]] double zoom() const { return m_scale; }
    [[nodiscard]] bool isFading() const { return m_fade->isFading(); } // from one moment to the next

    void fit();                // shows the whole graph, however small
    void zoomTo(double scale); // zooms around the middle
    void zoomBy(double factor) { zoomTo(m_scale * factor); }
    void ensureVisible(const std::vector<BoxIndex> &boxes); // shows the nearest of them, unless one is already visible
    void centerOn(BoxIndex box);

    [[nodiscard]] QPointF toView(const QPointF &scenePoint) const { return scenePoint * m_scale + m_offset; }
    [[nodiscard]] QPointF toScene(const QPointF &viewPoint) const { return (viewPoint - m_offset) / m_scale; }
    [[nodiscard]] QSize sizeHint() const override { return {360, 320}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {120, 80}; }
    [[nodiscard]] QSizeF pictureSize() const override;

signals:
    void boxHovered(stepwell::ui::BoxIndex box);                                  // kNoIndex: none
    void boxClicked(stepwell::ui::BoxIndex box, Qt::KeyboardModifiers modifiers); // kNoIndex: the background
    void edgeClicked(std::uint32_t edge);
    void boxMenuWanted(stepwell::ui::BoxIndex box, const QPoint &at); // at: on the screen
    void edgeMenuWanted(std::uint32_t edge, const QPoint &at);
    void foldRequested(std::uint32_t group);
    void unfoldRequested(std::uint32_t group);

protected:
    void paintEvent(QPaintEvent *event) override;
    void drawPicture(QPainter &painter) override;
    void resizeEvent(QResizeEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    bool event(QEvent *event) override;

private:
    [[nodiscard]] static std::optional<QPointF> placeIn(const GraphScene &scene, const GraphScene &old, BoxIndex index);
    [[nodiscard]] double wholeScale() const;
    void showStart();
    void followSize();
    void showSomething();
    [[nodiscard]] bool keepPlaces(const GraphScene &old, const GraphScene &scene);
    void keepPlace(const GraphScene &old, const GraphScene &scene);
    void setCamera(double scale, const QPointF &offset);
    void zoomAt(const QPointF &viewPoint, double scale);
    void hoverAt(const QPointF &viewPoint);
    void setCurrent(BoxIndex box);
    void walk(int key);
    [[nodiscard]] BoxIndex startOfWalk() const;
    [[nodiscard]] BoxIndex nextAlongEdges(BoxIndex box, bool isDown) const;
    [[nodiscard]] BoxIndex besideInLayer(BoxIndex box, bool isRight) const;
    [[nodiscard]] QString toolTipOf(BoxIndex box) const;
    void draw(QPainter &painter, const QRectF &visible, double scale);

    GraphScenePtr m_scene;
    GraphMarks m_marks;
    std::vector<KernelIdentity> m_kernels;
    sw::StageDocumentPtr m_schedule;
    std::vector<sw::ItemKind> m_edgeKinds;
    std::vector<bool> m_cuts; // by edge of the scene; empty: not made yet
    QString m_hint;
    double m_scale = 1;
    QPointF m_offset;
    bool m_isDimmed = false;
    // What the camera shows when the size of the pane or the graph changes.
    enum class Follow : unsigned char { Start, Whole, Place } m_follow = Follow::Start;
    CameraBars *m_bars;
    MomentFade *m_fade;
    BoxIndex m_hoveredBox = sw::kNoIndex;
    QPointF m_pressedAt;
    QPointF m_pressedOffset;
    bool m_isPanning = false;
};

} // namespace stepwell::ui
