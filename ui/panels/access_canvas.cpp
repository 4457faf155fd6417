#include "ui/panels/access_canvas.h"

#include "ui/panels/access_picture.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

namespace stepwell::ui {

AccessLook lookOf(const Appearance &appearance, bool showsCacheLines)
{
    return {appearance.theme(), appearance.textFont(), showsCacheLines};
}

AccessCanvas::AccessCanvas(const Appearance &appearance, QWidget *parent)
    : QWidget(parent), m_appearance(appearance), m_scene(lookOf(appearance, true))
{
    setObjectName(QStringLiteral("accessCanvas"));
    setAccessibleName(tr("What the run reads and writes, element by element"));
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(120, 80);
    connect(&appearance, &Appearance::changed, this, [this] { showCacheLines(m_scene.look().showsCacheLines); });
}

void AccessCanvas::setHint(const QString &hint)
{
    m_hint = hint;
    update();
}

void AccessCanvas::showCacheLines(bool isOn)
{
    m_scene.setLook(lookOf(m_appearance, isOn));
    m_scene.resize(QSizeF(size()) - QSizeF(2 * kAccessMargin, 2 * kAccessMargin));
    update();
}

void AccessCanvas::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    m_scene.resize(QSizeF(size()) - QSizeF(2 * kAccessMargin, 2 * kAccessMargin));
}

void AccessCanvas::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_appearance.color(Role::Base));
    if (!m_hint.isEmpty()) {
        painter.setPen(m_appearance.color(Role::Muted));
        painter.drawText(rect().adjusted(16, 8, -16, -8), Qt::AlignCenter | Qt::TextWordWrap, m_hint);
        return;
    }
    painter.translate(kAccessMargin, kAccessMargin);
    m_scene.paint(painter);
}

void AccessCanvas::mouseDoubleClickEvent(QMouseEvent *event)
{
    const auto place = m_scene.placeAt(event->position() - QPointF(kAccessMargin, kAccessMargin));
    if (place && m_hint.isEmpty())
        emit runWanted(event->modifiers() & Qt::ShiftModifier ? sw::TraceDirection::Backward : sw::TraceDirection::Forward,
                       place->memory, place->element);
}

bool AccessCanvas::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    const auto place = m_scene.placeAt(QPointF(help->pos()) - QPointF(kAccessMargin, kAccessMargin));
    if (place && m_hint.isEmpty())
        QToolTip::showText(help->globalPos(), m_scene.describe(*place) + tr("\ndouble click: run to its next access"), this);
    else
        QToolTip::hideText();
    return true;
}

} // namespace stepwell::ui
