#pragma once
// A tab on its way to another place: finds what lies under the mouse, shows where the panel would go, and moves it there.

#include "ui/docking/layout_moves.h"

#include <QObject>
#include <QPointer>
#include <QRect>

#include <optional>

class QWidget;

namespace stepwell::ui {

class DockArea;
class DockStack;
class DropHint;
class Panel;

class DockDrag : public QObject {
    Q_OBJECT

public:
    explicit DockDrag(DockArea &area);
    ~DockDrag() override;

    void moveTo(Panel *panel, const QPoint &screenPosition);
    void dropAt(Panel *panel, const QPoint &screenPosition);
    void cancel();
    [[nodiscard]] bool isActive() const { return m_panel; }
    // Where the hint is on the screen; nothing: there is none.
    [[nodiscard]] std::optional<QRect> hint() const;

protected:
    bool eventFilter(QObject *object, QEvent *event) override; // of the application, during a drag

private:
    struct Target {
        std::optional<DropPlace> place; // nothing: it floats there
        QWidget *widget = nullptr;      // on which the hint is drawn
        QRect hint;
    };

    void begin(Panel *panel);
    void end();
    // Nothing: a drop does nothing.
    [[nodiscard]] std::optional<Target> targetAt(const QPoint &screenPosition) const;
    [[nodiscard]] std::optional<Target> edgeOfArea(const QPoint &screenPosition) const;
    [[nodiscard]] std::optional<Target> placeIn(DockStack &stack, const QPoint &position) const;
    [[nodiscard]] DockStack *stackAt(const QPoint &screenPosition) const;
    void showHint(const Target &target);

    DockArea &m_area;
    QPointer<Panel> m_panel; // the one on its way
    QPoint m_grip;           // of the mouse in the stack it comes from
    QPointer<DropHint> m_hint;
};

} // namespace stepwell::ui
