// Where the panes are, what is remembered of that, and that keys reach everything.

#include "tests/gui/fake_engine.h"
#include "ui/docking/dock_area.h"
#include "ui/docking/dock_stack.h"
#include "ui/docking/layout_text.h"
#include "ui/main_window.h"
#include "ui/panels/panel_rows.h"

#include <QAction>
#include <QMenu>
#include <QMenuBar>
#include <QSplitter>
#include <QStatusBar>
#include <QTemporaryDir>
#include <QTest>
#include <QToolBar>
#include <QToolButton>

#include <set>

using namespace stepwell::ui;

namespace {

struct App {
    explicit App(const QTemporaryDir &folder) : settings(folder.filePath("settings.json")), window(engine, appearance, settings)
    {
        window.show();
        window.openText("test.sw", "x = input()\na = exp(x)\n");
    }

    [[nodiscard]] QStringList openPanels()
    {
        QStringList ids;
        for (const DockedPanel &docked : window.area().panels())
            if (window.area().isOpen(docked.panel))
                ids << docked.panel->objectName();
        return ids;
    }
    [[nodiscard]] QString layout() { return textOf(window.area().arrangement()); }
    [[nodiscard]] Panel *panel(const QString &id) { return window.findChild<Panel *>(id); }
    [[nodiscard]] QSplitter *columns()
    {
        for (QSplitter *splitter : window.area().findChildren<QSplitter *>())
            if (splitter->isVisible())
                return splitter;
        qFatal("the panes do not stand side by side");
    }
    [[nodiscard]] DockStack *stackOf(const QString &id) { return window.area().stackOf(panel(id)); }
    [[nodiscard]] QString focusedPanel()
    {
        for (const QWidget *widget = QApplication::focusWidget(); widget; widget = widget->parentWidget())
            if (const auto *panel = qobject_cast<const Panel *>(widget))
                return panel->objectName();
        return {};
    }
    FakeEngine engine;
    Appearance appearance{"dark"};
    Settings settings;
    MainWindow window;
};

void collect(const QMenu &menu, std::set<QString> &ids)
{
    for (const QAction *action : menu.actions()) {
        ids.insert(action->objectName());
        if (action->menu())
            collect(*action->menu(), ids);
    }
}

} // namespace

class TestPanes : public QObject {
    Q_OBJECT

private slots:
    void everyPanelHasItsOwnRow()
    {
        const QTemporaryDir folder;
        const App app(folder);
        std::set<QString> ids;
        std::set<int> digits;
        for (const PanelRow &row : panelRows()) {
            QVERIFY2(ids.insert(row.id).second, row.id);
            QVERIFY2(row.digit == 0 || digits.insert(row.digit).second, row.id);
            const auto *panel = app.window.findChild<Panel *>(row.id);
            QVERIFY2(panel, row.id);
            QVERIFY2(app.window.findChildren<Panel *>(row.id).size() == 1, row.id);
            QVERIFY2(app.window.action(QStringLiteral("view.pane.") + row.id), row.id);
            QAction *go = app.window.action(QStringLiteral("go.") + row.id);
            QVERIFY2(go, row.id);
            if (row.digit != 0)
                QVERIFY2(go->shortcuts().contains(QKeySequence(Qt::Key_0 + row.digit)), row.id);
            go->trigger();
            QVERIFY2(panel->isVisible(), row.id);
        }
    }

    void aRestartShowsThePerspectiveThatWasThere_data()
    {
        QTest::addColumn<QString>("perspective");
        for (const QString &name : MainWindow::perspectives())
            QTest::addRow("%s", qPrintable(name)) << name;
    }
    void aRestartShowsThePerspectiveThatWasThere()
    {
        QFETCH(QString, perspective);
        const QTemporaryDir folder;
        QString layout;
        {
            App app(folder);
            app.window.resize(1400, 800);
            // Starts from another perspective with other sizes.
            app.window.setPerspective("memory");
            QVERIFY(app.window.setPerspective(perspective));
            QCoreApplication::processEvents();
            layout = app.layout();
            app.window.close();
        }
        App app(folder);
        QCoreApplication::processEvents();
        QCOMPARE(app.layout(), layout);
        QVERIFY(app.window.action("view.perspective." + perspective)->isChecked());
    }

