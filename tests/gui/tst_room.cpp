// Every perspective has room on small and large screens, at every scale: nothing overlaps, and no button or tab is cut. The scale
// is QT_SCALE_FACTOR, which is set for the program as a whole: there is a test per scale.

#include "tests/gui/fake_app.h"
#include "tests/gui/patience.h"
#include "ui/docking/dock_area.h"
#include "ui/docking/dock_stack.h"
#include "ui/docking/dock_tabs.h"
#include "ui/timeline_bar.h"

#include <QAbstractButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QTabBar>
#include <QToolBar>
#include <QToolButton>

using namespace stepwell::ui;

namespace {

constexpr int kLeastPane = 60; // pixels

QString nameOf(const QWidget &widget)
{
    const auto *button = qobject_cast<const QAbstractButton *>(&widget);
    return QStringLiteral("%1 %2 %3")
        .arg(widget.metaObject()->className(), widget.objectName(),
             button ? button->text() + button->accessibleName() : widget.accessibleName());
}

// The first widget around it that cuts it; null: all of it can be seen, or scrolled to.
const QWidget *cutter(const QWidget &widget)
{
    for (const QWidget *around = widget.parentWidget(); around; around = around->parentWidget()) {
        const auto *scroll = qobject_cast<const QAbstractScrollArea *>(around->parentWidget());
        if (scroll && around == scroll->viewport())
            return nullptr;
        const QRect there(widget.mapTo(around, QPoint(0, 0)), widget.size());
        if (!around->rect().contains(there))
            return around;
        if (around->isWindow())
            break;
    }
    return nullptr;
}

} // namespace

class TestRoom : public QObject {
    Q_OBJECT

private slots:
    void everyPerspectiveHasRoom_data()
    {
        QTest::addColumn<QSize>("screen");
        QTest::addColumn<QString>("perspective");
        const QStringList perspectives = MainWindow::perspectives() + QStringList{QString()}; // and the first start
        for (const QSize size : {QSize(1366, 768), QSize(1920, 1080), QSize(2560, 1440)})
            for (const QString &perspective : perspectives)
                QTest::addRow("%dx%d %s", size.width(), size.height(), qPrintable(perspective)) << size << perspective;
    }
    void everyPerspectiveHasRoom()
    {
        QFETCH(QSize, screen);
        QFETCH(QString, perspective);
        FakeApp<> app;
        const double scale = app.window.devicePixelRatioF();
        const QSize size(qFloor(screen.width() / scale), qFloor(screen.height() / scale));
        app.window.resize(size);
        if (!perspective.isEmpty())
            QVERIFY(app.window.setPerspective(perspective));
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        app.window.action("compile.run")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        QCoreApplication::processEvents();
        QCOMPARE(app.window.size(), size);
        // Only a small screen at a large scale makes the panes scroll.
        const QScrollArea &panes = app.child<QScrollArea>("panesScroll");
        const bool doScroll = panes.verticalScrollBar()->isVisible() || panes.horizontalScrollBar()->isVisible();
        QVERIFY(!doScroll || size.height() < 500);
        verifyStacks(app.window.area());
        verifyButtons(app.window);
        verifyTabs(app.window.area());
    }

    // What has no room in the tool bar is behind the button at its end.
    void everyToolIsReached()
    {
        FakeApp<> app;
        const double scale = app.window.devicePixelRatioF();
        app.window.resize(qFloor(1366 / scale), qFloor(768 / scale));
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        app.window.action("compile.run")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        auto &bar = app.child<QToolBar>("mainToolBar");
        auto &more = app.child<QToolButton>("qt_toolbar_ext_button");
        const auto isAnyCut = [&] {
            return std::ranges::any_of(bar.actions(), [&](QAction *action) {
                const QWidget *tool = bar.widgetForAction(action);
                return action->isVisible() && !action->isSeparator() && tool->isVisible() && cutter(*tool);
            });
        };
        QTRY_VERIFY_WITH_TIMEOUT(!isAnyCut(), kPatience); // the bar is laid out once the window has its size
        std::vector<QWidget *> hidden;
        int seen = 0;
        for (QAction *action : bar.actions()) {
            QWidget *tool = bar.widgetForAction(action);
            if (!action->isVisible() || action->isSeparator())
                continue;
            ++seen;
            if (!tool->isVisible())
                hidden.push_back(tool);
            else
                QVERIFY2(
                    !cutter(*tool),
                    qPrintable(QString("%1 ends at %2 of %3").arg(nameOf(*tool)).arg(tool->geometry().right()).arg(bar.width())));
        }
        QVERIFY(seen >= 7);
        QCOMPARE(more.isVisible(), !hidden.empty());
        if (hidden.empty())
            return;
        QVERIFY(!cutter(more));
        QTest::mouseClick(&more, Qt::LeftButton);
        for (const QWidget *tool : hidden) {
            QTRY_VERIFY2_WITH_TIMEOUT(tool->isVisible() && !cutter(*tool), qPrintable(nameOf(*tool)), kPatience);
            QVERIFY2(tool->width() > 20, qPrintable(nameOf(*tool)));
        }
    }

