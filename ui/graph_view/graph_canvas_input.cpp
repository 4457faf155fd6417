// What the user does to a graph canvas.

#include "ui/graph_view/graph_canvas.h"

#include "ui/graph_view/edge_decisions.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace stepwell::ui {

namespace {

constexpr double kZoomPerNotch = 1.2;
constexpr double kNotch = 120;   // angle units of one step of a mouse wheel
constexpr double kEdgeReach = 5; // pixels
constexpr qsizetype kTipFields = 8;

} // namespace

void GraphCanvas::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton)
        return;
    m_pressedAt = event->position();
    m_pressedOffset = m_offset;
    m_isPanning = false;
}

void GraphCanvas::mouseMoveEvent(QMouseEvent *event)
{
    if (event->buttons() & (Qt::LeftButton | Qt::MiddleButton)) {
        const QPointF away = event->position() - m_pressedAt;
        if (!m_isPanning && away.manhattanLength() >= QApplication::startDragDistance()) {
            m_isPanning = true;
            setCursor(Qt::ClosedHandCursor);
        }
        if (m_isPanning) {
            m_follow = Follow::Place;
            setCamera(m_scale, m_pressedOffset + away);
        }
        return;
    }
    hoverAt(event->position());
}

void GraphCanvas::mouseReleaseEvent(QMouseEvent *event)
{
    if (m_isPanning) {
        m_isPanning = false;
        unsetCursor();
        return;
    }
    if (event->button() != Qt::LeftButton || !m_scene)
        return;
    const QPointF point = toScene(event->position());
    const BoxIndex box = m_scene->boxAt(point);
    if (box == sw::kNoIndex) {
        const std::uint32_t edge = m_scene->edgeAt(point, kEdgeReach / m_scale);
        if (edge != sw::kNoIndex) {
            emit edgeClicked(edge);
            return;
        }
    }
    setCurrent(box);
    emit boxClicked(box, event->modifiers());
}

void GraphCanvas::mouseDoubleClickEvent(QMouseEvent *event)
{
    if (!m_scene || event->button() != Qt::LeftButton)
        return;
    const BoxIndex box = m_scene->boxAt(toScene(event->position()));
    if (box == sw::kNoIndex)
        return;
    const std::uint32_t group = m_scene->boxes[box].group;
    if (group == sw::kNoIndex)
        return;
    if (m_scene->boxes[box].isScope())
        emit unfoldRequested(group);
    else
        emit foldRequested(group);
}

void GraphCanvas::wheelEvent(QWheelEvent *event)
{
    if (event->modifiers() & Qt::ControlModifier) {
        zoomAt(event->position(), m_scale * std::pow(kZoomPerNotch, event->angleDelta().y() / kNotch));
    } else {
        QPointF delta = event->pixelDelta().isNull() ? QPointF(event->angleDelta()) / 2 : QPointF(event->pixelDelta());
        if (event->modifiers() & Qt::ShiftModifier)
            delta = delta.transposed();
        m_follow = Follow::Place;
        setCamera(m_scale, m_offset + delta);
    }
    hoverAt(event->position());
    event->accept();
}

void GraphCanvas::leaveEvent(QEvent *event)
{
    QWidget::leaveEvent(event);
    m_marks.hoveredEdge = sw::kNoIndex;
    if (std::exchange(m_hoveredBox, sw::kNoIndex) != sw::kNoIndex)
        emit boxHovered(sw::kNoIndex);
    update();
}

void GraphCanvas::contextMenuEvent(QContextMenuEvent *event)
{
    if (!m_scene) {
        event->ignore();
        return;
    }
    // The menu key is about what the keyboard stands on.
    const bool isByKey = event->reason() == QContextMenuEvent::Keyboard;
    const BoxIndex current = startOfWalk();
    const QPointF point = toScene(QPointF(event->pos()));
    const BoxIndex box = isByKey ? current : m_scene->boxAt(point);
    const std::uint32_t edge = isByKey || box != sw::kNoIndex ? sw::kNoIndex : m_scene->edgeAt(point, kEdgeReach / m_scale);
    if (box != sw::kNoIndex)
        emit boxMenuWanted(box, isByKey ? mapToGlobal(toView(m_scene->boxes[box].rect.center()).toPoint()) : event->globalPos());
    else if (edge != sw::kNoIndex)
        emit edgeMenuWanted(edge, event->globalPos());
    else
        event->ignore(); // the pane has a menu of its own
}

void GraphCanvas::hoverAt(const QPointF &viewPoint)
{
    if (!m_scene)
        return;
    const QPointF point = toScene(viewPoint);
    const BoxIndex box = m_scene->boxAt(point);
    const std::uint32_t edge = box == sw::kNoIndex ? m_scene->edgeAt(point, kEdgeReach / m_scale) : sw::kNoIndex;
    if (edge != m_marks.hoveredEdge) {
        m_marks.hoveredEdge = edge;
        update();
    }
    setCursor(box == sw::kNoIndex && edge == sw::kNoIndex ? Qt::ArrowCursor : Qt::PointingHandCursor);
    if (box != m_hoveredBox) {
        m_hoveredBox = box;
        emit boxHovered(box);
    }
}

void GraphCanvas::setCurrent(BoxIndex box)
{
    m_marks.current = box;
    update();
}

