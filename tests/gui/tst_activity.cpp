// The panel that shows when everybody worked, on the real engine with kernels in processes of their own: recording, lanes,
// zooming with wheel, mouse and keys, numbers under the pointer, clicks that lead to kernels and passes, and what is saved.

#include "tests/gui/what_if_app.h"
#include "ui/panels/activity_panel.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QToolButton>
#include <QWheelEvent>

using namespace stepwell::ui;

namespace {

constexpr const char *kProgram = "input x: f32[256, 256]\ninput w: f32[256, 256]\n"
                                 "output y = softmax(x @ w, axis = -1)\noutput z = x @ x\n";

struct App : WhatIfApp {
    App() : WhatIfApp(QString::fromLatin1(kProgram)) {}
    [[nodiscard]] ActivityPanel &panel() { return child<ActivityPanel>("activity"); }
    [[nodiscard]] ActivityLanes &lanes() { return child<ActivityLanes>("activityLanes"); }
    [[nodiscard]] QTableView &table() { return child<QTableView>("activityTable"); }
    void record()
    {
        QTRY_VERIFY_WITH_TIMEOUT(isReady(), kPatience);
        show("activity");
        QTest::mouseClick(&child<QPushButton>("activityRecord"), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(panel().isSettled() && lanes().isVisible(), kPatience);
    }
    void click(const QPointF &position, Qt::KeyboardModifiers modifiers = {})
    {
        QTest::mouseClick(&lanes(), Qt::LeftButton, modifiers, position.toPoint());
    }
    void wheel(const QPointF &position, int eighths)
    {
        QWheelEvent turn(position, lanes().mapToGlobal(position), {}, {0, eighths}, Qt::NoButton, Qt::NoModifier,
                         Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&lanes(), &turn);
    }
    void drag(const QPointF &from, const QPointF &to, Qt::KeyboardModifiers modifiers = {})
    {
        QTest::mousePress(&lanes(), Qt::LeftButton, modifiers, from.toPoint());
        QTest::mouseMove(&lanes(), ((from + to) / 2).toPoint());
        QTest::mouseMove(&lanes(), to.toPoint());
        QTest::mouseRelease(&lanes(), Qt::LeftButton, modifiers, to.toPoint());
    }
    // The first event of the kind that is in sight and can be clicked.
    [[nodiscard]] std::optional<std::size_t> shown(sw::TimelineKind kind)
    {
        const sw::Timeline &timeline = *lanes().timeline();
        for (std::size_t i = 0; i < timeline.events.size(); ++i)
            if (const QRectF rect = lanes().rectOf(i);
                timeline.events[i].kind == kind && rect.width() >= 3 && lanes().eventAt(rect.center()) == i)
                return i;
        return {};
    }
    [[nodiscard]] std::optional<std::uint32_t> selectedKernel()
    {
        const sw::DocumentItem *item = window.selection().selectedItem();
        return item && item->kernel != sw::kNoIndex ? std::optional(item->kernel) : std::nullopt;
    }
    [[nodiscard]] static double span(const sw::TimelineRange &range) { return static_cast<double>(range.end - range.begin); }
    void picture(const QString &name)
    {
        if (const QByteArray pictures = qgetenv("STEPWELL_PICTURES"); !pictures.isEmpty())
            window.grab().save(QString::fromUtf8(pictures) + u'/' + name);
    }
};

} // namespace

class TestActivity : public QObject {
    Q_OBJECT

private slots:
    void recordsOnlyWhenAsked()
    {
        App app;
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        app.show("activity");
        QVERIFY(app.lanes().timeline() == nullptr);
        QVERIFY(!app.child<QToolButton>("activitySave").isEnabled());
        app.record();
        const sw::Timeline &run = *app.lanes().timeline();
        QVERIFY(app.shown(sw::TimelineKind::Kernel));
        // Kernels of another process, with its threads.
        const std::size_t threads = static_cast<std::size_t>(
            std::ranges::count_if(run.lanes, [](const sw::TimelineLane &lane) { return lane.name.starts_with("thread "); }));
        QVERIFY(threads >= 1);
        QCOMPARE(app.table().model()->rowCount(), static_cast<int>(app.snapshot().report->kernels.size()));
        // It counts, or says why not.
        QVERIFY(app.child<QLabel>("activityCounters").isVisible() != (app.table().model()->columnCount() > 4));
        app.picture(QStringLiteral("activity_run.png"));
        for (const char *theme : {"light", "dark"}) {
            app.appearance.setTheme(QLatin1String(theme));
            QVERIFY(!app.lanes().grab().isNull());
            app.picture(QStringLiteral("activity_%1.png").arg(QLatin1String(theme)));
        }
    }

