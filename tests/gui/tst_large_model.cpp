// A large model, ResNet-50, in the window on the real engine: the timeline, the reasons and changes, the steps of a kernel, the
// values. The model is opened once for all of them.

#include "tests/gui/values_app.h"
#include "tests/gui/what_if_app.h"
#include "ui/panels/step_panel.h"
#include "ui/timeline_track.h"

#include <QListWidget>
#include <QPushButton>

#include <memory>

using namespace stepwell::ui;
using sw::StageKind;

namespace {

struct ModelApp : ValuesApp {
    ModelApp() : ValuesApp("")
    {
        QVERIFY(window.openFile(QString(STEPWELL_SOURCE_FOLDER) + "/tests/data/models/light_resnet50/model.onnx"));
        QTRY_VERIFY_WITH_TIMEOUT(isReady() && snapshot().report->kernels.size() > 20, kPatience);
    }
    void show(const char *panel)
    {
        window.action(QStringLiteral("go.") + QLatin1String(panel))->trigger();
        wait();
    }
    void press(int key, Qt::KeyboardModifiers modifiers = {})
    {
        QTest::keyClick(&child<TimelineTrack>("timelineTrack"), static_cast<Qt::Key>(key), modifiers);
        wait();
    }
    [[nodiscard]] std::size_t kernelCount() { return isReady() ? snapshot().report->kernels.size() : 0; }
    // The item of the buffer that the kernel writes.
    [[nodiscard]] sw::ItemIndex bufferOf(std::uint32_t kernel)
    {
        const sw::StageDocument &schedule = *snapshot().stage(StageKind::Schedule).document;
        for (const sw::DocumentEdge &edge : schedule.edges)
            if (edge.from == kernel)
                return edge.to;
        qFatal("kernel %u writes nothing", kernel);
    }
};

} // namespace

