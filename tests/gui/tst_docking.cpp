// Panels are moved by mouse, keys and menu; layouts are kept, also under names.

#include "tests/gui/fake_engine.h"
#include "ui/docking/dock_area.h"
#include "ui/docking/dock_drag.h"
#include "ui/docking/dock_stack.h"
#include "ui/docking/dock_tabs.h"
#include "ui/docking/floating_window.h"
#include "ui/docking/layout_text.h"
#include "ui/main_window.h"
#include "ui/panels/panel.h"

#include <QAction>
#include <QContextMenuEvent>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include <algorithm>
#include <memory>
#include <random>

using namespace stepwell::ui;

namespace {

int anyBelow(std::mt19937 &random, int end)
{
    return static_cast<int>(random() % static_cast<unsigned>(end));
}

Layout read(const QString &text)
{
    const ParsedLayout parsed = layoutOf(text);
    if (!parsed.layout)
        qFatal("%s: %s", qPrintable(text), qPrintable(parsed.error));
    return *parsed.layout;
}

struct App {
    explicit App(const QTemporaryDir &folder) : settings(folder.filePath("settings.json")), window(engine, appearance, settings)
    {
        window.resize(1366, 768);
        window.show();
        window.openText("test.sw", "x = input()\na = exp(x)\n");
        QApplication::setActiveWindow(&window);
        QCoreApplication::processEvents();
    }

    [[nodiscard]] DockArea &area() { return window.area(); }
    [[nodiscard]] Layout layout() { return window.area().arrangement(); }
    [[nodiscard]] Panel *panel(const QString &id)
    {
        auto *found = static_cast<Panel *>(nullptr);
        for (const DockedPanel &docked : area().panels())
            found = docked.panel->objectName() == id ? docked.panel : found;
        if (!found)
            qFatal("no panel %s", qPrintable(id));
        return found;
    }
    [[nodiscard]] DockStack &stack(const QString &id)
    {
        DockStack *found = area().stackOf(panel(id));
        if (!found)
            qFatal("%s is not shown", qPrintable(id));
        return *found;
    }
    // The tabs beside the panel, itself included.
    [[nodiscard]] QStringList tabsOf(const QString &id)
    {
        QStringList ids;
        for (const Panel *panel : stack(id).panels())
            ids << panel->objectName();
        return ids;
    }
    [[nodiscard]] static QPoint middleOf(const QWidget &widget, double x = 0.5, double y = 0.5)
    {
        return widget.mapToGlobal(QPointF(widget.width() * x, widget.height() * y)).toPoint();
    }
    [[nodiscard]] QPoint tab(const QString &id)
    {
        const DockTabs &tabs = stack(id).tabs();
        const int index = static_cast<int>(std::ranges::find(stack(id).panels(), panel(id)) - stack(id).panels().begin());
        return tabs.mapToGlobal(tabs.tabRect(index).center());
    }
    void take(const QString &id)
    {
        DockTabs &tabs = stack(id).tabs();
        const QPoint start = tabs.mapFromGlobal(tab(id));
        QTest::mousePress(&tabs, Qt::LeftButton, {}, start);
        QTest::mouseMove(&tabs, start + QPoint(3, 0)); // not yet far enough
    }
    void moveTo(const QString &id, const QPoint &at)
    {
        DockTabs &tabs = stack(id).tabs();
        QTest::mouseMove(&tabs, tabs.mapFromGlobal(at));
    }
    void drop(const QString &id, const QPoint &at)
    {
        DockTabs &tabs = stack(id).tabs();
        QTest::mouseRelease(&tabs, Qt::LeftButton, {}, tabs.mapFromGlobal(at));
        QCoreApplication::processEvents();
    }
    void drag(const QString &id, const QPoint &to)
    {
        take(id);
        moveTo(id, to);
        drop(id, to);
    }
    void focus(const QString &id)
    {
        QApplication::setActiveWindow(stack(id).window());
        window.action("go." + id)->trigger();
    }
    void key(Qt::Key key, Qt::KeyboardModifiers modifiers)
    {
        QTest::keyClick(QApplication::focusWidget(), key, modifiers);
        QCoreApplication::processEvents();
    }

