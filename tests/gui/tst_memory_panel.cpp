// The memory of a device over the steps of a program: where the bars are, and what pointing at them does.

#include "tests/gui/fake_engine.h"
#include "tests/gui/patience.h"
#include "ui/main_window.h"
#include "ui/panels/memory_panel.h"
#include "ui/session/baseline.h"
#include "ui/session/debugger.h"
#include "ui/session/health.h"
#include "ui/session/notes.h"
#include "ui/session/settings.h"
#include "ui/session/target_choice.h"
#include "ui/session/watch_list.h"
#include "ui/session/what_if.h"

#include <QAction>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace stepwell::ui;
using sw::StageKind;

namespace {

constexpr QSize kSize(600, 240);

sw::DocumentItem item(std::string label, std::vector<std::string> tags, std::uint32_t source)
{
    sw::DocumentItem made;
    made.label = std::move(label);
    made.tags = std::move(tags);
    made.sources = {source};
    return made;
}

// Two kernels between an upload and a download; weights larger than the rest; t1 and t2 use the same memory in turn.
sw::StageDocumentPtr schedule()
{
    sw::StageDocument document;
    document.kind = StageKind::Schedule;
    document.items = {item("k0", {"kernel"}, 0),
                      item("k1", {"kernel"}, 1),
                      item("w", {"buffer", "param"}, 2),
                      item("t1", {"buffer", "intermediate"}, 3),
                      item("t2", {"buffer", "output"}, 4),
                      item("upload w", {"step", "transfer", "load"}, 2),
                      item("download t2", {"step", "transfer", "fetch"}, 4)};
    document.items[0].kernel = 0;
    document.items[1].kernel = 1;
    document.edges = {{2, 0, {}, sw::kNoIndex}, {0, 3, {}, sw::kNoIndex}, {1, 4, {}, sw::kNoIndex}};
    document.charts = {{"llvm",
                        1'300'000,
                        1'000'000,
                        {5, 0, 1, 6},
                        {{2, 0, 2, 0, 1'000'000}, {3, 1, 1, 1'000'000, 1'300'000}, {4, 2, 3, 1'000'000, 1'150'000}}}};
    return std::make_shared<const sw::StageDocument>(std::move(document));
}

// The same, but t1 lies in t2, which is there from the first kernel on.
sw::StageDocumentPtr joinedSchedule()
{
    sw::StageDocument document = *schedule();
    document.items[3].tags.emplace_back("part");
    document.charts[0].bars = {{2, 0, 2, 0, 1'000'000}, {4, 1, 3, 1'000'000, 1'300'000}, {3, 1, 1, 1'000'000, 1'150'000}};
    return std::make_shared<const sw::StageDocument>(std::move(document));
}

SnapshotPtr snapshotOf(const sw::StageDocumentPtr &document)
{
    auto report = std::make_shared<sw::Report>();
    report->schedule = document;
    report->succeeded = true;
    report->kernels.resize(2);
    report->kernels[0].name = "k0_matmul";
    report->kernels[1].name = "k1_relu";
    return makeSnapshot(nullptr, report, 1, true);
}

// A panel set up as the window does it.
struct ShownPanel {
    ShownPanel()
        : session(engine),
          moment(session, selection),
          whatIf(session),
          inputs(session),
          health(session, inputs),
          watched(session, inputs),
          debugger(session),
          baseline(session, selection),
          notes(session, moment),
          settings(folder.filePath("settings.ini")),
          targets(settings),
          panel({appearance, session, selection, moment, requests, whatIf, inputs, health, watched, debugger, baseline, notes,
                 targets},
                {"memory", "Memory"})
    {
        snapshot = snapshotOf(schedule());
        selection.setSnapshot(snapshot);
        panel.setSnapshot(snapshot);
        panel.resize(kSize);
        panel.show();
        chart = panel.findChild<MemoryChart *>(QStringLiteral("memoryChart"));
    }

    [[nodiscard]] std::vector<sw::ItemIndex> selected() const { return selection.selected(StageKind::Schedule).items; }
    [[nodiscard]] QPoint centerOf(sw::ItemIndex index) const { return chart->rectOf(index).center().toPoint(); }

    Appearance appearance{QStringLiteral("dark")};
    FakeEngine engine;
    Session session;
    Selection selection;
    Moment moment;
    Requests requests;
    WhatIf whatIf;
    InputChoices inputs;
    Health health;
    WatchList watched;
    Debugger debugger;
    Baseline baseline;
    Notes notes;
    QTemporaryDir folder;
    Settings settings;
    TargetChoice targets;
    MemoryPanel panel;
    SnapshotPtr snapshot;
    MemoryChart *chart = nullptr;
};

bool has(const std::vector<sw::ItemIndex> &items, sw::ItemIndex index)
{
    return std::ranges::find(items, index) != items.end();
}

} // namespace