    void wheelAndDragZoomAndMove()
    {
        App app;
        app.record();
        const sw::TimelineRange home = app.lanes().range();
        const auto kernel = app.shown(sw::TimelineKind::Kernel);
        QVERIFY(kernel);
        const QPointF at = app.lanes().rectOf(*kernel).center();
        app.wheel(at, 120);
        const sw::TimelineRange nearer = app.lanes().range();
        QVERIFY(App::span(nearer) < App::span(home));
        // What is under the pointer stays there.
        QCOMPARE(app.lanes().eventAt(at), kernel);
        app.drag(at, at - QPointF(60, 0));
        const sw::TimelineRange moved = app.lanes().range();
        QVERIFY(moved.begin > nearer.begin);
        QVERIFY(std::abs(App::span(moved) - App::span(nearer)) <= 2);
        QVERIFY(!app.selectedKernel()); // dragging chooses nothing
        app.wheel(at, -120 * 40);
        QCOMPARE(app.lanes().range().begin, 0);
        QCOMPARE(app.lanes().range().end, app.lanes().timeline()->nanoseconds);
        // Shift and drag: what was dragged over fills the widget.
        const QPointF middle(app.lanes().width() * 0.6, at.y());
        app.drag(middle, middle + QPointF(50, 0), Qt::ShiftModifier);
        QVERIFY(App::span(app.lanes().range()) < 0.2 * static_cast<double>(app.lanes().timeline()->nanoseconds));
        app.lanes().setFocus();
        QTest::keyClick(&app.lanes(), Qt::Key_Home);
        QCOMPARE(app.lanes().range().begin, home.begin);
        QCOMPARE(app.lanes().range().end, home.end);
        QTest::keyClick(&app.lanes(), Qt::Key_Plus);
        QVERIFY(App::span(app.lanes().range()) < App::span(home));
        QTest::keyClick(&app.lanes(), Qt::Key_Space);
        QCOMPARE(app.lanes().range().end, app.lanes().timeline()->nanoseconds);
    }

    void aKernelLeadsToItsSource()
    {
        App app;
        app.record();
        const auto kernel = app.shown(sw::TimelineKind::Kernel);
        QVERIFY(kernel);
        const sw::TimelineEvent &event = app.lanes().timeline()->events[*kernel];
        const QPointF at = app.lanes().rectOf(*kernel).center();
        const QString tip = app.lanes().toolTipAt(at);
        QVERIFY(tip.contains(QString::fromStdString(event.name)));
        QVERIFY(tip.contains(QStringLiteral("of run %1").arg(event.round + 1)));
        app.click(at);
        QVERIFY(app.selectedKernel());
        QCOMPARE(app.snapshot().report->kernels[*app.selectedKernel()].name, event.name);
        QVERIFY(app.table().selectionModel()->hasSelection());
        // With keys to the next kernel of the device, and from the table back.
        const auto first = app.selectedKernel();
        app.lanes().setFocus();
        QTest::keyClick(&app.lanes(), Qt::Key_Right);
        QVERIFY(app.selectedKernel() && app.selectedKernel() != first);
        QTest::keyClick(&app.lanes(), Qt::Key_Left);
        QCOMPARE(app.selectedKernel(), first);
        const QModelIndex last = app.table().model()->index(app.table().model()->rowCount() - 1, 1);
        QTest::mouseClick(app.table().viewport(), Qt::LeftButton, {}, app.table().visualRect(last).center());
        QVERIFY(app.selectedKernel());
        QCOMPARE(QString::fromStdString(app.snapshot().report->kernels[*app.selectedKernel()].name), last.data().toString());
        // Down to the threads that worked on a kernel.
        QTest::keyClick(&app.lanes(), Qt::Key_Down);
        QVERIFY(app.lanes().current());
    }