    FakeEngine engine;
    Appearance appearance{"dark"};
    Settings settings;
    MainWindow window;
};

// Every panel has one place, at least one is docked, and the widgets show the layout.
void verifySound(App &app)
{
    const Layout layout = app.layout();
    QStringList placed = allPanels(layout.root);
    placed.sort();
    QStringList all;
    for (const DockedPanel &docked : app.area().panels())
        all << docked.panel->objectName();
    all.sort();
    QCOMPARE(placed, all);
    QVERIFY(!dockedPanels(layout).isEmpty());
    QCOMPARE(*layoutOf(textOf(layout)).layout, layout);
    for (const DockedPanel &docked : app.area().panels()) {
        const QString id = docked.panel->objectName();
        const DockStack *stack = app.area().stackOf(docked.panel);
        if (!isOpen(layout, id) ||
            (!layout.maximised.isEmpty() && !floatOf(layout, id) && !app.area().isMaximised(docked.panel))) {
            QVERIFY2(!stack && !docked.panel->isVisible(), qPrintable(id));
            continue;
        }
        QVERIFY2(stack && stack->isAncestorOf(docked.panel), qPrintable(id));
        QCOMPARE(docked.panel->isVisible(), stack->current() == docked.panel);
        QCOMPARE(docked.panel->tools()->isVisible(), stack->current() == docked.panel);
        QCOMPARE(stack->window() != &app.window, floatOf(layout, id) != nullptr);
    }
}

} // namespace

class TestDocking : public QObject {
    Q_OBJECT

private slots:
    void init() { folder = std::make_unique<QTemporaryDir>(); }

    // The mouse.

    void aTabIsDraggedIntoAnotherStack()
    {
        App app(*folder);
        DockStack &graph = app.stack("graph");
        app.take("values");
        QVERIFY(!app.area().drag().isActive());
        app.moveTo("values", App::middleOf(graph));
        QVERIFY(app.area().drag().isActive());
        QCOMPARE(*app.area().drag().hint(), QRect(graph.mapToGlobal(QPoint(0, 0)), graph.size()));
        app.drop("values", App::middleOf(graph));
        QVERIFY(!app.area().drag().isActive());
        QVERIFY(!app.area().drag().hint());
        QCOMPARE(app.tabsOf("values"), (QStringList{"graph", "values"}));
        QVERIFY(app.panel("values")->isVisible());
        QVERIFY(!app.panel("graph")->isVisible());
        QVERIFY(!app.tabsOf("messages").contains("values"));
        verifySound(app);
    }

    void aTabIsDraggedBetweenTabs()
    {
        App app(*folder);
        app.drag("passes", app.tab("messages") - QPoint(4, 0));
        QCOMPARE(app.tabsOf("passes").first(2), (QStringList{"passes", "messages"}));
        const DockTabs &tabs = app.stack("code").tabs();
        app.drag("passes", tabs.mapToGlobal(tabs.tabRect(0).center() + QPoint(6, 0)));
        QCOMPARE(app.tabsOf("passes"), (QStringList{"code", "passes", "access"}));
        app.drag("values", app.tab("passes") - QPoint(6, 0));
        QCOMPARE(app.tabsOf("passes"), (QStringList{"code", "values", "passes", "access"}));
        verifySound(app);
    }