class TestMemoryPanel : public QObject {
    Q_OBJECT

private slots:
    void barsSpanTheirStepsAndBytes()
    {
        const ShownPanel shown;
        QVERIFY(QTest::qWaitForWindowExposed(const_cast<MemoryPanel *>(&shown.panel)));
        const QRectF weights = shown.chart->rectOf(2);
        const QRectF first = shown.chart->rectOf(3);
        const QRectF second = shown.chart->rectOf(4);
        // Bars over three steps, one and two, of four.
        QVERIFY(qAbs(weights.width() - 3 * first.width()) < 4);
        QVERIFY(qAbs(second.width() - 2 * first.width()) < 4);
        QVERIFY(first.right() <= second.left() + 1);
        // They use the same memory; one is half as high as the other.
        QVERIFY(qAbs(first.bottom() - second.bottom()) < 1);
        QVERIFY(qAbs(first.height() - 2 * second.height()) < 4);
        QVERIFY(first.bottom() <= weights.top() + 1);
        QVERIFY(QRectF(shown.chart->rect()).contains(weights));
    }

    void whatIsHeldThroughoutLeavesRoomForTheRest()
    {
        const ShownPanel shown;
        const QRectF weights = shown.chart->rectOf(2);
        const QRectF first = shown.chart->rectOf(3);
        QVERIFY2(first.height() > 1.9 * weights.height(), qPrintable(QString::number(first.height() / weights.height())));
    }

    void aClickSelectsTheBuffer()
    {
        ShownPanel shown;
        QTest::mouseClick(shown.chart, Qt::LeftButton, {}, shown.centerOf(3));
        QVERIFY(has(shown.selected(), 3));
        QCOMPARE(shown.selection.selectedItem()->label, std::string("t1"));
        // A click beside the bars clears the selection.
        QTest::mouseClick(shown.chart, Qt::LeftButton, {}, QPoint(shown.chart->width() - 2, 2));
        QVERIFY(!shown.selection.hasSelection());
    }

    // A part is drawn above the whole, whose name stands beside it.
    void aPartLiesAboveTheWhole()
    {
        ShownPanel shown;
        shown.snapshot = snapshotOf(joinedSchedule());
        shown.selection.setSnapshot(shown.snapshot);
        shown.panel.setSnapshot(shown.snapshot);
        const QRectF part = shown.chart->rectOf(3);
        const QRectF whole = shown.chart->rectOf(4);
        QVERIFY(whole.contains(part));
        QCOMPARE(shown.chart->labelRectOf(3), part);
        QCOMPARE(shown.chart->labelRectOf(4), QRectF(QPointF(part.right(), whole.top()), whole.bottomRight()));
        QTest::mouseClick(shown.chart, Qt::LeftButton, {}, part.center().toPoint());
        QCOMPARE(shown.selection.selectedItem()->label, std::string("t1"));
        QTest::mouseClick(shown.chart, Qt::LeftButton, {}, shown.chart->labelRectOf(4).center().toPoint());
        QCOMPARE(shown.selection.selectedItem()->label, std::string("t2"));
    }

    void aClickBelowSelectsTheStep()
    {
        ShownPanel shown;
        QTest::mouseClick(shown.chart, Qt::LeftButton, {}, shown.centerOf(1));
        QCOMPARE(shown.selection.selectedItem()->label, std::string("k1"));
        QTest::mouseClick(shown.chart, Qt::LeftButton, {}, shown.centerOf(6));
        QCOMPARE(shown.selection.selectedItem()->label, std::string("download t2"));
    }

    void pointingLightsUpAndLeavingEndsIt()
    {
        ShownPanel shown;
        QTest::mouseMove(shown.chart, shown.centerOf(4));
        QTRY_VERIFY_WITH_TIMEOUT(shown.selection.hasHover(), kPatience);
        QCOMPARE(shown.selection.hoveredItem()->label, std::string("t2"));
        QEvent leave(QEvent::Leave);
        QApplication::sendEvent(shown.chart, &leave);
        QVERIFY(!shown.selection.hasHover());
    }

    void keysGoFromBufferToBuffer()
    {
        ShownPanel shown;
        for (const sw::ItemIndex wanted : {2U, 3U, 4U, 4U}) {
            QTest::keyClick(shown.chart, Qt::Key_Right);
            QCOMPARE(shown.selection.selectedItem()->label,
                     shown.snapshot->stage(StageKind::Schedule).document->items[wanted].label);
        }
        QTest::keyClick(shown.chart, Qt::Key_Left);
        QCOMPARE(shown.selection.selectedItem()->label, std::string("t1"));
    }

