// Walks resources/docs/tour.md with keys and the pointer, on the real engine.

#include "tests/gui/engine_app.h"
#include "ui/panels/step_panel.h"
#include "ui/panels/what_if_panel.h"
#include "ui/panels/why_panel.h"
#include "ui/timeline_bar.h"
#include "ui/timeline_track.h"

#include <QAbstractButton>
#include <QAction>
#include <QMenu>
#include <QTableWidget>
#include <QTextBrowser>

using namespace stepwell::ui;
using sw::StageKind;

namespace {

struct Tour : EngineApp {
    [[nodiscard]] Debugger &debugger() { return window.debugger(); }
    [[nodiscard]] std::size_t kernelCount() { return isReady() ? snapshot().report->kernels.size() : 0; }
    void show(const char *panel) { window.action(QStringLiteral("go.") + QLatin1String(panel))->trigger(); }
    void press(const char *name) { QTest::mouseClick(&child<QAbstractButton>(name), Qt::LeftButton); }
    [[nodiscard]] bool step(int key, Qt::KeyboardModifiers modifiers)
    {
        QTest::keyClick(&child<StepPanel>("step").view(), static_cast<Qt::Key>(key), modifiers);
        return QTest::qWaitFor([this] { return !debugger().isMoving(); }, kPatience);
    }
    [[nodiscard]] bool hasCard(const std::string &title)
    {
        auto &why = child<WhyPanel>("why");
        return isReady() && why.isSettled() && why.card() && why.card()->title == title;
    }
    // A point of the edge between these boxes where nothing else is.
    [[nodiscard]] QPoint edge(const QString &from, const QString &to)
    {
        GraphCanvas &canvas = graph();
        canvas.fit();
        const GraphScene &scene = *canvas.scene();
        for (std::uint32_t i = 0; i < scene.edges.size(); ++i) {
            const SceneEdge &one = scene.edges[i];
            if (scene.boxes[one.from].label != from || scene.boxes[one.to].label != to)
                continue;
            const QPointF first = scene.points[one.firstPoint];
            const QPointF last = scene.points[one.firstPoint + one.pointCount - 1];
            for (const double part : {0.5, 0.4, 0.6, 0.3, 0.7}) {
                const QPointF point = first + (last - first) * part;
                if (scene.boxAt(point) == sw::kNoIndex && scene.edgeAt(point, 2) == i)
                    return canvas.toView(point).toPoint();
            }
        }
        qFatal("no edge to click leads from %s to %s", qPrintable(from), qPrintable(to));
    }
};

} // namespace

class TourTest : public QObject {
    Q_OBJECT

private slots:
    void isWalked()
    {
        Tour app;
        // 1. Open a program.
        auto &examples = app.child<QMenu>("examplesMenu");
        const auto softmax = [&] {
            const QList<QAction *> all = examples.actions();
            const auto found = std::ranges::find(all, QStringLiteral("softmax"), &QAction::text);
            return found == all.end() ? nullptr : *found;
        };
        QTRY_VERIFY_WITH_TIMEOUT(softmax(), kPatience);
        softmax()->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(app.kernelCount(), std::size_t{1}, kPatience);
        QCOMPARE(app.snapshot().stage(StageKind::Graph).document->items.size(), std::size_t{10});

        // 2. Walk down the stair.
        Moment &moment = app.window.moment();
        app.graph().setFocus();
        for (int i = 0; i < 40 && (!moment.pass() || moment.pass()->id != "group-kernels"); ++i) {
            QTest::keyClick(&app.graph(), Qt::Key_F);
            QTRY_VERIFY_WITH_TIMEOUT(app.window.isSettled(), kPatience);
        }
        QVERIFY(moment.pass() && moment.pass()->id == "group-kernels");
        moment.goTo({moment.place()->pass, 0});
        auto &track = app.child<TimelineTrack>("timelineTrack");
        bool joined = false;
        for (std::uint32_t i = 0; i < moment.passes().at(moment.place()->pass).rewrites; ++i) {
            QTest::keyClick(&track, Qt::Key_Right);
            QTRY_VERIFY_WITH_TIMEOUT(app.window.isSettled() && moment.rewrite(), kPatience);
            QVERIFY(!moment.rewrite()->rule.empty());
            QVERIFY(!moment.rewrite()->doc.empty());
            joined = joined || moment.rewrite()->rule == "row";
        }
        QVERIFY(joined); // by the rule of the rows, a reduction joined the kernel of what reads it
        QTest::keyClick(&track, Qt::Key_End);
        QTRY_VERIFY_WITH_TIMEOUT(moment.isAtEnd() && app.window.isSettled(), kPatience);

        // 3. Ask why.
        app.show("why");
        QTest::mouseClick(&app.graph(), Qt::LeftButton, {}, app.edge("reduce_axis max", "expand"));
        QTRY_VERIFY_WITH_TIMEOUT(app.hasCard("softmax/max -> softmax/shifted"), kPatience);
        QCOMPARE(app.child<WhyPanel>("why").card()->decision, std::string("in one kernel"));
        QVERIFY(!app.child<WhyPanel>("why").card()->numbers.empty());

        // 4. Forbid it.
        app.press("whyTry0");
        QTRY_COMPARE_WITH_TIMEOUT(app.kernelCount(), std::size_t{2}, kPatience);
        WhatIf &whatIf = app.window.whatIf();
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && !whatIf.isMeasuring() && whatIf.effect(), kPatience);
        QVERIFY(whatIf.effect()->effect.changes.size() >= 4);
        QCOMPARE(whatIf.effect()->effect.changes.front().amountBefore, 1.0);
        QCOMPARE(whatIf.effect()->effect.changes.front().amountAfter, 2.0);

        // 5. Undo it.
        app.show("whatIf");
        QCOMPARE(app.child<QTableWidget>("whatIfTable").rowCount(), 1);
        app.press("whatIfUndo");
        QTRY_COMPARE_WITH_TIMEOUT(app.kernelCount(), std::size_t{1}, kPatience);

        // 6. Step the kernel, backward.
        app.show("step");
        const auto isOpen = [&] { return app.debugger().state() == TraceState::Open && !app.debugger().isMoving(); };
        QTRY_VERIFY_WITH_TIMEOUT(isOpen(), kPatience);
        QVERIFY(app.step(Qt::Key_E, Qt::NoModifier));
        QVERIFY(app.step(Qt::Key_S, Qt::ShiftModifier));
        const auto access = [&] { return app.debugger().position()->accesses.at(0); };
        QVERIFY(access().isStore);
        QCOMPARE(access().name, std::string("probabilities"));
        const std::int64_t row = access().first / 256;
        for (int i = 0; i < 20 && access().name != "scores"; ++i)
            QVERIFY(app.step(Qt::Key_L, Qt::ShiftModifier));
        QVERIFY(!access().isStore);
        QCOMPARE(access().name, std::string("scores"));
        QCOMPARE(access().first / 256, row);
    }
};

QTEST_MAIN(TourTest)
#include "tst_tour.moc"