    void aTabIsDraggedToAnEdge_data()
    {
        QTest::addColumn<QPointF>("at");
        QTest::addColumn<QRectF>("hint"); // in shares of the stack's body
        QTest::addColumn<QString>("after");
        QTest::newRow("left") << QPointF(0.1, 0.6) << QRectF(0, 0, 0.5, 1) << "memory, graph";
        QTest::newRow("right") << QPointF(0.9, 0.6) << QRectF(0.5, 0, 0.5, 1) << "graph, memory";
        QTest::newRow("above") << QPointF(0.5, 0.2) << QRectF(0, 0, 1, 0.5) << "memory / graph";
        QTest::newRow("below") << QPointF(0.5, 0.95) << QRectF(0, 0.5, 1, 0.5) << "graph / memory";
    }
    void aTabIsDraggedToAnEdge()
    {
        QFETCH(QPointF, at);
        QFETCH(QRectF, hint);
        QFETCH(QString, after);
        App app(*folder);
        app.window.resize(1600, 1000);
        QCoreApplication::processEvents();
        DockStack &graph = app.stack("graph");
        const QSize size = graph.size();
        const int body = graph.height() - graph.headerHeight();
        const QPoint to = App::middleOf(graph, at.x(), at.y());
        app.take("memory");
        app.moveTo("memory", to);
        const QRect shown = *app.area().drag().hint();
        const QRect expected(
            graph.mapToGlobal(QPointF(hint.x() * size.width(), graph.headerHeight() + hint.y() * body)).toPoint(),
            QSizeF(hint.width() * size.width(), hint.height() * body).toSize());
        QVERIFY(std::abs(shown.x() - expected.x()) <= 2 && std::abs(shown.y() - expected.y()) <= 2);
        QVERIFY(std::abs(shown.width() - expected.width()) <= 2 && std::abs(shown.height() - expected.height()) <= 2);
        app.drop("memory", to);
        const QRect graphAt(app.stack("graph").mapToGlobal(QPoint(0, 0)), app.stack("graph").size());
        const QRect memoryAt(app.stack("memory").mapToGlobal(QPoint(0, 0)), app.stack("memory").size());
        QVERIFY(!graphAt.intersects(memoryAt));
        const bool isBeside = after.contains(',');
        const bool isFirst = after.startsWith("memory");
        QCOMPARE(isBeside ? memoryAt.x() < graphAt.x() : memoryAt.y() < graphAt.y(), isFirst);
        // About half each, and the others keep their room.
        QVERIFY2(std::abs((isBeside ? memoryAt.width() - graphAt.width() : memoryAt.height() - graphAt.height())) <= 24,
                 qPrintable(textOf(app.layout())));
        const QSize both = graphAt.united(memoryAt).size() - size;
        QVERIFY(std::abs(both.width()) <= 8 && std::abs(both.height()) <= 8);
        verifySound(app);
    }

    void aTabIsDraggedToTheEdgeOfTheArea()
    {
        App app(*folder);
        app.drag("messages", app.area().mapToGlobal(QPoint(4, app.area().height() / 2)));
        QCOMPARE(app.stack("messages").height(), app.area().height());
        QCOMPARE(app.stack("messages").mapTo(&app.area(), QPoint(0, 0)), QPoint(0, 0));
        const int width = app.area().width();
        QVERIFY(app.stack("messages").width() > width / 5 && app.stack("messages").width() < width / 3);
        verifySound(app);
    }

    void aTabIsDraggedOutAndBack()
    {
        App app(*folder);
        const Layout before = app.layout();
        const QPoint outside = app.window.mapToGlobal(QPoint(app.window.width() - 300, app.window.height() + 40));
        app.drag("timings", outside);
        QCOMPARE(app.area().floatingWindows().size(), 1U);
        FloatingWindow &floating = *app.area().floatingWindows().front();
        QVERIFY(floating.isVisible());
        QCOMPARE(floating.windowTitle(), "Timings");
        QVERIFY(app.panel("timings")->isVisible());
        QVERIFY(!app.tabsOf("messages").contains("timings"));
        verifySound(app);
        // A second one joins it.
        floating.move(0, 0);
        app.drag("values", App::middleOf(app.stack("timings")));
        QCOMPARE(app.area().floatingWindows().size(), 1U);
        QCOMPARE(app.tabsOf("values"), (QStringList{"timings", "values"}));
        QCOMPARE(app.area().floatingWindows().front()->windowTitle(), "Values");
        verifySound(app);
        // Dragged into the graph, it is docked there.
        const QPoint graph = App::middleOf(app.stack("graph"), 0.5, 0.6);
        app.area().floatingWindows().front()->move(0, 900);
        app.drag("values", graph);
        QCOMPARE(app.tabsOf("values"), (QStringList{"graph", "values"}));
        QCOMPARE(app.tabsOf("timings"), QStringList{"timings"});
        // Closing the window docks the other where it was.
        app.area().floatingWindows().front()->close();
        QCoreApplication::processEvents();
        QVERIFY(app.area().floatingWindows().empty());
        QCOMPARE(app.tabsOf("timings"),
                 (QStringList{"messages", "timings", "roofline", "inputs", "watch", "health", "step", "passes", "memory",
                              "matrix", "activity", "sweep", "tuning", "compilerPasses"}));
        app.drag("values", app.tab("watch") - QPoint(4, 0));
        QCOMPARE(allPanels(app.layout().root), allPanels(before.root));
        verifySound(app);
    }

