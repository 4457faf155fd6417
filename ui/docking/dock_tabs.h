#pragma once
// The tabs of a stack. A tab can be dragged away; the drag is followed here and not by QDrag, so that it also works where windows
// cannot exchange data, and in tests.

#include <QTabBar>

namespace stepwell::ui {

class DockTabs : public QTabBar {
    Q_OBJECT

public:
    explicit DockTabs(QWidget *parent = nullptr);

    // The tab before which something dropped at this x belongs; the number of tabs: after the last.
    [[nodiscard]] int placeAt(int x) const;
    void cancelDrag();

signals:
    void dragMoved(int index, const QPoint &screenPosition);
    void dropped(int index, const QPoint &screenPosition);
    void closeWanted(int index);
    void doubleClicked(int index); // or beside the tabs: the current one
    void menuWanted(int index, const QPoint &screenPosition);

protected:
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;

private:
    int m_pressed = -1; // the tab under the left button; -1: none
    QPoint m_start;
    bool m_isDragging = false;
};

} // namespace stepwell::ui
