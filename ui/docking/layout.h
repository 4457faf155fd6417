#pragma once
// Where the panels stand, as data: a tree of rows, columns and stacks of tabs, and the stacks that float in windows of their own.
// Every panel has exactly one place in the tree, also while it is closed or floats; this is where it comes back to.

#include <QRect>
#include <QString>
#include <QStringList>

#include <vector>

namespace stepwell::ui {

struct LayoutTab {
    QString panel; // its id
    bool isOpen = true;

    bool operator==(const LayoutTab &) const = default;
};

struct LayoutPlace {
    enum class Kind : unsigned char { Stack, Row, Column };

    Kind kind = Kind::Stack;
    int size = 100;                 // among its siblings: pixels, as far as the window has them
    bool grows = false;             // takes the room of a larger window; if no sibling does, all do
    std::vector<LayoutPlace> parts; // of a row or column
    std::vector<LayoutTab> tabs;    // of a stack
    QString front;                  // the tab in front of a stack; empty: none is shown

    bool operator==(const LayoutPlace &) const = default;
};

struct FloatingStack {
    QRect geometry; // of the window, on the screen
    QStringList panels;
    QString front;

    bool operator==(const FloatingStack &) const = default;
};

struct Layout {
    LayoutPlace root;
    std::vector<FloatingStack> floating;
    QString maximised; // a panel; its stack hides the others. Empty: none does

    bool operator==(const Layout &) const = default;
};

// A panel that a layout must have, and the pane where it stands if the layout does not say where.
struct PanelHome {
    QString panel;
    QString home; // panels of one home stand in one stack
};

[[nodiscard]] FloatingStack *floatOf(Layout &layout, const QString &panel);
[[nodiscard]] const FloatingStack *floatOf(const Layout &layout, const QString &panel); // null: it does not float
// The stack of the tree that holds the panel; null: none does.
[[nodiscard]] LayoutPlace *stackOf(LayoutPlace &place, const QString &panel);
[[nodiscard]] const LayoutPlace *stackOf(const LayoutPlace &place, const QString &panel);

[[nodiscard]] bool isOpen(const Layout &layout, const QString &panel);
// The tabs of a stack of the tree that are to be seen there: open and not floating.
[[nodiscard]] QStringList shownTabs(const Layout &layout, const LayoutPlace &stack);
[[nodiscard]] bool isShown(const Layout &layout, const LayoutPlace &place); // any tab in it is
[[nodiscard]] QStringList dockedPanels(const Layout &layout);               // all that are to be seen in the tree
[[nodiscard]] QStringList allPanels(const LayoutPlace &place);

// The same stacks, in none of which a tab is in front.
[[nodiscard]] Layout withoutFronts(Layout layout);
// The panel that the layout has in front of that one's stack, docked or floating; empty: none.
[[nodiscard]] QString frontBeside(const Layout &layout, const QString &panel);

// Removes what is empty, joins rows in rows, and gives every stack with shown tabs a front.
void tidy(Layout &layout);
// Makes a layout hold exactly these panels: drops unknown and repeated ones, adds missing ones to the stack of their home (open
// if anything is open there), and opens one if all are closed.
void complete(Layout &layout, const std::vector<PanelHome> &panels);

} // namespace stepwell::ui