    void settingsOfAnotherVersionOpenTheDefaultLayout_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("an INI file") << QByteArray("[General]\ntheme=light\n\n[layout1]\npanes=program, graph\n"
                                                   "state=@ByteArray(\\0\\0\\0\\xff\\0)\n");
        QTest::newRow("an older layout") << QByteArray("{'layout1/panes': ['program'], 'layout1/perspective': 'old', "
                                                       "'layout/state': {'base64': 'AAAA/wAAAAA='}}");
        QTest::newRow("panes that are gone") << QByteArray("{'layout2/panes': ['tree', 'console'], 'layout2/front': ['tree'], "
                                                           "'layout2/perspective': 'classic', 'layout2/splitters': ['main'], "
                                                           "'layout2/splitter/main': {'base64': 'AAAA/w=='}}");
        QTest::newRow("some panes that are gone") << QByteArray("{'layout2/panes': ['strip', 'console']}");
        QTest::newRow("values of other kinds") << QByteArray("{'layout2/panes': {'base64': 'eA=='}, 'layout2/geometry': 'wide', "
                                                             "'layout2/splitters': 3, 'recentFiles': true, 'device': []}");
        QTest::newRow("a layout that cannot be read")
            << QByteArray("{'layout3/text': 'row(1 graph, 2', 'layout3/perspective': 'step'}");
        QTest::newRow("half a file") << QByteArray("{'layout2/panes': ['program', 'gra");
        QTest::newRow("noise") << QByteArray("\0\xff\xfe{]", 5);
    }
    void settingsOfAnotherVersionOpenTheDefaultLayout()
    {
        QFETCH(QByteArray, bytes);
        const QTemporaryDir empty;
        App fresh(empty);
        const QTemporaryDir folder;
        {
            QFile file(folder.filePath("settings.json"));
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(QByteArray(bytes).replace('\'', '"'));
        }
        {
            App app(folder);
            QCoreApplication::processEvents();
            QCOMPARE(app.window.size(), fresh.window.size());
            QCOMPARE(app.layout(), fresh.layout());
            QCOMPARE(app.openPanels().size(), qsizetype(panelRows().size()));
            for (const QString &name : MainWindow::perspectives())
                QVERIFY(!app.window.action("view.perspective." + name)->isChecked());
            app.window.setPerspective("learn");
            app.window.close();
        }
        App again(folder); // from now on it is remembered
        QVERIFY(again.window.action("view.perspective.learn")->isChecked());
    }

    void aPerspectiveHasItsOwnSizes()
    {
        const QTemporaryDir folder;
        App app(folder);
        // Titles of panels, which tell what was compiled, are part of the width that a pane needs.
        QTRY_VERIFY(app.window.session().snapshot() && app.window.session().snapshot()->isFinal && app.window.isSettled());
        QVERIFY(app.window.setPerspective("compile"));
        QCoreApplication::processEvents();
        const QString before = app.layout();
        app.columns()->setSizes({900, 200});
        QVERIFY(app.layout() != before);
        QVERIFY(app.window.setPerspective("learn"));
        QVERIFY(app.window.setPerspective("compile"));
        QCoreApplication::processEvents();
        QCOMPARE(app.layout(), before);
        // The same by the menu.
        app.columns()->setSizes({900, 200});
        app.window.area().close(app.panel("graph"));
        app.window.action("view.perspective-reset")->trigger();
        QCoreApplication::processEvents();
        QCOMPARE(app.layout(), before);
    }

    void everyPerspectiveCanBeRead()
    {
        const QTemporaryDir folder;
        App app(folder);
        for (const QString &name : MainWindow::perspectives())
            QVERIFY2(app.window.setPerspective(name), qPrintable(name));
        QVERIFY(!app.window.setPerspective("nonsense"));
        app.settings.setPerspectives({{"broken", "row(graph"}});
        QVERIFY(!app.window.setPerspective("broken"));
        QVERIFY2(app.window.statusBar()->currentMessage().contains("column 5"),
                 qPrintable(app.window.statusBar()->currentMessage()));
    }

    void resettingKeepsTheWindowsSize()
    {
        const QTemporaryDir folder;
        App app(folder);
        app.window.resize(1111, 777);
        app.window.setPerspective("memory");
        app.window.action("view.resetLayout")->trigger();
        QCOMPARE(app.window.size(), QSize(1111, 777));
        QCOMPARE(app.openPanels().size(), qsizetype(panelRows().size()));
        app.window.close();
        App again(folder);
        QCOMPARE(again.window.size(), QSize(1111, 777));
    }

    void theLastPanelStays()
    {
        const QTemporaryDir folder;
        App app(folder);
        const QStringList all = app.openPanels();
        for (const QString &id : all)
            app.window.action("view.pane." + id)->setChecked(false);
        QCOMPARE(app.openPanels(), QStringList{all.back()});
        QAction *last = app.window.action("view.pane." + all.back());
        QVERIFY(last->isChecked());
        QVERIFY(!last->isEnabled());
        last->setChecked(false);
        QCOMPARE(app.openPanels(), QStringList{all.back()});
        app.window.action("view.pane.graph")->setChecked(true);
        QVERIFY(last->isEnabled());
        // A perspective without it leaves nothing behind.
        QVERIFY(app.window.setPerspective("present"));
        QVERIFY(!app.openPanels().contains(all.back()));
    }

    void aPanelThatIsCalledForHasRoom()
    {
        const QTemporaryDir folder;
        {
            App app(folder);
            app.window.setPerspective("present"); // without the strip
            app.window.close();
        }
        App app(folder);
        QVERIFY(!app.stackOf("timings"));
        app.window.action("go.timings")->trigger();
        QCoreApplication::processEvents();
        QVERIFY(app.stackOf("timings")->isVisible());
        QVERIFY(app.panel("timings")->isVisible());
        QVERIFY(app.stackOf("timings")->height() >= 100);
    }

    void everyActionIsInAMenu()
    {
        const QTemporaryDir folder;
        App app(folder);
        std::set<QString> ids;
        for (const QAction *top : app.window.menuBar()->actions()) {
            QVERIFY2(top->text().contains('&'), qPrintable(top->text()));
            collect(*top->menu(), ids);
        }
        for (const QAction *action : app.window.actions())
            QVERIFY2(ids.contains(action->objectName()), qPrintable(action->objectName()));
    }

    void everyPaneIsReachedByKeys()
    {
        const QTemporaryDir folder;
        App app(folder);
        QVERIFY(QTest::qWaitForWindowActive(&app.window));
        app.window.action("go.program")->trigger();
        QCOMPARE(app.focusedPanel(), "program");
        QVERIFY(app.stackOf("program")->property("focused").toBool());
        std::set<QString> reached;
        const std::size_t stacks = app.window.area().stacks().size();
        for (std::size_t i = 0; i < stacks; ++i) {
            reached.insert(app.focusedPanel());
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_F6);
        }
        QCOMPARE(reached.size(), stacks);
        QCOMPARE(app.focusedPanel(), "program"); // all the way round
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_F6, Qt::ShiftModifier);
        QCOMPARE(app.focusedPanel(), app.stackOf("messages")->current()->objectName());
        // The tabs of one pane.
        std::set<QString> tabs;
        const std::size_t count = app.stackOf("messages")->panels().size();
        for (std::size_t i = 0; i < count; ++i) {
            tabs.insert(app.focusedPanel());
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_PageDown, Qt::ControlModifier);
        }
        QVERIFY(count >= 5);
        QCOMPARE(tabs.size(), count);
        for (const char *panel : {"inspector", "messages", "values", "passes"}) {
            app.window.action(QStringLiteral("go.") + panel)->trigger();
            QCOMPARE(app.focusedPanel(), QString(panel));
        }
    }

    // Also when a text was in focus before: it does not take the keys of whoever types on.
    void theFocusStaysWhileTheProgramCompiles()
    {
        const QTemporaryDir folder;
        App app(folder);
        QVERIFY(QTest::qWaitForWindowActive(&app.window));
        QTRY_VERIFY(app.window.session().snapshot() && app.window.isSettled());
        for (const char *panel : {"lowered", "loops", "program", "memory", "program"}) {
            app.window.action(QStringLiteral("go.") + panel)->trigger();
            const std::uint64_t before = app.window.session().snapshot()->compilation;
            app.window.session().compileNow();
            QTRY_VERIFY(app.window.session().snapshot()->compilation > before && app.window.isSettled());
            QCOMPARE(app.focusedPanel(), panel);
        }
    }

    void theToolBarIsReachedByKeys()
    {
        const QTemporaryDir folder;
        App app(folder);
        for (const QToolButton *button : app.window.findChild<QToolBar *>("mainToolBar")->findChildren<QToolButton *>())
            if (!button->objectName().startsWith("qt_"))
                QVERIFY2(button->focusPolicy() & Qt::TabFocus, qPrintable(button->text()));
    }
};

QTEST_MAIN(TestPanes)
#include "tst_panes.moc"
