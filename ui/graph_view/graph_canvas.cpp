#include "ui/graph_view/graph_canvas.h"

#include <QPaintEvent>

#include <algorithm>
#include <cmath>

namespace stepwell::ui {

namespace {

constexpr double kLeastScale = 0.02;
constexpr double kMostScale = 4;
constexpr double kReadableScale = 0.55; // the first picture is not smaller
constexpr double kFirstScale = 0.9;     // nor larger when it does not fit
constexpr double kMargin = 10;

} // namespace

GraphCanvas::GraphCanvas(const Appearance &appearance, QWidget *parent) : QWidget(parent), m_appearance(appearance)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_OpaquePaintEvent);
    connect(&appearance, &Appearance::changed, this, qOverload<>(&QWidget::update));
}

void GraphCanvas::setScene(const GraphScenePtr &scene)
{
    const GraphScenePtr old = std::exchange(m_scene, scene);
    m_marks = {};
    m_hoveredBox = sw::kNoIndex;
    if (m_scene) {
        if (!old || !m_isMoved)
            firstPicture();
        else
            keepPlace(*old, *m_scene);
    }
    update();
}

void GraphCanvas::setHint(const QString &hint)
{
    m_hint = hint;
    update();
}

void GraphCanvas::setKernels(const std::vector<KernelIdentity> &kernels)
{
    m_kernels = kernels;
    update();
}

void GraphCanvas::setMarks(GraphMarks marks)
{
    marks.current = m_marks.current;
    marks.hoveredEdge = m_marks.hoveredEdge;
    m_marks = std::move(marks);
    update();
}

void GraphCanvas::setDimmed(bool isDimmed)
{
    m_isDimmed = isDimmed;
    update();
}

void GraphCanvas::setCamera(double scale, const QPointF &offset)
{
    m_scale = std::clamp(scale, kLeastScale, kMostScale);
    m_offset = QPointF(std::round(offset.x()), std::round(offset.y()));
    update();
}

void GraphCanvas::fit()
{
    if (!m_scene)
        return;
    const QRectF bounds = m_scene->bounds;
    const double scale = std::min({(width() - 2 * kMargin) / std::max(bounds.width(), 1.0),
                                   (height() - 2 * kMargin) / std::max(bounds.height(), 1.0), 1.0});
    setCamera(scale, QPointF(width(), height()) / 2 - bounds.center() * std::max(scale, kLeastScale));
}

// All of it where that is readable, else its beginning.
void GraphCanvas::firstPicture()
{
    fit();
    if (m_scale >= kReadableScale)
        return;
    const QRectF bounds = m_scene->bounds;
    const double scale = std::clamp(width() / std::max(bounds.width(), 1.0), kReadableScale, kFirstScale);
    const double top = bounds.height() * scale > height() ? 0.0 : (height() - bounds.height() * scale) / 2;
    const double middle = bounds.width() * scale > width() ? middleOfTop(height() / scale) : bounds.center().x();
    setCamera(scale, QPointF(width() / 2.0 - middle * scale, top));
}

// Of the boxes that begin above `bottom`.
double GraphCanvas::middleOfTop(double bottom) const
{
    double sum = 0;
    int count = 0;
    for (const SceneBox &box : m_scene->boxes) {
        if (box.rect.top() < bottom) {
            sum += box.rect.center().x();
            ++count;
        }
    }
    return count == 0 ? m_scene->bounds.center().x() : sum / count;
}

// The box nearest to the middle stays where it was.
void GraphCanvas::keepPlace(const GraphScene &old, const GraphScene &scene)
{
    const QPointF middle = toScene(QPointF(width(), height()) / 2);
    const SceneBox *anchor = nullptr;
    double nearest = 0;
    for (const SceneBox &box : old.boxes) {
        const QPointF away = box.rect.center() - middle;
        const double distance = QPointF::dotProduct(away, away);
        if (!anchor || distance < nearest) {
            nearest = distance;
            anchor = &box;
        }
    }
    if (!anchor)
        return;
    const auto same = std::ranges::find_if(scene.boxes, [&](const SceneBox &box) {
        return box.label == anchor->label && box.isScope() == anchor->isScope() &&
               (box.isScope() || scene.document->items[box.item].sources == old.document->items[anchor->item].sources);
    });
    if (same != scene.boxes.end())
        setCamera(m_scale, m_offset + (anchor->rect.center() - same->rect.center()) * m_scale);
}

void GraphCanvas::zoomTo(double scale)
{
    zoomAt(QPointF(width(), height()) / 2, scale);
}

void GraphCanvas::zoomAt(const QPointF &viewPoint, double scale)
{
    const QPointF fixed = toScene(viewPoint);
    const double limited = std::clamp(scale, kLeastScale, kMostScale);
    m_isMoved = true;
    setCamera(limited, viewPoint - fixed * limited);
}

void GraphCanvas::centerOn(BoxIndex box)
{
    m_isMoved = true;
    setCamera(m_scale, QPointF(width(), height()) / 2 - m_scene->boxes[box].rect.center() * m_scale);
}

void GraphCanvas::ensureVisible(const std::vector<BoxIndex> &boxes)
{
    if (!m_scene || boxes.empty())
        return;
    const QRectF visible(toScene({0, 0}), toScene(QPointF(width(), height())));
    const auto isVisible = [&](BoxIndex box) { return visible.contains(m_scene->boxes[box].rect.center()); };
    if (std::ranges::any_of(boxes, isVisible))
        return;
    const auto distance = [&](BoxIndex box) {
        const QPointF away = m_scene->boxes[box].rect.center() - visible.center();
        return QPointF::dotProduct(away, away);
    };
    centerOn(*std::ranges::min_element(boxes, {}, distance));
}

void GraphCanvas::paintEvent(QPaintEvent *event)
{
    QPainter painter(this);
    painter.fillRect(event->rect(), m_appearance.color(Role::Base));
    if (!m_scene || m_scene->boxes.empty()) {
        painter.setPen(m_appearance.color(Role::Muted));
        painter.drawText(rect().adjusted(16, 16, -16, -16), Qt::AlignCenter | Qt::TextWordWrap, m_hint);
        return;
    }
    painter.save();
    painter.translate(m_offset);
    painter.scale(m_scale, m_scale);
    const QRectF visible(toScene(event->rect().topLeft()), toScene(event->rect().bottomRight() + QPoint(1, 1)));
    drawGraph(painter, {*m_scene, m_marks, m_kernels, m_appearance, visible.adjusted(-12, -12, 12, 12), m_scale, m_isDimmed});
    painter.restore();
    if (hasFocus()) {
        painter.setPen(m_appearance.color(Role::Accent));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

void GraphCanvas::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    if (m_scene && !m_isMoved)
        firstPicture();
}

} // namespace stepwell::ui
