#pragma once
// What one can do with a layout. Each function changes the layout and leaves it tidy; what makes no sense changes nothing.

#include "ui/docking/layout.h"

namespace stepwell::ui {

enum class Side : unsigned char { Middle, Left, Right, Above, Below };

// Where a panel goes.
struct DropPlace {
    QString beside;           // a panel of the stack that is meant; empty: the whole area, of which Middle is no side
    Side side = Side::Middle; // Middle: becomes a tab of that stack
    QString before;           // of Middle: the tab that it comes before; empty: it comes last

    bool operator==(const DropPlace &) const = default;
};

void movePanel(Layout &layout, const QString &panel, const DropPlace &to);
// With the keyboard: a panel among other tabs gets a stack of its own on that side; one that is alone changes places with its
// neighbour on that side, or goes to the edge of the area when it has none.
void shiftPanel(Layout &layout, const QString &panel, Side side);
void floatPanel(Layout &layout, const QString &panel, const QRect &geometry);
void dockPanel(Layout &layout, const QString &panel); // back to where it was
void openPanel(Layout &layout, const QString &panel); // and brings it to the front
// The last docked panel stays.
void closePanel(Layout &layout, const QString &panel);
// A second time: shows the others again.
void maximisePanel(Layout &layout, const QString &panel);

// The same rectangle, moved and shrunk so that its title bar can be reached on one of the screens (the first one if it is on
// none).
[[nodiscard]] QRect broughtOnScreen(const QRect &geometry, const std::vector<QRect> &screens);

} // namespace stepwell::ui
