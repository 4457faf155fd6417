// What the panels have asked when the program is broken: nothing waits for an answer that will not come, and when the program
// compiles again, the answer is there. On the real engine.

#include "tests/gui/values_app.h"
#include "tests/gui/what_if_app.h"
#include "ui/models/life_model.h"
#include "ui/panels/health_panel.h"
#include "ui/panels/life_panel.h"
#include "ui/panels/loop_editor.h"
#include "ui/panels/values_panel.h"
#include "ui/panels/watch_panel.h"

#include <QCheckBox>
#include <QPushButton>
#include <QSignalSpy>

#include <array>
#include <functional>

using namespace stepwell::ui;
using sw::StageKind;

namespace {

// The values have more elements than are read at once.
constexpr const char *kProgram = "input x: f32[512, 256]\nh = exp(x * 1.0) + 2.0\noutput y = sum(h, axis = 1)\n";

using App = ValuesApp;

struct Case {
    const char *name;
    RequestTag tag;
    std::function<void(App &)> prepare;
    std::function<void(App &)> ask;
    std::function<bool(App &)> isAnswered;
};

void showValue(App &app)
{
    app.go("values");
    App::click(app.graph(), "exp");
    QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.statistics().contains("exp"), kPatience);
}

int rowsOf(App &app, const char *table)
{
    return app.child<QTableView>(table).model()->rowCount();
}

