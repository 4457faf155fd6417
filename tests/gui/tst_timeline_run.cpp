// The timeline goes on into the run: its kernels and their steps, forwards and backwards, on the real engine.

#include "tests/gui/engine_app.h"
#include "ui/panels/step_panel.h"
#include "ui/timeline_bar.h"
#include "ui/timeline_run.h"
#include "ui/timeline_track.h"

#include <QAction>
#include <QLabel>
#include <QTest>
#include <QToolButton>

using namespace stepwell::ui;

namespace {

constexpr const char *kTwoKernels = "input x: f32[2, 8]\na = kernel(exp(x), name = \"first\")\noutput sum(a, axis = 1)\n";

struct RunApp : EngineApp {
    RunApp() : EngineApp(kTwoKernels) {}

    [[nodiscard]] Walk &walk() { return window.walk(); }
    [[nodiscard]] Debugger &debugger() { return window.debugger(); }
    [[nodiscard]] TimelineTrack &track() { return child<TimelineTrack>("timelineTrack"); }
    [[nodiscard]] TimelineRun &run() { return child<TimelineRun>("timelineRun"); }
    [[nodiscard]] QString line() { return child<QLabel>("timelineRewrite").text(); }
    // Presses the key in the bar, and waits for what it does.
    [[nodiscard]] bool press(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
    {
        QTest::keyClick(&track(), key, modifiers);
        return settle();
    }
    [[nodiscard]] bool settle()
    {
        return QTest::qWaitFor([this] { return isReady() && debugger().state() != TraceState::Opening; }, kPatience);
    }
    [[nodiscard]] std::uint64_t step() { return debugger().position() ? debugger().position()->position : ~std::uint64_t{0}; }
};

} // namespace

class TimelineRunTest : public QObject {
    Q_OBJECT

private slots:
    void theRunFollowsTheCompilation()
    {
        RunApp app;
        QVERIFY(app.settle());
        QCOMPARE(app.walk().kernels().size(), 2U);
        QVERIFY(!app.child<StepPanel>("step").isVisible());
        app.track().setFocus();
        QVERIFY(!app.walk().kernel());
        QCOMPARE(app.run().value(), 0);

        QVERIFY(app.press(Qt::Key_Right));
        QCOMPARE(app.walk().kernel(), 0U);
        QCOMPARE(app.step(), 0U);
        QCOMPARE(app.run().value(), 1);
        QVERIFY(app.child<StepPanel>("step").isVisible());
        QVERIFY(app.track().hasFocus()); // the keys go on
        for (std::uint64_t i = 1; i <= 3; ++i) {
            QVERIFY(app.press(Qt::Key_Right));
            QCOMPARE(app.step(), i);
        }
        QCOMPARE(app.child<QLabel>("timelinePass").text(), "The run");
        QVERIFY2(app.line().startsWith("Kernel 1 of 2: first, step 3 of "), qPrintable(app.line()));
        QVERIFY(*app.walk().done() > 0 && *app.walk().done() < 1);

        // Back through the steps and the end of the compilation to its last rewrite.
        for (std::uint64_t i = 3; i-- > 0;) {
            QVERIFY(app.press(Qt::Key_Left));
            QCOMPARE(app.step(), i);
        }
        QCOMPARE(app.walk().kernel(), 0U);
        QVERIFY(app.press(Qt::Key_Left));
        QVERIFY(!app.walk().kernel());
        QVERIFY(app.window.moment().isAtEnd());
        QCOMPARE(app.child<QLabel>("timelinePass").text(), "The end of the compilation");
        QVERIFY(app.press(Qt::Key_Left));
        QVERIFY(!app.window.moment().isAtEnd());
        QVERIFY(!app.walk().kernel());
    }

    void theLastStepLeadsToTheNextKernel()
    {
        RunApp app;
        QVERIFY(app.settle());
        app.track().setFocus();
        QVERIFY(app.press(Qt::Key_Right));
        app.debugger().goToEnd();
        QVERIFY(app.settle());
        QCOMPARE(app.walk().done(), 1.0);
        QVERIFY(!app.walk().isAtEnd());
        const std::uint64_t end = app.step();
        QVERIFY(app.press(Qt::Key_Right));
        QCOMPARE(app.walk().kernel(), 1U);
        QCOMPARE(app.step(), 0U);
        // And back to where the first was left.
        QVERIFY(app.press(Qt::Key_Left));
        QCOMPARE(app.walk().kernel(), 0U);
        QCOMPARE(app.step(), end);
        QVERIFY(app.press(Qt::Key_Right));
        app.debugger().goToEnd();
        QVERIFY(app.settle());
        QVERIFY(app.walk().isAtEnd());
        QVERIFY(app.press(Qt::Key_Right)); // there is nothing behind it
        QCOMPARE(app.walk().kernel(), 1U);
        QVERIFY(app.walk().isAtEnd());
    }

