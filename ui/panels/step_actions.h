#pragma once
// What one does to a run that is stepped through, as actions with keys: each forward, and backward with Shift.

#include "ui/session/debugger.h"
#include "ui/theme/appearance.h"

#include <QObject>

#include <functional>
#include <vector>

class QAction;
class QBoxLayout;
class QMenu;
class QToolButton;
class QWidget;

namespace stepwell::ui {

class StepActions : public QObject {
    Q_OBJECT

public:
    // What the actions take from the panel.
    struct Choices {
        std::function<std::uint32_t()> cursorLine; // of the kernel's text; 0: none
        std::function<QString()> value;            // the name of the chosen value; empty: none
    };

    // The keys work while the widget is visible, letters while it has the focus.
    StepActions(const Appearance &appearance, Debugger &debugger, Choices choices, QWidget *widget);

    void addButtons(QBoxLayout &row);
    // Handles the key of "run", which means something else outside of the panel. False: another key.
    [[nodiscard]] static bool isRunKey(int key, Qt::KeyboardModifiers modifiers);
    void run(Qt::KeyboardModifiers modifiers);
    void update(); // what can be done changed

private:
    struct Row;
    [[nodiscard]] static const std::vector<Row> &rows();
    QAction *makeAction(const Row &row, sw::TraceDirection direction);
    void makeMenu();
    void setIcons();

    const Appearance &m_appearance;
    Debugger &m_debugger;
    Choices m_choices;
    QWidget *m_widget;
    std::vector<std::pair<QAction *, QString>> m_icons;
    std::vector<QAction *> m_all;
    QMenu *m_menu;
    QToolButton *m_menuButton;
    QToolButton *m_stop;
};

} // namespace stepwell::ui
