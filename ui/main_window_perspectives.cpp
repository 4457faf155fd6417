// What the window offers to do with its panes: its perspectives, and actions on the pane that has the focus.

#include "ui/main_window.h"

#include "ui/docking/dock_area.h"
#include "ui/docking/dock_stack.h"
#include "ui/docking/layout_moves.h"
#include "ui/docking/layout_text.h"
#include "ui/docking/perspective_dialogs.h"
#include "ui/docking/perspectives.h"
#include "ui/main_window_action_info.h"
#include "ui/panels/panel.h"
#include "ui/session/program_title.h"

#include <QAction>
#include <QApplication>
#include <QMenu>
#include <QStatusBar>

#include <algorithm>

namespace stepwell::ui {

QStringList MainWindow::perspectives()
{
    QStringList names;
    for (const Perspective &perspective : builtInPerspectives())
        names << QLatin1String(perspective.id);
    return names;
}

bool MainWindow::setPerspective(const QString &name)
{
    const auto builtIn =
        std::ranges::find_if(builtInPerspectives(), [&](const Perspective &p) { return name == QLatin1String(p.id); });
    const QString text =
        builtIn != builtInPerspectives().end() ? QString::fromLatin1(builtIn->layout) : m_settings.perspectives().value(name);
    if (text.isEmpty())
        return false;
    const ParsedLayout parsed = layoutOf(text);
    if (!parsed.layout) {
        statusBar()->showMessage(tr("The perspective %1 cannot be read: %2").arg(name, parsed.error));
        updatePaneActions();
        return false;
    }
    m_perspective = name;
    m_area->arrange(*parsed.layout);
    return true;
}

void MainWindow::resetPerspective()
{
    if (!setPerspective(m_perspective))
        resetLayout();
}

// The panel in front of the pane that has the focus, also of its tabs and buttons; null: no pane has it.
Panel *MainWindow::panelInFocus() const
{
    const QWidget *focus = QApplication::focusWidget();
    for (const DockStack *stack : m_area->stacks())
        if (focus && stack->isAncestorOf(focus))
            return stack->current();
    return nullptr;
}

void MainWindow::makePaneActions()
{
    const auto withFocused = [this](void (DockArea::*run)(Panel *)) {
        return [this, run] {
            if (Panel *panel = panelInFocus())
                (m_area->*run)(panel);
        };
    };
    const auto shift = [this](Side side) {
        if (const Panel *panel = panelInFocus())
            m_area->change([&](Layout &layout) { shiftPanel(layout, panel->objectName(), side); });
    };
    const auto keys = [](Qt::Key key) { return QKeySequence(static_cast<int>(Qt::ALT | Qt::SHIFT) | key); };
    const QList<ActionInfo> actions{
        {"pane.close", tr("&Close"), QKeySequence(tr("Ctrl+W")), withFocused(&DockArea::close), {}, {}},
        {"pane.float", tr("&Float or dock back"), {}, withFocused(&DockArea::toggleFloating), {}, {}},
        {"pane.maximise",
         tr("&Maximise or show all"),
         QKeySequence(tr("Ctrl+Shift+M")),
         withFocused(&DockArea::toggleMaximised),
         {},
         {}},
        {"pane.moveLeft", tr("Move &left"), keys(Qt::Key_Left), [shift] { shift(Side::Left); }, {}, {}},
        {"pane.moveRight", tr("Move &right"), keys(Qt::Key_Right), [shift] { shift(Side::Right); }, {}, {}},
        {"pane.moveUp", tr("Move &up"), keys(Qt::Key_Up), [shift] { shift(Side::Above); }, {}, {}},
        {"pane.moveDown", tr("Move &down"), keys(Qt::Key_Down), [shift] { shift(Side::Below); }, {}, {}},
        {"view.perspective-save", tr("&Save as..."), {}, [this] { savePerspectiveAs(); }, {}, {}},
        {"view.perspective-manage", tr("&Rename or delete..."), {}, [this] { managePerspectives(); }, {}, {}},
        {"view.perspective-reset", tr("Reset &this perspective"), {}, [this] { resetPerspective(); }, {}, {}},
        {"view.resetLayout", tr("Reset la&yout"), {}, [this] { resetLayout(); }, {}, tr("The layout of the first start")},
    };
    for (const ActionInfo &info : actions)
        addAction(info);
}

void MainWindow::makePaneMenus(QMenu *view)
{
    m_perspectiveMenu = view->addMenu(tr("&Perspective"));
    m_perspectiveMenu->setObjectName(QStringLiteral("perspectiveMenu"));
    for (const Perspective &perspective : builtInPerspectives()) {
        const QString name = QLatin1String(perspective.id);
        QAction *choice = addAction({QStringLiteral("view.perspective.") + name,
                                     QCoreApplication::translate("Perspectives", perspective.title),
                                     {},
                                     [this, name] { setPerspective(name); },
                                     {},
                                     {}});
        choice->setCheckable(true);
        m_perspectiveMenu->addAction(choice);
    }
    m_perspectiveMenu->addSeparator()->setObjectName(QStringLiteral("ownPerspectives"));
    for (const char *id : {"view.perspective-save", "view.perspective-manage", "view.perspective-reset", "view.resetLayout"})
        m_perspectiveMenu->addAction(action(QLatin1String(id)));
    fillOwnPerspectives();

    QMenu *panes = view->addMenu(tr("P&anes"));
    for (Panel *panel : m_panels) {
        QAction *toggle =
            addAction({QStringLiteral("view.pane.") + panel->objectName(), escapedForMenu(panel->title()), {}, [] {}, {}, {}});
        toggle->setCheckable(true);
        connect(panel, &Panel::titleChanged, toggle, [panel, toggle] { toggle->setText(escapedForMenu(panel->title())); });
        connect(toggle, &QAction::toggled, this, [this, panel](bool isWanted) {
            if (isWanted != m_area->isOpen(panel))
                isWanted ? m_area->open(panel) : m_area->close(panel);
            updatePaneActions();
        });
        panes->addAction(toggle);
    }
    QMenu *pane = view->addMenu(tr("This pa&ne"));
    for (const char *id :
         {"pane.close", "pane.float", "pane.maximise", "pane.moveLeft", "pane.moveRight", "pane.moveUp", "pane.moveDown"})
        pane->addAction(action(QLatin1String(id)));
}

void MainWindow::fillOwnPerspectives()
{
    for (QAction *choice : m_ownPerspectives)
        delete choice;
    m_ownPerspectives.clear();
    QAction *after = m_perspectiveMenu->findChild<QAction *>(QStringLiteral("ownPerspectives"));
    const QMap<QString, QString> own = m_settings.perspectives();
    QAction *next = m_perspectiveMenu->actions().value(m_perspectiveMenu->actions().indexOf(after) + 1);
    for (const QString &name : own.keys()) {
        auto *choice = new QAction(escapedForMenu(name), m_perspectiveMenu);
        choice->setData(name);
        choice->setCheckable(true);
        connect(choice, &QAction::triggered, this, [this, name] { setPerspective(name); });
        m_perspectiveMenu->insertAction(next, choice);
        m_ownPerspectives.push_back(choice);
    }
    if (!own.isEmpty()) {
        QAction *end = new QAction(m_perspectiveMenu);
        end->setSeparator(true);
        m_perspectiveMenu->insertAction(next, end);
        m_ownPerspectives.push_back(end);
    }
    action("view.perspective-manage")->setEnabled(!own.isEmpty());
    updatePaneActions();
}

void MainWindow::savePerspectiveAs()
{
    const QMap<QString, QString> own = m_settings.perspectives();
    auto *dialog = new PerspectiveNameDialog(own.keys(), own.contains(m_perspective) ? m_perspective : QString(), this);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        QMap<QString, QString> perspectives = m_settings.perspectives();
        m_perspective = dialog->name();
        perspectives[m_perspective] = textOf(m_area->arrangement());
        m_settings.setPerspectives(perspectives);
        fillOwnPerspectives();
    });
    dialog->open();
}

void MainWindow::managePerspectives()
{
    auto *dialog = new PerspectivesDialog(m_settings.perspectives().keys(), this);
    connect(dialog, &PerspectivesDialog::renamed, this, [this](const QString &from, const QString &to) {
        QMap<QString, QString> perspectives = m_settings.perspectives();
        perspectives[to] = perspectives.take(from);
        m_settings.setPerspectives(perspectives);
        if (m_perspective == from)
            m_perspective = to;
        fillOwnPerspectives();
    });
    connect(dialog, &PerspectivesDialog::deleted, this, [this](const QString &name) {
        QMap<QString, QString> perspectives = m_settings.perspectives();
        perspectives.remove(name);
        m_settings.setPerspectives(perspectives);
        if (m_perspective == name)
            m_perspective.clear();
        fillOwnPerspectives();
    });
    dialog->open();
}

} // namespace stepwell::ui
