#include "ui/docking/dock_tabs.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QMouseEvent>

#include <utility>

namespace stepwell::ui {

DockTabs::DockTabs(QWidget *parent) : QTabBar(parent)
{
    setExpanding(false);
    setDrawBase(false);
    setUsesScrollButtons(true);
    setElideMode(Qt::ElideNone);
}

int DockTabs::placeAt(int x) const
{
    for (int i = 0; i < count(); ++i)
        if (x < tabRect(i).center().x())
            return i;
    return count();
}

void DockTabs::cancelDrag()
{
    m_pressed = -1;
    m_isDragging = false;
}

void DockTabs::mousePressEvent(QMouseEvent *event)
{
    QTabBar::mousePressEvent(event);
    cancelDrag();
    if (event->button() == Qt::LeftButton) {
        m_pressed = tabAt(event->position().toPoint());
        m_start = event->position().toPoint();
    }
}

void DockTabs::mouseMoveEvent(QMouseEvent *event)
{
    if (m_pressed < 0)
        return QTabBar::mouseMoveEvent(event);
    const QPoint way = event->position().toPoint() - m_start;
    m_isDragging = m_isDragging || way.manhattanLength() >= QApplication::startDragDistance();
    if (m_isDragging)
        emit dragMoved(m_pressed, event->globalPosition().toPoint());
}

void DockTabs::mouseReleaseEvent(QMouseEvent *event)
{
    QTabBar::mouseReleaseEvent(event);
    const int tab = std::exchange(m_pressed, -1);
    if (event->button() == Qt::MiddleButton) {
        if (const int middle = tabAt(event->position().toPoint()); middle >= 0)
            emit closeWanted(middle);
    } else if (event->button() == Qt::LeftButton && std::exchange(m_isDragging, false) && tab >= 0) {
        emit dropped(tab, event->globalPosition().toPoint());
    }
}

void DockTabs::mouseDoubleClickEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return;
    const int tab = tabAt(event->position().toPoint());
    emit doubleClicked(tab >= 0 ? tab : currentIndex());
}

void DockTabs::contextMenuEvent(QContextMenuEvent *event)
{
    const bool isByKey = event->reason() == QContextMenuEvent::Keyboard;
    const int tab = isByKey ? currentIndex() : tabAt(event->pos());
    if (tab >= 0)
        emit menuWanted(tab, isByKey ? mapToGlobal(tabRect(tab).bottomLeft()) : event->globalPos());
}

} // namespace stepwell::ui