    void kernelsAreChosenByKeysAndClicks()
    {
        RunApp app;
        QVERIFY(app.settle());
        app.track().setFocus();
        QVERIFY(app.press(Qt::Key_J)); // the run is the last stage
        QCOMPARE(app.walk().kernel(), 0U);
        QVERIFY(app.press(Qt::Key_Right, Qt::ShiftModifier));
        QCOMPARE(app.walk().kernel(), 1U);
        QVERIFY(app.press(Qt::Key_R));
        QCOMPARE(app.walk().kernel(), 0U);
        QVERIFY(app.press(Qt::Key_F));
        QCOMPARE(app.walk().kernel(), 1U);
        QVERIFY(app.press(Qt::Key_K));
        QVERIFY(!app.walk().kernel());
        QTest::mouseClick(&app.run(), Qt::LeftButton, {}, app.run().slotOf(1).center().toPoint());
        QVERIFY(app.settle());
        QCOMPARE(app.walk().kernel(), 1U);
        QCOMPARE(app.debugger().facts()->name, app.walk().kernels()[1].name);
        QCOMPARE(app.run().accessibleDescription(), app.walk().text());
        // The end of the compilation is before the run.
        QTest::mouseClick(&app.track(), Qt::LeftButton, {},
                          app.track().slotOf(static_cast<int>(app.window.moment().passes().size())).center().toPoint());
        QVERIFY(!app.walk().kernel());
        QTest::mouseClick(&app.run(), Qt::LeftButton, {}, app.run().slotOf(0).center().toPoint());
        QVERIFY(app.settle());
        QTest::mouseClick(&app.child<QToolButton>("timelineEnd"), Qt::LeftButton);
        QVERIFY(!app.walk().kernel());
        QVERIFY(app.press(Qt::Key_J));
        QCOMPARE(app.walk().kernel(), 0U);
        QVERIFY(app.press(Qt::Key_End));
        QVERIFY(!app.walk().kernel());
        QVERIFY(app.window.moment().isAtEnd());
        // A moment of the compilation is not in the run.
        QVERIFY(app.press(Qt::Key_Right));
        QVERIFY(app.press(Qt::Key_Home));
        QVERIFY(!app.walk().kernel());
        QCOMPARE(app.window.moment().place(), (sw::MomentPlace{0, 0}));
    }

    void steppingInThePanelIsInTheRun()
    {
        RunApp app;
        QVERIFY(app.settle());
        app.window.action("go.step")->trigger();
        QVERIFY(app.settle());
        QVERIFY(!app.walk().kernel()); // it is only open
        QTest::keyClick(&app.child<StepPanel>("step").view(), Qt::Key_F11);
        QVERIFY(app.settle());
        QCOMPARE(app.walk().kernel(), app.debugger().kernel());
        QVERIFY(app.walk().kernel().has_value());
        app.editor().document()->setModified(false);
        app.window.openText("other.sw", "input x: f32[4]\noutput exp(x)\n");
        QVERIFY(app.settle());
        QVERIFY(!app.walk().kernel());
    }

    void playingGoesThroughTheSteps()
    {
        RunApp app;
        QVERIFY(app.settle());
        app.track().setFocus();
        QVERIFY(app.press(Qt::Key_Right, Qt::ShiftModifier));
        QVERIFY(app.press(Qt::Key_Right, Qt::ShiftModifier));
        app.debugger().goToEnd();
        QVERIFY(app.settle());
        const std::uint64_t end = app.step();
        for (int i = 0; i < 4; ++i)
            QVERIFY(app.press(Qt::Key_Left));
        QCOMPARE(app.step(), end - 4);
        auto &bar = app.child<TimelineBar>("timelineBar");
        bar.setPlaying(true);
        QCOMPARE(app.walk().kernel(), 1U); // it goes on from here
        QTRY_VERIFY_WITH_TIMEOUT(!bar.isPlaying(), kPatience);
        QVERIFY(app.settle());
        QCOMPARE(app.step(), end);
    }
};

QTEST_MAIN(TimelineRunTest)
#include "tst_timeline_run.moc"
