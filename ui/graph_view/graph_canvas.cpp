#include "ui/graph_view/graph_canvas.h"

#include "ui/graph_view/edge_decisions.h"

#include "ui/graph_view/camera_bars.h"

#include <QPaintEvent>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

namespace stepwell::ui {

namespace {

constexpr double kLeastScale = 0.0002; // small enough for ten thousand nodes in a row
constexpr double kMostScale = 4;
constexpr double kMargin = 10;

} // namespace

GraphCanvas::GraphCanvas(const Appearance &appearance, QWidget *parent)
    : QWidget(parent), PaintedView(appearance), m_bars(new CameraBars(this)), m_fade(new MomentFade(this))
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_OpaquePaintEvent);
    connect(&appearance, &Appearance::changed, this, qOverload<>(&QWidget::update));
    connect(m_bars, &CameraBars::scrolled, this, [this](const QPointF &away) {
        m_follow = Follow::Place;
        setCamera(m_scale, m_offset + away);
    });
}

void GraphCanvas::setScene(const GraphScenePtr &scene)
{
    const GraphScenePtr old = std::exchange(m_scene, scene);
    m_marks = {};
    m_hoveredBox = sw::kNoIndex;
    if (!m_scene || !old)
        m_follow = Follow::Start; // the scene of another program
    else if (m_follow == Follow::Start && old->document == m_scene->document && m_scale > wholeScale())
        m_follow = Follow::Place; // a user who folds scopes in part of the graph keeps looking at that part
    if (m_follow == Follow::Place)
        keepPlace(*old, *m_scene);
    followSize();
    update();
}

void GraphCanvas::setNextScene(const GraphScenePtr &scene)
{
    const GraphScenePtr old = m_scene;
    if (old && scene)
        m_fade->begin();
    if (!old || !scene || !keepPlaces(*old, *scene)) {
        setScene(scene);
        return;
    }
    m_cuts.clear();
    m_scene = scene;
    m_marks = {};
    m_hoveredBox = sw::kNoIndex;
    showSomething();
    setCamera(m_scale, m_offset); // updates the bars
}

// Moves the camera by the median shift of the common boxes. False: the scenes have too little in common.
bool GraphCanvas::keepPlaces(const GraphScene &old, const GraphScene &scene)
{
    std::map<std::pair<QString, QString>, std::vector<QPointF>> places; // by the text of a box, last box first
    for (auto box = old.boxes.rbegin(); box != old.boxes.rend(); ++box)
        places[{box->label, box->detail}].push_back(box->rect.center());
    std::vector<double> right;
    std::vector<double> down;
    for (const SceneBox &box : scene.boxes) {
        const auto found = places.find({box.label, box.detail});
        if (found == places.end() || found->second.empty())
            continue;
        right.push_back(box.rect.center().x() - found->second.back().x());
        down.push_back(box.rect.center().y() - found->second.back().y());
        found->second.pop_back();
    }
    if (2 * right.size() < old.boxes.size() || right.empty())
        return false;
    const auto middle = static_cast<std::ptrdiff_t>(right.size() / 2);
    std::ranges::nth_element(right, right.begin() + middle);
    std::ranges::nth_element(down, down.begin() + middle);
    m_offset -= QPointF(right[right.size() / 2], down[down.size() / 2]) * m_scale;
    return true;
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

void GraphCanvas::setDecisions(const sw::StageDocumentPtr &schedule)
{
    m_schedule = schedule;
    m_cuts.clear();
    update();
}

void GraphCanvas::setEdgeKinds(std::vector<sw::ItemKind> kinds)
{
    m_edgeKinds = std::move(kinds);
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
    m_bars->show(m_scene ? QRectF(toView(m_scene->bounds.topLeft()), toView(m_scene->bounds.bottomRight())) : QRectF());
    update();
}

double GraphCanvas::wholeScale() const
{
    const QSizeF whole = m_scene->bounds.size().expandedTo({1, 1});
    const double scale = std::min((width() - 2 * kMargin) / whole.width(), (height() - 2 * kMargin) / whole.height());
    return std::clamp(scale, kLeastScale, 1.0);
}

void GraphCanvas::fit()
{
    if (!m_scene)
        return;
    m_follow = Follow::Whole;
    setCamera(wholeScale(), QPointF(width(), height()) / 2 - m_scene->bounds.center() * wholeScale());
}

// Shows the whole graph if it is readable, otherwise the top with the first of the inputs.
void GraphCanvas::showStart()
{
    const QRectF bounds = m_scene->bounds;
    const double scale = wholeScale() < kLeastWholeScale ? kReadableScale : wholeScale();
    QPointF start = bounds.center();
    if (bounds.width() * scale > width() - 2 * kMargin) {
        const auto first = std::ranges::min_element(m_scene->boxes, {}, [&](const SceneBox &box) {
            return std::pair(box.rect.top(), std::abs(box.rect.center().x() - bounds.center().x()));
        });
        if (first != m_scene->boxes.end())
            start.setX(first->rect.center().x());
    }
    const bool isTall = bounds.height() * scale > height() - 2 * kMargin;
    setCamera(scale,
              {width() / 2.0 - start.x() * scale, isTall ? kMargin - bounds.top() * scale : height() / 2.0 - start.y() * scale});
}

void GraphCanvas::followSize()
{
    if (!m_scene) {
        m_bars->show({});
        return;
    }
    switch (m_follow) {
    case Follow::Start:
        showStart();
        break;
    case Follow::Whole:
        fit();
        break;
    case Follow::Place:
        showSomething();
        setCamera(m_scale, m_offset); // updates the bars
        break;
    }
}

// Where the items of a box are in another scene: a folded or unfolded scope is where its nodes are. In another
// document, the box with the same name and origin. Nothing: it is gone.
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

// The box nearest to the middle stays where it was.
void GraphCanvas::keepPlace(const GraphScene &old, const GraphScene &scene)
{
    const BoxIndex anchor = old.nearestTo(toScene(QPointF(width(), height()) / 2));
    if (anchor == sw::kNoIndex)
        return;
    if (const std::optional<QPointF> now = placeIn(scene, old, anchor))
        setCamera(m_scale, m_offset + (old.boxes[anchor].rect.center() - *now) * m_scale);
}

// Keeps part of the graph in the pane, however the scene or the pane has changed.
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
    m_follow = Follow::Place;
    setCamera(limited, viewPoint - fixed * limited);
    showSomething();
}

