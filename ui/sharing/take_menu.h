#pragma once
// How a context menu gets what takes its widget's content away: whoever makes the menu asks, and somebody around the widget
// answers.

#include <QEvent>

class QMenu;
class QPoint;
class QWidget;

namespace stepwell::ui {

// Goes to every widget around `from`, from the inside out, until one accepts it.
class TakeMenuEvent : public QEvent {
public:
    TakeMenuEvent(QMenu &menu, QWidget &from) : QEvent(kind()), m_menu(menu), m_from(from) { ignore(); }

    [[nodiscard]] static Type kind();
    [[nodiscard]] QMenu &menu() const { return m_menu; }
    [[nodiscard]] QWidget &from() const { return m_from; }

private:
    QMenu &m_menu;
    QWidget &m_from;
};

// Adds "Copy as" and "Save view as", as far as the widget shows something for them.
void addTakeActions(QMenu &menu, QWidget &from);
// A menu with nothing else; at: on the screen.
void popUpTakeMenu(QWidget &from, const QPoint &at);

} // namespace stepwell::ui