    void whatMakesNoSenseChangesNothing()
    {
        App app(*folder);
        const Layout before = app.layout();
        app.drag("graph", App::middleOf(app.stack("graph")));            // onto itself
        app.drag("graph", App::middleOf(app.stack("graph"), 0.05, 0.6)); // beside itself
        app.drag("graph", app.window.mapToGlobal(QPoint(300, 8)));       // on the menu bar
        QCOMPARE(app.layout(), before);
    }

    void escapeCancelsADrag()
    {
        App app(*folder);
        const Layout before = app.layout();
        app.take("values");
        const QPoint to = App::middleOf(app.stack("graph"));
        app.moveTo("values", to);
        QVERIFY(app.area().drag().hint());
        QTest::keyClick(&app.window, Qt::Key_Escape);
        QVERIFY(!app.area().drag().isActive());
        QVERIFY(!app.area().drag().hint());
        app.moveTo("values", to);
        app.drop("values", to);
        Layout after = app.layout();
        stackOf(after.root, "values")->front = stackOf(before.root, "values")->front; // pressing chose the tab
        QCOMPARE(after, before);
    }

    void aDoubleClickMaximisesAndRestores()
    {
        App app(*folder);
        const Layout before = app.layout();
        const auto doubleClick = [&] {
            DockTabs &tabs = app.stack("graph").tabs();
            QTest::mouseDClick(&tabs, Qt::LeftButton, {}, tabs.tabRect(0).center());
            QCoreApplication::processEvents();
        };
        doubleClick();
        QCOMPARE(app.stack("graph").size(), app.area().size());
        QCOMPARE(app.area().stacks().size(), 1U);
        verifySound(app);
        // Another panel that is called for shows all again.
        app.window.action("go.values")->trigger();
        QVERIFY(app.panel("values")->isVisible() && app.panel("graph")->isVisible());
        app.window.action("go.messages")->trigger();
        QCOMPARE(app.layout(), before);
        doubleClick();
        doubleClick();
        QCOMPARE(app.layout(), before);
    }

    void aMiddleClickCloses()
    {
        App app(*folder);
        DockTabs &tabs = app.stack("values").tabs();
        QTest::mouseClick(&tabs, Qt::MiddleButton, {}, tabs.mapFromGlobal(app.tab("values")));
        QVERIFY(!app.area().isOpen(app.panel("values")));
        QVERIFY(!app.window.action("view.pane.values")->isChecked());
        verifySound(app);
        // It keeps its place.
        app.window.action("view.pane.values")->trigger();
        QCOMPARE(app.tabsOf("values"),
                 (QStringList{"messages", "timings", "roofline", "inputs", "values", "watch", "health", "step", "passes",
                              "memory", "matrix", "activity", "sweep", "tuning", "compilerPasses"}));
    }

    // Keys and menus.