const std::array kCases{
    Case{"life", RequestTag::Story, [](App &app) { app.go("life"); }, [](App &app) { App::click(app.graph(), "exp"); },
         [](App &app) { return app.child<LifePanel>("life").model().rowCount() > 0; }},
    Case{"why", RequestTag::Why, [](App &app) { app.go("why"); },
         [](App &app) { app.window.selection().select(StageKind::Schedule, {0}); },
         [](App &app) { return app.child<WhyPanel>("why").card().has_value(); }},
    Case{"value of a node", RequestTag::Value, [](App &app) { app.go("values"); },
         [](App &app) { App::click(app.graph(), "exp"); }, [](App &app) { return app.statistics().contains("exp"); }},
    Case{"difference of a value", RequestTag::Value,
         [](App &app) {
             app.go("values");
             app.choose("valuesBy", "Difference");
         },
         [](App &app) { App::click(app.graph(), "exp"); },
         [](App &app) { return app.child<QLabel>("differenceSummary").text().contains("not stored"); }},
    Case{"value of an input", RequestTag::Value, showValue, [](App &app) { app.choose("outputsBox", "input x"); },
         [](App &app) { return app.statistics().contains("x</b> f32[512, 256]"); }},
    Case{"order of a value", RequestTag::Tensor, showValue, [](App &app) { app.choose("valuesMode", "Largest first"); },
         [](App &app) { return rowsOf(app, "valuesOrder") > 0; }},
    Case{"watch list", RequestTag::Watch,
         [](App &app) {
             showValue(app);
             app.choose("outputsBox", "input x");
             QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.statistics().contains("x</b> f32[512, 256]"), kPatience);
         },
         [](App &app) {
             for (QToolButton *button : app.window.findChild<Panel *>("values")->tools()->findChildren<QToolButton *>())
                 if (button->toolTip().startsWith("Watch"))
                     QTest::mouseClick(button, Qt::LeftButton);
         },
         [](App &app) {
             const QAbstractItemModel &model = *app.child<QTableView>("watchTable").model();
             return model.rowCount() == 1 && model.index(0, WatchModel::Type).data().toString() == "f32[512, 256]";
         }},
    Case{"health", RequestTag::Health, [](App &app) { app.go("health"); },
         [](App &app) { QTest::mouseClick(&app.child<QCheckBox>("healthSwitch"), Qt::LeftButton, {}, QPoint(8, 8)); },
         [](App &app) { return app.window.findChild<Panel *>("health")->note().contains("float values"); }},
    Case{"facts of inputs", RequestTag::InputFacts, [](App &) {}, [](App &app) { app.go("inputs"); },
         [](App &app) {
             const QAbstractItemModel &model = *app.child<QTableView>("inputsTable").model();
             return model.rowCount() == 1 && model.index(0, InputModel::Minimum).data().toString().contains('.');
         }},
    Case{"moment", RequestTag::Moment, [](App &) {}, [](App &app) { app.window.action("step.previousRewrite")->trigger(); },
         [](App &app) { return app.window.moment().snapshot()->moment != nullptr; }},
    Case{"filter of rewrites", RequestTag::Filter, [](App &) {},
         [](App &app) { app.window.moment().filter().setRule("drop-neutral"); },
         [](App &app) { return app.window.moment().filter().matches() > 0; }},
    // The default layout reads the code at once, so it is read again where nobody looks at it.
    Case{"machine code", RequestTag::MachineCode,
         [](App &app) {
             QVERIFY(app.window.setPerspective("present"));
             app.window.session().compileNow();
         },
         [](App &app) { app.go("machine"); },
         [](App &app) { return app.snapshot().stage(StageKind::Machine).document->parts.front().isRead; }},
    Case{"kernel in steps", RequestTag::Trace, [](App &) {}, [](App &app) { app.go("step"); },
         [](App &app) { return app.window.debugger().state() == TraceState::Open && app.window.debugger().position(); }},
    Case{"baseline", RequestTag::Baseline, [](App &) {}, [](App &app) { app.window.action("compare.noFuse")->trigger(); },
         [](App &app) { return app.window.baseline().before() != nullptr; }},
    Case{"machine code of the baseline", RequestTag::BaselineCode,
         [](App &app) {
             app.window.baseline().setShown(Shown::Now); // nobody looks at it yet
             app.window.action("compare.noFuse")->trigger();
             app.wait();
         },
         [](App &app) { app.window.baseline().wantCode(); },
         [](App &app) {
             const auto isRead = [](const sw::DocumentPart &part) { return part.isRead; };
             const SnapshotPtr &before = app.window.baseline().before();
             return before && std::ranges::all_of(before->stage(StageKind::Machine).document->parts, isRead);
         }},
    Case{"first difference", RequestTag::Parting,
         [](App &app) {
             app.window.action("compare.noFuse")->trigger();
             app.wait();
         },
         [](App &app) { app.window.action("compare.first")->trigger(); },
         [](App &app) { return app.window.baseline().first().point.has_value(); }},
    Case{"roofs of the machine", RequestTag::Roofs, [](App &app) { app.go("roofline"); },
         [](App &app) { QTest::mouseClick(&app.child<QPushButton>("rooflineMeasure"), Qt::LeftButton); },
         [](App &app) { return app.child<QTableView>("rooflineTable").model()->rowCount() > 0; }},
    Case{"list of loops", RequestTag::Loops, [](App &app) { app.go("whatIf"); },
         [](App &app) { app.window.findChild<LoopEditor *>()->setOverride("loops y: split y.0 8"); },
         [](App &app) {
             const auto &editor = *app.window.findChild<LoopEditor *>();
             return !editor.isChecking() && editor.lines().size() == 1;
         }},
};

} // namespace