void GraphCanvas::centerOn(BoxIndex box)
{
    m_follow = Follow::Place;
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
    painter.fillRect(event->rect(), roleColor(Role::Base));
    if (!m_scene || m_scene->boxes.empty()) {
        painter.setPen(roleColor(Role::Muted));
        painter.drawText(rect().adjusted(16, 16, -16, -16), Qt::AlignCenter | Qt::TextWordWrap, m_hint);
        return;
    }
    painter.save();
    painter.setClipRect(m_bars->room());
    painter.translate(m_offset);
    painter.scale(m_scale, m_scale);
    const QRectF visible(toScene(event->rect().topLeft()), toScene(event->rect().bottomRight() + QPoint(1, 1)));
    draw(painter, visible, m_scale);
    painter.restore();
    m_fade->paint(painter);
    if (hasFocus()) {
        painter.setPen(roleColor(Role::Accent));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

// visible: in scene coordinates, in which the painter is.
void GraphCanvas::draw(QPainter &painter, const QRectF &visible, double scale)
{
    if (m_cuts.empty())
        m_cuts = cutEdges(*m_scene, m_schedule.get());
    drawGraph(painter, {*m_scene, m_marks, m_kernels, m_cuts, m_edgeKinds, usedTheme(), appearance().textFont(),
                        visible.adjusted(-12, -12, 12, 12), scale, m_isDimmed});
}

QSizeF GraphCanvas::pictureSize() const
{
    return m_scene && !m_scene->boxes.empty() ? m_scene->bounds.size() + QSizeF(2 * kMargin, 2 * kMargin) : QSizeF();
}

// The whole graph at 100 %, wherever the camera stands.
void GraphCanvas::drawPicture(QPainter &painter)
{
    const std::uint32_t hoveredEdge = std::exchange(m_marks.hoveredEdge, sw::kNoIndex);
    const BoxIndex current = std::exchange(m_marks.current, sw::kNoIndex);
    const std::vector<BoxIndex> hovered = std::exchange(m_marks.hovered, {});
    const std::vector<BoxIndex> near = std::exchange(m_marks.nearHovered, {});
    painter.translate(QPointF(kMargin, kMargin) - m_scene->bounds.topLeft());
    draw(painter, m_scene->bounds, 1);
    m_marks.hoveredEdge = hoveredEdge;
    m_marks.current = current;
    m_marks.hovered = hovered;
    m_marks.nearHovered = near;
}

void GraphCanvas::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    followSize();
}

} // namespace stepwell::ui
