#include "ui/graph_view/graph_canvas.h"

#include <QPaintEvent>

#include <algorithm>
#include <cmath>

namespace stepwell::ui {

namespace {

constexpr double kLeastScale = 0.002; // ten thousand nodes fit
constexpr double kMostScale = 4;
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
    if (!m_scene || !old)
        m_isMoved = false; // another program begins with a picture of the whole
    if (m_scene && !m_isMoved)
        fit();
    else if (m_scene) {
        keepPlace(*old, *m_scene);
        showSomething();
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
    const double scale = std::clamp(std::min((width() - 2 * kMargin) / std::max(bounds.width(), 1.0),
                                             (height() - 2 * kMargin) / std::max(bounds.height(), 1.0)),
                                    kLeastScale, 1.0);
    setCamera(scale, QPointF(width(), height()) / 2 - bounds.center() * scale);
}

// Where the items of a box stand in another scene: a scope that was folded or unfolded is where its nodes are. Of another
// document, the box of the same name and origin. Nothing: it is gone.
std::optional<QPointF> GraphCanvas::placeIn(const GraphScene &scene, const GraphScene &old, BoxIndex index)
{
    const SceneBox &box = old.boxes[index];
    if (scene.document != old.document) {
        const auto same = std::ranges::find_if(scene.boxes, [&](const SceneBox &candidate) {
            return candidate.label == box.label && candidate.isScope() == box.isScope() &&
                   (box.isScope() || scene.document->items[candidate.item].sources == old.document->items[box.item].sources);
        });
        return same == scene.boxes.end() ? std::nullopt : std::optional(same->rect.center());
    }
    QRectF all;
    for (const sw::ItemIndex item : old.itemsOf(index))
        if (const BoxIndex now = scene.boxOfItem[item]; now != sw::kNoIndex)
            all |= scene.boxes[now].rect;
    return all.isNull() ? std::nullopt : std::optional(all.center());
}

// What was nearest to the middle stays where it was.
void GraphCanvas::keepPlace(const GraphScene &old, const GraphScene &scene)
{
    const BoxIndex anchor = old.nearestTo(toScene(QPointF(width(), height()) / 2));
    if (anchor == sw::kNoIndex)
        return;
    if (const std::optional<QPointF> now = placeIn(scene, old, anchor))
        setCamera(m_scale, m_offset + (old.boxes[anchor].rect.center() - *now) * m_scale);
}

// However the scene or the pane has changed, a part of the graph is in the pane.
void GraphCanvas::showSomething()
{
    if (!m_scene || m_scene->boxes.empty())
        return;
    const QRectF visible(toScene({0, 0}), toScene(QPointF(width(), height())));
    const auto isSeen = [&](const SceneBox &box) { return visible.contains(box.rect.center()); };
    if (std::ranges::any_of(m_scene->boxes, isSeen))
        return;
    const QPointF at = m_scene->boxes[m_scene->nearestTo(visible.center())].rect.center();
    setCamera(m_scale, QPointF(width(), height()) / 2 - at * m_scale);
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
    showSomething();
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
    if (m_isMoved)
        showSomething();
    else
        fit();
}

} // namespace stepwell::ui
