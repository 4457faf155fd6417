#pragma once
// Shows a layout: splitters and stacks of panels in the window, and windows for the stacks that float. The layout is the truth
// and the widgets follow: whatever happens, every panel has its place and the layout can be read back.

#include "ui/docking/layout.h"

#include <QPointer>
#include <QWidget>

#include <functional>
#include <memory>
#include <vector>

class QScrollArea;
class QSplitter;
class QVBoxLayout;

namespace stepwell::ui {

class Appearance;
class DockDrag;
class DockStack;
class FloatingWindow;
class Panel;

struct DockedPanel {
    Panel *panel;
    QString home; // where it stands in layouts that do not know it: with the others of this home
};

class DockArea : public QWidget {
    Q_OBJECT

public:
    // The area owns the panels, from the first layout that it is told to show.
    DockArea(const Appearance &appearance, const std::vector<DockedPanel> &panels, QWidget *parent = nullptr);
    ~DockArea() override;

    void arrange(const Layout &layout); // brings windows off the screen back to it
    [[nodiscard]] Layout arrangement(); // as it is now, with the sizes on the screen
    // Lets `move` change the layout, and shows it.
    void change(const std::function<void(Layout &)> &move);

    void open(Panel *panel); // and brings it to the front
    void close(Panel *panel);
    void toggleFloating(Panel *panel);
    void floatAt(Panel *panel, const QRect &geometry); // as far as the screen has room there
    void toggleMaximised(Panel *panel);
    [[nodiscard]] bool isOpen(const Panel *panel) const;
    [[nodiscard]] bool isFloating(const Panel *panel) const;
    [[nodiscard]] bool isMaximised(const Panel *panel) const;
    [[nodiscard]] bool isLast(const Panel *panel) const; // no other is docked: it cannot leave

    // In the order in which they stand; floating ones come last.
    [[nodiscard]] const std::vector<DockStack *> &stacks() const { return m_stacks; }
    [[nodiscard]] DockStack *stackOf(const Panel *panel) const; // null: it is not shown
    [[nodiscard]] std::vector<FloatingWindow *> floatingWindows() const;
    [[nodiscard]] const std::vector<DockedPanel> &panels() const { return m_panels; }
    [[nodiscard]] const Appearance &appearance() const { return m_appearance; }
    [[nodiscard]] DockDrag &drag() { return *m_drag; }

signals:
    void changed(); // panels opened, closed, moved, or came to the front

protected:
    bool event(QEvent *event) override;

private:
    // The parts of a row or column that a splitter shows.
    struct ShownParts {
        QPointer<QSplitter> splitter;
        LayoutPlace *place;
        std::vector<std::size_t> parts;
    };

    void showLayout(const Layout &layout);
    void bringToFront(const Layout &layout);
    void readSizes();
    void rebuild();
    void buildRoot(std::vector<DockStack *> &former);
    void buildWindows(std::vector<DockStack *> &former);
    [[nodiscard]] QWidget *build(LayoutPlace &place, QSplitter *into, std::vector<DockStack *> &former);
    QWidget *added(QWidget *widget, QSplitter *into);
    [[nodiscard]] DockStack *stackFor(const QStringList &panels, const QString &front, QWidget *parent,
                                      std::vector<DockStack *> &former);
    void follow(DockStack *stack);
    void shelve();
    void putInFront(Panel *panel);
    [[nodiscard]] Panel *panelOf(const QString &id) const;

    const Appearance &m_appearance;
    std::vector<DockedPanel> m_panels;
    Layout m_layout;
    QScrollArea *m_scroll; // for windows that are too small for the panes
    QVBoxLayout *m_column;
    QWidget *m_shelf; // holds what is not shown
    QWidget *m_root = nullptr;
    std::vector<DockStack *> m_stacks;
    std::vector<ShownParts> m_splitters;
    std::vector<FloatingWindow *> m_windows; // by floating stack
    std::unique_ptr<DockDrag> m_drag;
};

} // namespace stepwell::ui
