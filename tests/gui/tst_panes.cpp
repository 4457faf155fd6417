// Where the panes are, what is remembered of that, and that keys reach everything.

#include "tests/gui/fake_engine.h"
#include "ui/main_window.h"
#include "ui/panels/pane_frame.h"
#include "ui/panels/panel_rows.h"

#include <QAction>
#include <QMenu>
#include <QMenuBar>
#include <QSplitter>
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

    [[nodiscard]] QStringList shownPanes()
    {
        QStringList ids;
        for (const PaneFrame *pane : window.findChildren<PaneFrame *>())
            if (pane->isVisible())
                ids << pane->paneId();
        ids.sort();
        return ids;
    }
    [[nodiscard]] QMap<QString, QList<int>> sizes()
    {
        QMap<QString, QList<int>> all;
        for (const QSplitter *splitter : window.findChildren<QSplitter *>())
            all[splitter->objectName()] = splitter->sizes();
        return all;
    }
    [[nodiscard]] QString focusedPanel()
    {
        for (const QWidget *widget = QApplication::focusWidget(); widget; widget = widget->parentWidget())
            if (const auto *panel = qobject_cast<const Panel *>(widget))
                return panel->objectName();
        return {};
    }
    [[nodiscard]] PaneFrame &pane(const QString &id)
    {
        for (PaneFrame *pane : window.findChildren<PaneFrame *>())
            if (pane->paneId() == id)
                return *pane;
        qFatal("no pane %s", qPrintable(id));
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
            QVERIFY2(panel->parentWidget(), row.id); // it stands in a pane
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
        QStringList panes;
        QMap<QString, QList<int>> sizes;
        QString front;
        {
            App app(folder);
            app.window.resize(1400, 800);
            // Starts from another perspective with other sizes.
            app.window.setPerspective("memory");
            QVERIFY(app.window.setPerspective(perspective));
            QCoreApplication::processEvents();
            panes = app.shownPanes();
            sizes = app.sizes();
            front = app.pane("strip").current()->objectName();
            app.window.close();
        }
        App app(folder);
        QCoreApplication::processEvents();
        QCOMPARE(app.shownPanes(), panes);
        QCOMPARE(app.pane("strip").current()->objectName(), front);
        QVERIFY(app.window.action("view.perspective." + perspective)->isChecked());
        const QMap<QString, QList<int>> now = app.sizes();
        for (auto at = sizes.begin(); at != sizes.end(); ++at)
            for (qsizetype i = 0; i < at->size(); ++i)
                QVERIFY2(std::abs(now[at.key()][i] - at.value()[i]) <= 2, qPrintable(at.key()));
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
            QCOMPARE(app.shownPanes(), fresh.shownPanes());
            QCOMPARE(app.sizes(), fresh.sizes());
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
        QVERIFY(app.window.setPerspective("compile"));
        QCoreApplication::processEvents();
        const auto before = app.sizes();
        app.window.findChild<QSplitter *>("columns")->setSizes({900, 200});
        QVERIFY(app.window.setPerspective("learn"));
        QVERIFY(app.window.setPerspective("compile"));
        QCoreApplication::processEvents();
        QCOMPARE(app.sizes(), before);
    }

    void resettingKeepsTheWindowsSize()
    {
        const QTemporaryDir folder;
        App app(folder);
        app.window.resize(1111, 777);
        app.window.setPerspective("memory");
        app.window.action("view.resetLayout")->trigger();
        QCOMPARE(app.window.size(), QSize(1111, 777));
        QCOMPARE(app.shownPanes().size(), 8);
        app.window.close();
        App again(folder);
        QCOMPARE(again.window.size(), QSize(1111, 777));
    }

    void theLastPaneStays()
    {
        const QTemporaryDir folder;
        App app(folder);
        const QStringList all = app.shownPanes();
        for (const QString &id : all)
            app.window.action("view.pane." + id)->setChecked(false);
        QCOMPARE(app.shownPanes(), QStringList{all.back()});
        QAction *last = app.window.action("view.pane." + all.back());
        QVERIFY(last->isChecked());
        QVERIFY(!last->isEnabled());
        last->setChecked(false);
        QCOMPARE(app.shownPanes(), QStringList{all.back()});
        app.window.action("view.pane.graph")->setChecked(true);
        QVERIFY(last->isEnabled());
        // A perspective without it leaves nothing behind.
        QVERIFY(app.window.setPerspective("present"));
        QVERIFY(!app.shownPanes().contains("strip"));
    }

    void aPaneThatIsCalledForHasRoom()
    {
        const QTemporaryDir folder;
        {
            App app(folder);
            app.window.setPerspective("present"); // without the strip
            app.window.close();
        }
        App app(folder);
        QVERIFY(!app.pane("strip").isVisible());
        app.window.action("go.timings")->trigger();
        QCoreApplication::processEvents();
        QVERIFY(app.pane("strip").isVisible());
        QVERIFY(app.pane("strip").height() >= 60);
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
        QVERIFY(app.pane("program").property("focused").toBool());
        std::set<QString> reached;
        for (int i = 0; i < 8; ++i) {
            reached.insert(app.focusedPanel());
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_F6);
        }
        QCOMPARE(reached.size(), 8U);
        QCOMPARE(app.focusedPanel(), "program"); // all the way round
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_F6, Qt::ShiftModifier);
        QCOMPARE(app.focusedPanel(), app.pane("strip").current()->objectName());
        // The tabs of one pane.
        std::set<QString> tabs;
        for (int i = 0; i < 5; ++i) {
            tabs.insert(app.focusedPanel());
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_PageDown, Qt::ControlModifier);
        }
        QCOMPARE(tabs.size(), 5U);
        for (const char *panel : {"inspector", "messages", "values", "passes"}) {
            app.window.action(QStringLiteral("go.") + panel)->trigger();
            QCOMPARE(app.focusedPanel(), QString(panel));
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