    void gapsSayHowLongNothingHappened()
    {
        App app;
        app.record();
        const sw::Timeline &run = *app.lanes().timeline();
        app.lanes().showHome();
        bool isFound = false;
        for (const sw::TimelineGap &gap : sw::gapsOf(run)) {
            const QRectF after = app.lanes().rectOf(gap.after);
            const QRectF before = app.lanes().rectOf(gap.before);
            const QPointF middle((after.right() + before.left()) / 2, after.center().y());
            if (after.isEmpty() || before.isEmpty() || before.left() - after.right() < 8 ||
                app.lanes().eventAt(after.center()) != gap.after)
                continue;
            const QString tip = app.lanes().toolTipAt(middle);
            QVERIFY2(tip.startsWith(QStringLiteral("nothing for ")), qPrintable(tip));
            QVERIFY(tip.contains(QString::fromStdString(run.events[gap.before].name)));
            isFound = true;
            break;
        }
        QVERIFY(isFound);
    }

    void aPassLeadsToItsMoment()
    {
        App app;
        app.record();
        QTest::mouseClick(&app.child<QToolButton>("activityCompilation"), Qt::LeftButton);
        const auto pass = app.shown(sw::TimelineKind::Pass);
        QVERIFY(pass);
        const std::string name = app.lanes().timeline()->events[*pass].name;
        app.picture(QStringLiteral("activity_compilation.png"));
        app.click(app.lanes().rectOf(*pass).center());
        QTRY_VERIFY_WITH_TIMEOUT(app.window.session().snapshot() && app.isReady(), kPatience);
        const auto &passes = app.snapshot().report->passes;
        auto &moment = app.window.moment();
        QVERIFY(moment.place());
        QCOMPARE(passes[moment.place()->pass].id, name);
        QTest::mouseClick(&app.child<QToolButton>("activityRun"), Qt::LeftButton);
        QVERIFY(app.shown(sw::TimelineKind::Kernel));
    }

    void whatIsSavedCanBeRead()
    {
        App app;
        app.record();
        const QString trace = app.folder.filePath(QStringLiteral("trace.json"));
        QCOMPARE(app.panel().saveTraceAs(trace), QString());
        QFile file(trace);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QJsonArray events = QJsonDocument::fromJson(file.readAll()).array();
        QVERIFY(std::ranges::any_of(events, [](const QJsonValue &event) {
            return event.toObject()[QStringLiteral("cat")].toString() == QStringLiteral("kernel") &&
                   event.toObject()[QStringLiteral("ph")].toString() == QStringLiteral("X");
        }));
        const QString picture = app.folder.filePath(QStringLiteral("timeline.png"));
        QCOMPARE(app.panel().savePictureAs(picture), QString());
        const QImage image(picture);
        QCOMPARE(image.size(), (2 * app.lanes().pictureSize()).toSize());
        QVERIFY(!app.panel().saveTraceAs(app.folder.filePath(QStringLiteral("nowhere/trace.json"))).isEmpty());
    }

    void aNewerCompilationEndsTheRecording()
    {
        App app;
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        app.show("activity");
        QTest::mouseClick(&app.child<QPushButton>("activityRecord"), Qt::LeftButton);
        QVERIFY(!app.panel().isSettled());
        app.window.session().compileNow();
        QTRY_VERIFY_WITH_TIMEOUT(app.panel().isSettled() && app.isReady(), kPatience);
        QVERIFY(app.child<QPushButton>("activityRecord").isVisible());
        app.record();
        // And a program that does not compile says so.
        app.window.openText("broken.sw", "output y = nothing\n");
        QTRY_VERIFY_WITH_TIMEOUT(app.window.session().snapshot() && app.window.session().snapshot()->isFinal, kPatience);
        QVERIFY(app.lanes().timeline() == nullptr || !app.lanes().isVisible());
    }
};

QTEST_MAIN(TestActivity)
#include "tst_activity.moc"
