#pragma once
// What can be done with a panel, as a menu: the same as with the mouse.

class QMenu;
class QPoint;

namespace stepwell::ui {

class DockArea;
class Panel;

void fillPaneMenu(QMenu &menu, DockArea &area, Panel *panel);
void showPaneMenu(DockArea &area, Panel *panel, const QPoint &screenPosition);

} // namespace stepwell::ui