class TestLargeModel : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        m_app = std::make_unique<ModelApp>();
        QVERIFY(m_app->snapshot().report->succeeded);
    }
    void cleanupTestCase() { m_app.reset(); }
    void cleanup() { m_app->window.moment().goToEnd(); } // also after a failure

    void theTimelineGoesThroughItsRewrites()
    {
        ModelApp &app = *m_app;
        Moment &moment = app.window.moment();
        app.press(Qt::Key_Home);
        QVERIFY(!moment.isAtEnd());
        QCOMPARE(moment.snapshot()->moment->place, (sw::MomentPlace{0, 0}));
        QVERIFY(!moment.snapshot()->stage(StageKind::Schedule).document); // there are no kernels yet
        const auto nodesAtStart = moment.snapshot()->stage(StageKind::Graph).document->items.size();
        app.press(Qt::Key_F);
        QVERIFY(moment.pass()->changed);
        // Rewrite after rewrite, and back to where it began.
        app.press(Qt::Key_Home);
        using Place = std::pair<std::uint32_t, std::uint32_t>; // a pass, and how many of its rewrites are done
        std::vector<Place> places;
        for (int i = 0; i < 5; ++i) {
            app.press(Qt::Key_Right);
            QVERIFY(moment.place());
            QCOMPARE(moment.snapshot()->moment->place, *moment.place());
            QVERIFY(moment.rewrite());
            places.emplace_back(moment.place()->pass, moment.done());
        }
        // On the way back it stops at the beginnings of passes, too.
        places.pop_back();
        for (int i = 0; i < 12 && !places.empty(); ++i) {
            app.press(Qt::Key_Left);
            if (moment.place() && Place(moment.place()->pass, moment.done()) == places.back())
                places.pop_back();
        }
        QVERIFY(places.empty());
        // The lowered stage is made kernel by kernel.
        const auto &passes = moment.passes();
        const auto lower = std::ranges::find_if(
            passes, [](const sw::PassEntry &pass) { return pass.output == StageKind::Lowered && pass.rewrites > 100; });
        QVERIFY(lower != passes.end());
        QCOMPARE(moment.goToNamed(QString::fromStdString(lower->id) + ":50"), QString());
        app.wait();
        const StageView &lowered = moment.snapshot()->stage(StageKind::Lowered);
        QVERIFY(lowered.document && !lowered.marks.isEmpty());
        app.press(Qt::Key_End);
        QVERIFY(moment.isAtEnd());
        QVERIFY(app.snapshot().stage(StageKind::Graph).document->items.size() != nodesAtStart);
    }

    void aDecisionIsAskedChangedAndUndone()
    {
        ModelApp &app = *m_app;
        const std::size_t kernels = app.kernelCount();
        app.show("why");
        auto &filter = app.child<QComboBox>("whyFilter");
        filter.setCurrentIndex(filter.count() - 1); // all decisions
        auto &list = app.child<QListWidget>("whyList");
        QVERIFY(list.count() > 100);
        auto &why = app.child<WhyPanel>("why");
        // An elementwise operation in its reader's kernel, which can be kept apart.
        int row = 0;
        while (row < list.count() && !list.item(row)->toolTip().startsWith("elementwise-chain"))
            ++row;
        QVERIFY(row < list.count());
        list.scrollToItem(list.item(row));
        QTest::mouseClick(list.viewport(), Qt::LeftButton, {}, list.visualItemRect(list.item(row)).center());
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && why.card(), kPatience);
        QCOMPARE(why.card()->decision, "in one kernel");
        QVERIFY(!why.card()->numbers.empty());
        auto *button = app.window.findChild<QPushButton *>("whyTry0");
        QVERIFY(button && button->isEnabled());
        QTest::mouseClick(button, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(app.kernelCount() > kernels && !app.window.whatIf().isMeasuring(), kPatience);
        QVERIFY(app.window.whatIf().effect());
        const auto &changes = app.window.whatIf().effect()->effect.changes;
        QVERIFY(std::ranges::any_of(changes, [&](const sw::FigureChange &change) {
            return change.name == "kernels" && change.amountAfter == static_cast<double>(app.kernelCount());
        }));
        app.show("whatIf");
        QTest::mouseClick(app.window.findChild<QAbstractButton *>("whatIfUndo"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(app.kernelCount(), kernels, kPatience);
    }

    void aKernelIsSteppedBothWays()
    {
        ModelApp &app = *m_app;
        app.window.action("go.step")->trigger();
        Debugger &debugger = app.window.debugger();
        const auto isOpen = [&] { return debugger.state() == TraceState::Open && !debugger.isMoving(); };
        QTRY_VERIFY_WITH_TIMEOUT(isOpen(), kPatience);
        TextView &view = app.child<StepPanel>("step").view();
        QVERIFY(view.rows().count() > 10);
        std::vector<std::uint64_t> positions;
        for (int i = 0; i < 40; ++i) {
            positions.push_back(debugger.position()->position);
            QTest::keyClick(&view, Qt::Key_F11);
            QTRY_VERIFY_WITH_TIMEOUT(isOpen(), kPatience);
        }
        for (std::size_t i = positions.size(); i-- > 0;) {
            QTest::keyClick(&view, Qt::Key_F11, Qt::ShiftModifier);
            QTRY_VERIFY_WITH_TIMEOUT(isOpen(), kPatience);
        }
        QCOMPARE(debugger.position()->position, positions.front());
        QVERIFY(positions.back() > 10);
    }

    void valuesOfTheDeviceAndOfTheMoment()
    {
        ModelApp &app = *m_app;
        app.go("values");
        app.window.selection().select(StageKind::Schedule, {app.bufferOf(0)});
        app.wait();
        QVERIFY2(app.statistics().contains("f32["), qPrintable(app.statistics()));
        app.choose("valuesBy", "Device");
        app.wait();
        // The last kernel's: a run of the whole model, which keeps it.
        const auto last = static_cast<std::uint32_t>(app.kernelCount() - 1);
        app.window.selection().select(StageKind::Schedule, {app.bufferOf(last)});
        app.wait();
        QVERIFY2(app.statistics().contains("[1, 1000]"), qPrintable(app.statistics()));
        QCOMPARE(app.cells().columnCount(), 1000);
        QVERIFY(app.cell(0, 0).toFloat() > 0); // the chance of a class
        // A value near the input, as it is before anything was rewritten.
        app.choose("valuesBy", "Reference");
        app.window.selection().select(StageKind::Schedule, {app.bufferOf(0)});
        app.wait();
        app.press(Qt::Key_Home);
        const sw::StageDocument &graph = *app.window.moment().snapshot()->stage(StageKind::Graph).document;
        const auto item = std::ranges::find_if(
            graph.items, [](const sw::DocumentItem &one) { return std::ranges::find(one.tags, "input") != one.tags.end(); });
        QVERIFY(item != graph.items.end());
        app.window.selection().select(StageKind::Graph, {static_cast<sw::ItemIndex>(item - graph.items.begin())});
        app.wait();
        QVERIFY2(app.statistics().contains("[1, 3, 224, 224]"), qPrintable(app.statistics()));
        app.press(Qt::Key_End);
    }

private:
    std::unique_ptr<ModelApp> m_app;
};

QTEST_MAIN(TestLargeModel)
#include "tst_large_model.moc"