    void keysMoveThePaneInFocus()
    {
        App app(*folder);
        app.focus("kernels");
        app.key(Qt::Key_Left, Qt::AltModifier | Qt::ShiftModifier);
        QVERIFY(app.stack("kernels").x() < app.stack("graph").x());
        QVERIFY(app.stack("kernels").isAncestorOf(QApplication::focusWidget()));
        app.key(Qt::Key_Right, Qt::AltModifier | Qt::ShiftModifier);
        QVERIFY(app.stack("kernels").x() > app.stack("graph").x());
        app.focus("passes");
        app.key(Qt::Key_Down, Qt::AltModifier | Qt::ShiftModifier);
        QVERIFY(app.stack("passes").y() > app.stack("messages").y());
        QCOMPARE(app.tabsOf("passes"), QStringList{"passes"});
        app.key(Qt::Key_Up, Qt::AltModifier | Qt::ShiftModifier);
        QVERIFY(app.stack("passes").y() < app.stack("messages").y());
        app.key(Qt::Key_M, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(app.stack("passes").size(), app.area().size());
        app.key(Qt::Key_M, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(app.stack("passes").size() != app.area().size());
        app.key(Qt::Key_W, Qt::ControlModifier);
        QVERIFY(!app.area().isOpen(app.panel("passes")));
        verifySound(app);
    }

    void keysWorkInAFloatingWindow()
    {
        App app(*folder);
        app.focus("lowered");
        app.window.action("pane.float")->trigger();
        QCoreApplication::processEvents();
        QCOMPARE(app.stack("lowered").window(), static_cast<QWidget *>(app.area().floatingWindows().front()));
        app.focus("lowered");
        QVERIFY(app.stack("lowered").isAncestorOf(QApplication::focusWidget()));
        app.key(Qt::Key_F6, Qt::NoModifier); // goes on in the window
        QVERIFY(app.stack("program").isAncestorOf(QApplication::focusWidget()));
        app.focus("lowered");
        app.window.action("pane.float")->trigger();
        QVERIFY(app.area().floatingWindows().empty());
        QCOMPARE(app.stack("lowered").window(), static_cast<QWidget *>(&app.window));
        verifySound(app);
    }

    void theMenuOfAPaneDoesWhatTheMouseDoes()
    {
        App app(*folder);
        const auto choose = [&](const QString &panel, const QString &entry) {
            QTest::mouseClick(&app.stack(panel).menuButton(), Qt::LeftButton);
            auto *menu = qobject_cast<QMenu *>(QApplication::activePopupWidget());
            QVERIFY(menu);
            auto *action = menu->findChild<QAction *>(entry);
            QVERIFY2(action, qPrintable(entry));
            QVERIFY2(action->isEnabled(), qPrintable(entry));
            action->trigger();
            menu->close();
            QCoreApplication::processEvents();
        };
        choose("messages", "tab.values");
        QVERIFY(app.panel("values")->isVisible());
        choose("values", "float");
        QVERIFY(app.area().isFloating(app.panel("values")));
        choose("values", "float");
        QVERIFY(!app.area().isFloating(app.panel("values")));
        choose("values", "machine");
        QCOMPARE(app.tabsOf("values"), (QStringList{"machine", "values"}));
        choose("values", "moveDown");
        QCOMPARE(app.tabsOf("values"), QStringList{"values"});
        choose("values", "maximise");
        QCOMPARE(app.stack("values").size(), app.area().size());
        choose("values", "maximise");
        choose("values", "close");
        QVERIFY(!app.area().isOpen(app.panel("values")));
        verifySound(app);
    }

    void theContextMenuOpensByKey()
    {
        App app(*folder);
        DockTabs &tabs = app.stack("messages").tabs();
        QContextMenuEvent event(QContextMenuEvent::Keyboard, QPoint(1, 1), tabs.mapToGlobal(QPoint(1, 1)));
        QApplication::sendEvent(&tabs, &event);
        QWidget *menu = QApplication::activePopupWidget();
        QVERIFY(menu);
        QCOMPARE(menu->objectName(), "paneContextMenu");
        menu->close();
    }

    void theLastPanelCannotLeave()
    {
        App app(*folder);
        app.area().arrange(
            read("row(100 graph, 200 -program|-inspector|-kernels|-lowered|-code|-loops|-machine|-messages|-timings|"
                 "-values|-passes|-memory)"));
        const Layout before = app.layout();
        app.area().close(app.panel("graph"));
        app.area().toggleFloating(app.panel("graph"));
        app.drag("graph", app.window.mapToGlobal(QPoint(300, app.window.height() + 100)));
        QCOMPARE(app.layout(), before);
        QVERIFY(app.panel("graph")->isVisible());
    }

    // Chance.

    void whateverIsDoneNothingIsLost()
    {
        App app(*folder);
        std::mt19937 random(7);
        const auto &panels = app.area().panels();
        const auto any = [&] {
            return panels[static_cast<std::size_t>(anyBelow(random, static_cast<int>(panels.size())))].panel;
        };
        for (int step = 0; step < 120; ++step) {
            Panel *panel = any();
            const DockStack *stack = app.area().stackOf(panel);
            switch (anyBelow(random, 6)) {
            case 0:
                app.area().close(panel);
                break;
            case 1:
                app.area().toggleFloating(panel);
                break;
            case 2:
                app.area().toggleMaximised(panel);
                break;
            case 3:
                app.area().open(panel);
                break;
            default:
                if (stack && stack->isVisible())
                    app.drag(panel->objectName(),
                             App::middleOf(app.window, anyBelow(random, 100) / 90.0, anyBelow(random, 100) / 90.0));
            }
            verifySound(app);
            if (QTest::currentTestFailed())
                return;
        }
        app.window.action("view.resetLayout")->trigger();
        QCOMPARE(app.area().stacks().size(), 9U);
    }

    // What is kept.

    void aRestartRestoresEverything()
    {
        QString layout;
        {
            App app(*folder);
            app.drag("messages", App::middleOf(app.stack("graph"), 0.9, 0.6));
            app.drag("timings", app.window.mapToGlobal(QPoint(100, app.window.height() + 20)));
            app.area().close(app.panel("machine"));
            layout = textOf(app.layout());
            QVERIFY(layout.contains("float("));
            app.window.close();
        }
        App app(*folder);
        QCOMPARE(textOf(app.layout()), layout);
        QVERIFY(app.area().floatingWindows().front()->isVisible());
        verifySound(app);
    }

    void windowsOffTheScreenComeBack()
    {
        const std::unique_ptr<QTemporaryDir> other = std::move(folder);
        {
            Settings settings(other->filePath("settings.json"));
            settings.setLayout({{}, "row(100 graph, 200 *values|timings) float(90000 -9000 300x200 timings)"});
        }
        App app(*other);
        const QRect screen = QGuiApplication::primaryScreen()->availableGeometry();
        QVERIFY(screen.contains(app.area().floatingWindows().front()->geometry()));
        QCOMPARE(app.area().floatingWindows().front()->size(), QSize(300, 200));
    }

    void aLayoutIsSavedUnderAName()
    {
        QString mine;
        {
            App app(*folder);
            app.drag("values", App::middleOf(app.stack("graph"), 0.9, 0.6));
            mine = textOf(app.layout());
            app.window.action("view.perspective-save")->trigger();
            auto *dialog = app.window.findChild<QDialog *>("perspectiveNameDialog");
            QVERIFY(dialog);
            auto *name = dialog->findChild<QLineEdit *>("perspectiveName");
            const auto *problem = dialog->findChild<QLabel *>("perspectiveProblem");
            const auto buttons = dialog->findChildren<QPushButton *>();
            QPushButton *save = *std::ranges::find_if(buttons, [](const QPushButton *b) { return b->text().contains("Save"); });
            QVERIFY(!save->isEnabled());
            QTest::keyClicks(name, "STEP");
            QVERIFY(!save->isEnabled());
            QVERIFY2(problem->text().contains("comes with Stepwell"), qPrintable(problem->text()));
            name->clear();
            QTest::keyClicks(name, "Mine & only: yes");
            QTest::mouseClick(save, Qt::LeftButton);
            app.window.setPerspective("memory");
            QVERIFY(app.window.setPerspective("Mine & only: yes"));
            QCOMPARE(textOf(app.layout()), mine);
            app.window.setPerspective("memory");
            app.window.close();
        }
        App app(*folder);
        const QMenu *menu = app.window.findChild<QMenu *>("perspectiveMenu");
        const auto ownIn = [&](const QString &text) {
            const QList<QAction *> actions = menu->actions();
            const auto found = std::ranges::find(actions, text, &QAction::text);
            return found == actions.end() ? nullptr : *found;
        };
        QVERIFY(ownIn("Mine && only: yes"));
        ownIn("Mine && only: yes")->trigger();
        QCOMPARE(textOf(app.layout()), mine);
        QVERIFY(ownIn("Mine && only: yes")->isChecked());
        // "Reset this perspective" leads back to what was saved.
        app.area().close(app.panel("graph"));
        app.window.action("view.perspective-reset")->trigger();
        QCOMPARE(textOf(app.layout()), mine);

        app.window.action("view.perspective-manage")->trigger();
        auto *list = app.window.findChild<QListWidget *>("perspectiveList");
        QVERIFY(list);
        list->item(0)->setText("learn");
        QCOMPARE(list->item(0)->text(), "Mine & only: yes"); // taken
        list->item(0)->setText("Other");
        QVERIFY(!app.window.setPerspective("Mine & only: yes"));
        QVERIFY(ownIn("Other")->isChecked());
        QTest::mouseClick(list->window()->findChild<QPushButton *>("deletePerspective"), Qt::LeftButton);
        QVERIFY(!ownIn("Other"));
        QVERIFY(!app.window.setPerspective("Other"));
        QVERIFY(app.settings.perspectives().isEmpty());
        list->window()->close();
    }

private:
    std::unique_ptr<QTemporaryDir> folder;
};

QTEST_MAIN(TestDocking)
#include "tst_docking.moc"
