// What stays as it is while panes move, and what that costs.

#include "tests/gui/fake_engine.h"
#include "ui/docking/dock_area.h"
#include "ui/docking/dock_stack.h"
#include "ui/docking/floating_window.h"
#include "ui/docking/layout_moves.h"
#include "ui/main_window.h"
#include "ui/panels/panel.h"

#include <QAction>
#include <QHash>
#include <QTemporaryDir>
#include <QTest>

#include <utility>

using namespace stepwell::ui;

namespace {

struct App {
    App() : settings(folder.filePath("settings.json")), window(engine, appearance, settings)
    {
        window.resize(1366, 768);
        window.show();
        QCoreApplication::processEvents();
    }

    [[nodiscard]] DockArea &area() { return window.area(); }
    [[nodiscard]] Panel *panel(const QString &id)
    {
        for (const DockedPanel &docked : area().panels())
            if (docked.panel->objectName() == id)
                return docked.panel;
        qFatal("no panel %s", qPrintable(id));
    }
    // Timings in a window of this size.
    FloatingWindow &floated(const QSize &size)
    {
        area().floatAt(panel("timings"), QRect(QPoint(40, 40), size));
        QCoreApplication::processEvents();
        return *area().floatingWindows().front();
    }
    void addToWindow(const QString &id)
    {
        area().change([&](Layout &layout) { movePanel(layout, id, {.beside = "timings", .side = Side::Middle, .before = {}}); });
        QCoreApplication::processEvents();
    }

    QTemporaryDir folder;
    FakeEngine engine;
    Appearance appearance{QStringLiteral("dark")};
    Settings settings;
    MainWindow window;
};

// How often each panel was styled.
class StyleCounter : public QObject {
public:
    StyleCounter() { qApp->installEventFilter(this); }
    ~StyleCounter() override { qApp->removeEventFilter(this); }

    QHash<QString, int> changes;

    // Some were, and none more often than once.
    void verify() const
    {
        QVERIFY(!changes.isEmpty());
        for (auto it = changes.begin(); it != changes.end(); ++it)
            QVERIFY2(it.value() == 1, qPrintable(QString("%1: %2 times").arg(it.key()).arg(it.value())));
    }

protected:
    bool eventFilter(QObject *object, QEvent *event) override
    {
        if (event->type() == QEvent::StyleChange && qobject_cast<Panel *>(object))
            ++changes[object->objectName()];
        return false;
    }
};

} // namespace

class TestDockRebuild : public QObject {
    Q_OBJECT

private slots:
    // A widget that gets another parent is styled anew, and so is all that is in it: once for each layout is enough.
    void panelsAreStyledOnce()
    {
        StyleCounter counter;
        App app;
        counter.verify();
        for (const QString &name : MainWindow::perspectives()) {
            counter.changes.clear();
            QVERIFY(app.window.setPerspective(name));
            counter.verify();
        }
    }

    // Whether it is docked or floats.
    void aPanelComesToTheFrontOfItsStackAsItIs()
    {
        App app;
        app.floated({500, 400});
        app.addToWindow("values");
        for (const auto &[panel, other] : {std::pair("timings", "values"), std::pair("health", "messages")}) {
            app.area().open(app.panel(other));
            DockStack *stack = app.area().stackOf(app.panel(panel));
            QCOMPARE(stack->current(), app.panel(other));
            const StyleCounter counter;
            app.area().open(app.panel(panel));
            QVERIFY(counter.changes.isEmpty());
            QCOMPARE(app.area().stackOf(app.panel(panel)), stack);
            QCOMPARE(stack->current(), app.panel(panel));
            QCOMPARE(frontBeside(app.area().arrangement(), other), panel);
        }
        // Behind a maximised pane it is not: that becomes one of several again.
        app.area().toggleMaximised(app.panel("graph"));
        app.area().open(app.panel("messages"));
        QVERIFY(app.panel("messages")->isVisible());
        QCOMPARE(frontBeside(app.area().arrangement(), "health"), "messages");
    }

    void theSameThemeStylesNothing()
    {
        App app;
        const StyleCounter counter;
        const Appearance another(QStringLiteral("dark"));
        QVERIFY(counter.changes.isEmpty());
        app.appearance.setTheme(QStringLiteral("light"));
        QVERIFY(!counter.changes.isEmpty());
    }

    void aWindowsTitleIsThatOfThePanelInFront()
    {
        App app;
        const FloatingWindow &window = app.floated({500, 400});
        app.addToWindow("values");
        QCOMPARE(window.windowTitle(), "Values");
        app.window.action("go.timings")->trigger();
        QCOMPARE(window.windowTitle(), "Timings");
        QCOMPARE(app.area().stackOf(app.panel("timings"))->current(), app.panel("timings"));
    }

    void aWindowKeepsItsSizeWhilePanelsComeAndGo()
    {
        App app;
        const FloatingWindow &window = app.floated({300, 150});
        const QSize size = window.size();
        app.addToWindow("values");
        QCOMPARE(window.size(), size);
        app.area().close(app.panel("values"));
        QCoreApplication::processEvents();
        QCOMPARE(window.size(), size);
        QCOMPARE(app.area().floatingWindows().front(), &window);
    }
};

QTEST_MAIN(TestDockRebuild)
#include "tst_dock_rebuild.moc"