    void aSelectionMadeElsewhereIsDrawn()
    {
        ShownPanel shown;
        const QImage before = shown.chart->grab().toImage();
        shown.selection.select(StageKind::Schedule, {4});
        const QImage after = shown.chart->grab().toImage();
        const QPoint at = shown.centerOf(4) + QPoint(0, static_cast<int>(shown.chart->rectOf(4).height() / 2) - 4);
        QVERIFY(before.pixelColor(at) != after.pixelColor(at));
        const QPoint besides = shown.centerOf(2) + QPoint(0, static_cast<int>(shown.chart->rectOf(2).height() / 2) - 4);
        QCOMPARE(before.pixelColor(besides), after.pixelColor(besides));
    }

    void theNoteTellsHowMuchSharingSaves()
    {
        const ShownPanel shown;
        QCOMPARE(shown.panel.note(), QStringLiteral("1.24 MiB for 1.38 MiB of buffers"));
    }

    void withoutBuffersThereIsASentence()
    {
        ShownPanel shown;
        shown.panel.setSnapshot(nullptr);
        QVERIFY(shown.chart->isEmpty());
        QVERIFY(!shown.chart->isVisible());
        shown.panel.setSnapshot(shown.snapshot);
        QVERIFY(shown.chart->isVisible());
    }

    // Making a chart that nobody sees would slow down every step through the moments.
    void aHiddenPanelDrawsWhenItIsShown()
    {
        ShownPanel shown;
        const QRectF bar = shown.chart->rectOf(4);
        shown.panel.hide();
        shown.panel.setSnapshot(nullptr);
        QVERIFY(!shown.chart->isEmpty());
        shown.panel.show();
        QVERIFY(shown.chart->isEmpty());
        shown.panel.hide();
        shown.panel.setSnapshot(shown.snapshot);
        QVERIFY(shown.chart->isEmpty());
        shown.panel.show();
        QTRY_COMPARE_WITH_TIMEOUT(shown.chart->rectOf(4), bar, kPatience);
    }

    void everyDeviceHasAChartOfItsOwn()
    {
        ShownPanel shown;
        sw::StageDocument document = *schedule();
        document.charts.push_back({"opencl:1", 64, 0, {5, 0, 1, 6}, {{4, 2, 2, 0, 64}}});
        document.charts[0].bars.pop_back();
        shown.chart->setDocument(std::make_shared<const sw::StageDocument>(std::move(document)), {});
        QVERIFY(shown.chart->rectOf(4).top() > shown.chart->rectOf(2).bottom());
        QVERIFY(QRectF(shown.chart->rect()).contains(shown.chart->rectOf(4)));
    }

    void theWindowBringsItToTheFront()
    {
        QTemporaryDir folder;
        FakeEngine engine;
        Appearance appearance{QStringLiteral("dark")};
        Settings settings{folder.filePath(QStringLiteral("settings.ini"))};
        MainWindow window{engine, appearance, settings};
        window.show();
        window.openText(QStringLiteral("test.sw"), "x = input()\na = exp(x)\nb = sum(a)\nc = div(a, b)\n");
        auto *chart = window.findChild<MemoryChart *>(QStringLiteral("memoryChart"));
        QVERIFY(chart);
        QTRY_VERIFY_WITH_TIMEOUT(window.session().snapshot() && window.isSettled(), kPatience);
        QVERIFY(!chart->isVisible());
        QVERIFY(chart->isEmpty()); // nobody looks at it
        window.action(QStringLiteral("go.memory"))->trigger();
        QVERIFY(chart->isVisible());
        QVERIFY(!chart->isEmpty());
        // The sum's buffer leads to its line of the program.
        const sw::StageDocument &schedule = *window.session().snapshot()->stage(StageKind::Schedule).document;
        const sw::ItemIndex bar = schedule.charts.front().bars.back().item;
        QTRY_VERIFY_WITH_TIMEOUT(chart->rectOf(bar).height() > 2, kPatience);
        QTest::mouseClick(chart, Qt::LeftButton, {}, chart->rectOf(bar).center().toPoint());
        QVERIFY(has(window.selection().selected(StageKind::Schedule).items, bar));
        QVERIFY(!window.selection().selected(StageKind::Program).isEmpty());
    }
};

QTEST_MAIN(TestMemoryPanel)
#include "tst_memory_panel.moc"