BoxIndex GraphCanvas::startOfWalk() const
{
    if (m_marks.current != sw::kNoIndex)
        return m_marks.current;
    if (!m_marks.selected.empty())
        return m_marks.selected.front();
    return sw::kNoIndex;
}

BoxIndex GraphCanvas::nextAlongEdges(BoxIndex box, bool isDown) const
{
    BoxIndex nearest = sw::kNoIndex;
    double distance = 0;
    for (const SceneEdge &edge : m_scene->edges) {
        const BoxIndex other = isDown ? edge.to : edge.from;
        if ((isDown ? edge.from : edge.to) != box)
            continue;
        const QPointF away = m_scene->boxes[other].rect.center() - m_scene->boxes[box].rect.center();
        const double d = away.manhattanLength();
        if (nearest == sw::kNoIndex || d < distance) {
            nearest = other;
            distance = d;
        }
    }
    return nearest;
}

BoxIndex GraphCanvas::besideInLayer(BoxIndex box, bool isRight) const
{
    BoxIndex nearest = sw::kNoIndex;
    double distance = 0;
    for (BoxIndex other = 0; other < m_scene->boxes.size(); ++other) {
        if (m_scene->boxes[other].layer != m_scene->boxes[box].layer)
            continue;
        const double away = m_scene->boxes[other].rect.center().x() - m_scene->boxes[box].rect.center().x();
        if (away == 0 || (away > 0) != isRight)
            continue;
        if (nearest == sw::kNoIndex || std::abs(away) < distance) {
            nearest = other;
            distance = std::abs(away);
        }
    }
    return nearest;
}

void GraphCanvas::walk(int key)
{
    const BoxIndex box = startOfWalk();
    BoxIndex next = sw::kNoIndex;
    if (box == sw::kNoIndex)
        next = m_scene->boxAt(toScene(QPointF(width(), height()) / 2)) == sw::kNoIndex ? 0 : startOfWalk();
    else if (key == Qt::Key_Up || key == Qt::Key_Down)
        next = nextAlongEdges(box, key == Qt::Key_Down);
    else
        next = besideInLayer(box, key == Qt::Key_Right);
    if (next == sw::kNoIndex)
        return;
    setCurrent(next);
    ensureVisible({next});
    emit boxHovered(next);
}

void GraphCanvas::keyPressEvent(QKeyEvent *event)
{
    if (!m_scene || m_scene->boxes.empty()) {
        QWidget::keyPressEvent(event);
        return;
    }
    const BoxIndex box = startOfWalk();
    const std::uint32_t group = box == sw::kNoIndex ? sw::kNoIndex : m_scene->boxes[box].group;
    switch (event->key()) {
    case Qt::Key_Left:
        if (group != sw::kNoIndex && !m_scene->boxes[box].isScope())
            emit foldRequested(group);
        else
            walk(event->key());
        return;
    case Qt::Key_Right:
        if (group != sw::kNoIndex && m_scene->boxes[box].isScope())
            emit unfoldRequested(group);
        else
            walk(event->key());
        return;
    case Qt::Key_Up:
    case Qt::Key_Down:
        walk(event->key());
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (event->modifiers() == Qt::NoModifier && box != sw::kNoIndex) {
            emit boxClicked(box, event->modifiers());
            return;
        }
        break;
    case Qt::Key_Space:
        fit();
        return;
    case Qt::Key_Escape:
        setCurrent(sw::kNoIndex);
        emit boxClicked(sw::kNoIndex, Qt::NoModifier);
        return;
    default:
        break;
    }
    QWidget::keyPressEvent(event);
}

QString GraphCanvas::toolTipOf(BoxIndex index) const
{
    const SceneBox &box = m_scene->boxes[index];
    const sw::StageDocument &document = *m_scene->document;
    const auto whole = [](const std::string &text) { return QString::fromStdString(text).toHtmlEscaped(); };
    QString text =
        QStringLiteral("<b>%1</b>").arg(whole(box.isScope() ? document.groups[box.group].label : document.items[box.item].label));
    if (const QString detail = box.isScope() ? box.detail.toHtmlEscaped() : whole(document.items[box.item].detail);
        !detail.isEmpty())
        text += QStringLiteral(" &nbsp;%1").arg(detail);
    if (box.isScope())
        return text + QStringLiteral("<br>") + tr("Double-click to unfold");
    const auto &fields = m_scene->document->items[box.item].fields;
    qsizetype shown = 0;
    for (const sw::DocumentField &field : fields) {
        if (++shown > kTipFields)
            break;
        text += QStringLiteral("<br><span>%1: %2</span>")
                    .arg(QString::fromStdString(field.name).toHtmlEscaped(), QString::fromStdString(field.value).toHtmlEscaped());
    }
    return text;
}

bool GraphCanvas::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip || !m_scene)
        return QWidget::event(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    const QPointF point = toScene(QPointF(help->pos()));
    const BoxIndex box = m_scene->boxAt(point);
    const std::uint32_t edge = box == sw::kNoIndex ? m_scene->edgeAt(point, kEdgeReach / m_scale) : sw::kNoIndex;
    if (box != sw::kNoIndex)
        QToolTip::showText(help->globalPos(), toolTipOf(box), this);
    else if (edge != sw::kNoIndex)
        QToolTip::showText(help->globalPos(), edgeToolTip(*m_scene, edge, m_schedule.get()), this);
    else
        QToolTip::hideText();
    return true;
}

} // namespace stepwell::ui
