#pragma once
// A timeline drawn as lanes, one for each device, thread and list of calls: time to the right, what happened as bars, gaps as
// bare ground. The wheel zooms where it points, dragging moves, dragging with Shift zooms into what was dragged over.

#include "engine/api/timeline.h"
#include "ui/session/snapshot.h"
#include "ui/sharing/painted_view.h"
#include "ui/theme/appearance.h"

#include <QWidget>

#include <memory>
#include <optional>
#include <vector>

namespace stepwell::ui {

class ActivityLanes : public QWidget, public PaintedView {
    Q_OBJECT

public:
    explicit ActivityLanes(const Appearance &appearance, QWidget *parent = nullptr);

    // tags: of the kernels of the recorded program, by their number there. home: what is shown at first. Null: shows nothing.
    // Times on the axis count from where it begins.
    void setTimeline(std::shared_ptr<const sw::Timeline> timeline, std::vector<KernelIdentity> tags, sw::TimelineRange home);
    void setKernels(std::span<const sw::KernelActivity> kernels) { m_counted = {kernels.begin(), kernels.end()}; }
    void setSelectedKernels(std::vector<std::uint32_t> kernels);

    [[nodiscard]] const sw::Timeline *timeline() const { return m_timeline.get(); }
    // Nanoseconds at the left and the right edge.
    [[nodiscard]] sw::TimelineRange range() const;
    void showRange(sw::TimelineRange range);
    void showHome() { showRange(m_home); }
    void showAll();
    void zoomBy(int steps);

    // Where the event is drawn; empty: it is out of sight.
    [[nodiscard]] QRectF rectOf(std::size_t event) const;
    [[nodiscard]] std::optional<std::size_t> eventAt(const QPointF &position) const;
    // The numbers of the event, or of the gap at the position.
    [[nodiscard]] QString toolTipAt(const QPointF &position) const;
    [[nodiscard]] std::optional<std::size_t> current() const { return m_current; }
    [[nodiscard]] QSize sizeHint() const override { return {640, 220}; }
    [[nodiscard]] QSizeF pictureSize() const override;

signals:
    void kernelChosen(std::uint32_t kernel);
    void passChosen(const QString &pass);
    void rangeChanged();

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void drawPicture(QPainter &painter) override;
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    struct Drag {
        QPointF from;
        double begin = 0; // nanoseconds at the left edge when it began
        double top = 0;
        bool isRange = false;
        bool hasMoved = false;
    };

    void choose(std::size_t event);
    void step(int by); // to another event of the lane
    void stepLane(int by);
    void keepInSight(std::size_t event);
    void clamp();
    void place();                      // the lanes, for the font that there is
    [[nodiscard]] QRectF plot() const; // without names and axis
    [[nodiscard]] double laneHeight() const;
    [[nodiscard]] double contentHeight() const;
    [[nodiscard]] double laneTop(std::uint32_t lane) const;
    [[nodiscard]] double xOf(double nanoseconds) const;
    [[nodiscard]] double timeAt(double x) const;
    [[nodiscard]] std::optional<std::uint32_t> laneAt(double y) const;
    [[nodiscard]] QColor colorOf(const sw::TimelineEvent &event) const;
    [[nodiscard]] QString textOf(const sw::TimelineEvent &event, double width) const;
    [[nodiscard]] QString toolTipOf(const sw::TimelineEvent &event) const;
    [[nodiscard]] bool isSelected(const sw::TimelineEvent &event) const;
    void draw(QPainter &painter, const QRectF &clip) const;
    void drawAxis(QPainter &painter) const;
    void drawNames(QPainter &painter) const;
    void drawLane(QPainter &painter, std::uint32_t lane) const;
    void drawEvent(QPainter &painter, std::size_t event, const QRectF &rect) const;
    void drawGaps(QPainter &painter) const;

    std::shared_ptr<const sw::Timeline> m_timeline;
    std::vector<sw::TimelineGap> m_gaps;
    std::vector<sw::KernelActivity> m_counted;
    std::vector<KernelIdentity> m_tags;
    std::vector<std::uint32_t> m_selected;
    std::vector<double> m_offsets; // by lane: its distance from the first one
    double m_namesWidth = 0;
    sw::TimelineRange m_home;
    double m_zero = 0;  // nanoseconds
    double m_begin = 0; // nanoseconds at the left edge
    double m_span = 1;  // nanoseconds from edge to edge
    double m_top = 0;   // pixels that are scrolled away
    std::optional<std::size_t> m_hovered;
    std::optional<std::size_t> m_current;
    std::optional<Drag> m_drag;
    QPointF m_pointer;
};

} // namespace stepwell::ui