    // The timeline keeps its passes, its buttons and its speed.
    void theTimelineKeepsItsTools()
    {
        FakeApp<> app;
        const double scale = app.window.devicePixelRatioF();
        app.window.resize(qFloor(1366 / scale), qFloor(768 / scale));
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        app.window.action("step.previousChanged")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(app.window.moment().snapshot()->moment && app.window.isSettled(), kPatience);
        auto &bar = app.child<TimelineBar>("timelineBar");
        for (const char *name : {"timelinePrevious", "timelineNext", "timelinePlay", "timelineSpeed", "timelineEnd",
                                 "timelineTrack", "timelineRewrites"}) {
            const auto &tool = app.child<QWidget>(name);
            QVERIFY2(tool.isVisible() && !cutter(tool), name);
            QVERIFY2(tool.width() >= tool.minimumSizeHint().width(), name);
        }
        QVERIFY(app.child<QWidget>("timelineTrack").width() * 4 >= bar.width());
        QCOMPARE(app.window.width(), qFloor(1366 / scale)); // it fits the screen
    }

    void theScaleIsTheOneAskedFor()
    {
        const FakeApp<> app;
        QCOMPARE(app.window.devicePixelRatioF(), qEnvironmentVariable("QT_SCALE_FACTOR", "1").toDouble());
    }

private:
    static void verifyStacks(const DockArea &area)
    {
        std::vector<QRect> seen;
        for (const DockStack *stack : area.stacks()) {
            const QRect at(stack->mapTo(&area, QPoint(0, 0)), stack->size());
            QVERIFY2(at.width() >= kLeastPane && at.height() >= kLeastPane, qPrintable(nameOf(*stack)));
            for (const QRect &other : seen)
                QVERIFY2(!at.intersects(other), qPrintable(nameOf(*stack)));
            seen.push_back(at);
        }
        QVERIFY(!seen.empty());
    }

    static void verifyButtons(const MainWindow &window)
    {
        int seen = 0;
        for (const QAbstractButton *button : window.findChildren<QAbstractButton *>()) {
            if (!button->isVisible() || button->window() != &window || qobject_cast<const QTabBar *>(button->parentWidget()))
                continue;
            ++seen;
            const QWidget *around = cutter(*button);
            QVERIFY2(!around, qPrintable(nameOf(*button) + " is cut by " + (around ? nameOf(*around) : QString())));
            const QSize least = button->minimumSizeHint();
            QVERIFY2(button->width() >= least.width() && button->height() >= least.height(), qPrintable(nameOf(*button)));
        }
        QVERIFY(seen > 10);
    }

    // Tabs that do not fit are reached by the buttons that scroll; the one in front is always seen whole.
    static void verifyTabs(const DockArea &area)
    {
        for (const DockStack *stack : area.stacks()) {
            const DockTabs &tabs = stack->tabs();
            QVERIFY2(!cutter(tabs), qPrintable(nameOf(*stack)));
            const QRect front = tabs.tabRect(tabs.currentIndex());
            QVERIFY2(front.left() >= 0 && front.right() <= tabs.width(), qPrintable(nameOf(*stack)));
            const QRect all = tabs.tabRect(0).united(tabs.tabRect(tabs.count() - 1));
            bool canScroll = false;
            for (const QAbstractButton *button : tabs.findChildren<QAbstractButton *>())
                canScroll = canScroll || button->isVisible();
            QVERIFY2(canScroll || tabs.rect().adjusted(-1, -9, 1, 9).contains(all), qPrintable(nameOf(*stack)));
            const QWidget &menu = stack->menuButton();
            QVERIFY2(!menu.geometry().intersects(tabs.geometry()), qPrintable(nameOf(*stack)));
            QVERIFY2(!stack->current()->tools()->geometry().intersects(tabs.geometry()), qPrintable(nameOf(*stack)));
            QVERIFY2(!stack->current()->tools()->geometry().intersects(menu.geometry()), qPrintable(nameOf(*stack)));
        }
    }
};

QTEST_MAIN(TestRoom)
#include "tst_room.moc"