class TestPending : public QObject {
    Q_OBJECT

private slots:
    void whatIsAskedSurvivesABrokenProgram_data() { rows(); }
    void whatIsAskedSurvivesABrokenProgram()
    {
        QFETCH(int, index);
        const Case &asked = kCases.at(static_cast<std::size_t>(index));
        App app(kProgram);
        app.wait();
        asked.prepare(app);
        app.wait();
        QVERIFY(!asked.isAnswered(app));
        Session &session = app.window.session();
        asked.ask(app);
        QVERIFY(session.isAsking(asked.tag));
        app.editor().moveCursor(QTextCursor::End);
        app.EngineApp::type("output oops oops");
        session.compileNow();
        QVERIFY(session.isDropped(asked.tag));
        QVERIFY(!session.isAsking(asked.tag));
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && !app.snapshot().report->succeeded, kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(!session.isAsking(asked.tag), kPatience); // what is about no program is asked again at once
        app.editor().setPlainText(kProgram);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.snapshot().report->succeeded && asked.isAnswered(app), kPatience);
        app.editor().document()->setModified(false);
    }

    // The engine still has the compilation before: the panels ask it again.
    void whatIsAskedSurvivesAStoppedCompilation_data() { rows(); }
    void whatIsAskedSurvivesAStoppedCompilation()
    {
        QFETCH(int, index);
        const Case &asked = kCases.at(static_cast<std::size_t>(index));
        App app(kProgram);
        app.wait();
        asked.prepare(app);
        app.wait();
        asked.ask(app);
        app.window.session().compileNow();
        QVERIFY(app.window.session().isDropped(asked.tag));
        app.window.session().stop();
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && asked.isAnswered(app), kPatience);
    }

    // The effect of a change is not asked for again: another program is no effect of an override.
    void anEffectIsNotWaitedForInABrokenProgram()
    {
        WhatIfApp app;
        QTRY_COMPARE_WITH_TIMEOUT(app.kernelCount(), std::size_t{1}, kPatience);
        Session &session = app.window.session();
        bool wasDropped = false;
        const auto breakIt = [&] {
            if (!session.isAsking(RequestTag::Effect) || wasDropped)
                return;
            app.editor().setPlainText("input x: f32[4\n");
            session.compileNow();
            wasDropped = session.isDropped(RequestTag::Effect);
        };
        connect(&session, &Session::compileFinished, this, breakIt);
        app.whatIf().add("apart softmax/max -> softmax/shifted");
        QVERIFY(app.whatIf().isMeasuring());
        QTRY_VERIFY_WITH_TIMEOUT(wasDropped && app.isReady() && !app.snapshot().report->succeeded, kPatience);
        QVERIFY(!app.whatIf().isMeasuring());
        app.editor().setPlainText(kSoftmax);
        QTRY_COMPARE_WITH_TIMEOUT(app.kernelCount(), std::size_t{2}, kPatience);
        app.whatIf().remove(0);
        QTRY_VERIFY_WITH_TIMEOUT(app.hasEffect() && app.after("kernels") == 1, kPatience);
        app.editor().document()->setModified(false);
    }

    // Nor is a measurement: the program before and after a change is no longer what one looks at.
    void aMeasurementIsNotWaitedForInABrokenProgram()
    {
        WhatIfApp app;
        QTRY_COMPARE_WITH_TIMEOUT(app.kernelCount(), std::size_t{1}, kPatience);
        app.show("whatIf");
        app.whatIf().add("apart softmax/max -> softmax/shifted");
        QTRY_VERIFY_WITH_TIMEOUT(app.kernelCount() == 2 && app.whatIf().canMeasure(), kPatience);
        app.press("whatIfMeasure");
        Session &session = app.window.session();
        QVERIFY(session.isAsking(RequestTag::Measure));
        app.editor().setPlainText("input x: f32[4\n");
        session.compileNow();
        QVERIFY(session.isDropped(RequestTag::Measure));
        QVERIFY(!app.whatIf().isMeasuringInTurn());
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && !app.snapshot().report->succeeded, kPatience);
        QVERIFY(!app.child<QAbstractButton>("whatIfMeasure").isEnabled());
        app.editor().setPlainText(kSoftmax);
        QTRY_VERIFY_WITH_TIMEOUT(app.kernelCount() == 2 && app.whatIf().canMeasure(), kPatience);
        QVERIFY(!app.whatIf().measured());
        app.editor().document()->setModified(false);
    }

    // A file is about no compilation: it is written while one types.
    void savingGoesOnWhileTheProgramIsEdited()
    {
        App app(kProgram);
        app.wait();
        showValue(app);
        app.child<ValuesPanel>("values").saveTo(app.folder.filePath("h.csv"));
        app.window.session().compileNow();
        // What the panel tells of it goes when the new values come, which may be at once.
        const auto lines = [&] {
            QFile file(app.folder.filePath("h.csv"));
            return file.open(QIODevice::ReadOnly) ? file.readAll().count('\n') : 0;
        };
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && lines() == 512, kPatience);
    }

private:
    static void rows()
    {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < kCases.size(); ++i)
            QTest::newRow(kCases.at(i).name) << static_cast<int>(i);
    }
};

QTEST_MAIN(TestPending)
#include "tst_pending.moc"
