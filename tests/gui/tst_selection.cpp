// Which items belong together, and how a selection survives recompiling.

#include "tests/gui/fake_engine.h"
#include "ui/session/selection.h"

#include <QSignalSpy>
#include <QTest>

#include <numeric>

using namespace stepwell::ui;
using sw::StageKind;

namespace {

sw::DocumentItem item(std::string label, std::vector<std::uint32_t> sources, std::uint32_t kernel = sw::kNoIndex)
{
    sw::DocumentItem made;
    made.label = std::move(label);
    made.sources = std::move(sources);
    made.kernel = kernel;
    return made;
}

SnapshotPtr snapshotOf(const std::string &program, const SnapshotPtr &earlier = nullptr, std::uint64_t compilation = 1)
{
    FakeEngine engine;
    sw::ExploreRequest request;
    request.text = program;
    return makeSnapshot(earlier, engine.compile(request, [](const sw::ReportPtr &) {}, {}), compilation, true);
}

sw::ItemIndex indexOfLabel(const SnapshotPtr &snapshot, StageKind stage, const std::string &label)
{
    const auto &items = snapshot->stage(stage).document->items;
    for (sw::ItemIndex i = 0; i < items.size(); ++i) {
        if (items[i].label == label)
            return i;
    }
    return sw::kNoIndex;
}

constexpr const char *kProgram = "x = input()\na = exp(x)\nb = sum(a)\nc = div(a, b)\n";

} // namespace

class TestSelection : public QObject {
    Q_OBJECT

private slots:
    void partnersShareASource()
    {
        sw::StageDocument document;
        document.items = {item("a", {1}), item("b", {2, 3}), item("c", {3})};
        document.lines = {{"0", 1, {}}, {"1", sw::kNoIndex, {}}, {"2", 2, {}}, {"3", 1, {}}};
        const PartnerIndex index(document);
        const std::vector<PartnerKey> keys{{.sources = {3, 9}}};
        const PartnerSet set = index.partnersOf(keys);
        QCOMPARE(set.items, (std::vector<sw::ItemIndex>{1, 2}));
        QCOMPARE(set.lines, (std::vector<std::uint32_t>{0, 2, 3}));
        QVERIFY(set.hasLine(2));
        QVERIFY(!set.hasLine(1));
    }

    void kernelsMustAgreeWhereBothHaveOne()
    {
        sw::StageDocument document;
        document.items = {item("here", {1}, 0), item("there", {1}, 1), item("anywhere", {1})};
        const PartnerIndex index(document);
        const std::vector<PartnerKey> keys{{.sources = {1}, .kernels = {0}}};
        QCOMPARE(index.partnersOf(keys).items, (std::vector<sw::ItemIndex>{0, 2}));
    }

    void framesBelongOnlyToWhatCoversThem()
    {
        sw::StageDocument document;
        document.items = {item("frame", {1, 2}, 0), item("part", {1}, 0)};
        document.items[0].tags = {"frame"};
        const PartnerIndex index(document);
        const std::vector<PartnerKey> part{{.sources = {1}, .kernels = {0}}};
        const std::vector<PartnerKey> whole{{.sources = {1, 2}, .kernels = {0}}};
        QCOMPARE(index.partnersOf(part).items, (std::vector<sw::ItemIndex>{1}));
        QCOMPARE(index.partnersOf(whole).items, (std::vector<sw::ItemIndex>{0, 1}));
    }

    void everyStageIsCounted()
    {
        Selection selection;
        const SnapshotPtr snapshot = snapshotOf(kProgram);
        selection.setSnapshot(snapshot);
        selection.select(StageKind::Graph, {indexOfLabel(snapshot, StageKind::Graph, "exp")});
        QCOMPARE(
            selection.summary(),
            QString::fromUtf8("exp: 1 node \u2192 1 kernel \u2192 3 instructions \u2192 4 lines \u2192 5 machine instructions"));
        selection.clear();
        QCOMPARE(selection.summary(), QString());
    }

    void hoverSpeaksBeforeTheSelection()
    {
        Selection selection;
        const SnapshotPtr snapshot = snapshotOf(kProgram);
        selection.setSnapshot(snapshot);
        selection.select(StageKind::Graph, {0, 1});
        selection.setHover(StageKind::Graph, {1});
        QVERIFY(selection.summary().startsWith("exp: 1 node "));
        selection.clearHover();
        QVERIFY(selection.summary().startsWith("x and 1 other: 2 nodes"));
    }

    void addingTwiceRemoves()
    {
        Selection selection;
        selection.setSnapshot(snapshotOf(kProgram));
        selection.select(StageKind::Graph, {1});
        selection.select(StageKind::Graph, {2}, SelectMode::Add);
        QCOMPARE(selection.selected(StageKind::Graph).items, (std::vector<sw::ItemIndex>{1, 2}));
        selection.select(StageKind::Graph, {1}, SelectMode::Add);
        QCOMPARE(selection.selected(StageKind::Graph).items, (std::vector<sw::ItemIndex>{2}));
    }

    void survivesRecompiling()
    {
        Selection selection;
        const SnapshotPtr first = snapshotOf(kProgram);
        selection.setSnapshot(first);
        selection.select(StageKind::Graph, {indexOfLabel(first, StageKind::Graph, "div")});
        // An unused operand is inserted before it: the node gets another number, its source line stays the same.
        const SnapshotPtr second = snapshotOf("x = input()\na = exp(x)\nb = sum(a)\nc = div(a, b)\nd = neg(c)\n", first, 2);
        selection.setSnapshot(second);
        QCOMPARE(selection.selected(StageKind::Graph).items,
                 (std::vector<sw::ItemIndex>{indexOfLabel(second, StageKind::Graph, "div")}));
        QCOMPARE(selection.selected(StageKind::Machine).lines.size(), 5U);
    }

    void documentsOfDifferentCompilationsAreNotMixed()
    {
        Selection selection;
        const SnapshotPtr good = snapshotOf(kProgram);
        const SnapshotPtr broken = snapshotOf("x = input()\na = exp(x, ?)\n", good, 2);
        QVERIFY(broken->isOutOfDate(StageKind::Graph));
        selection.setSnapshot(broken);
        selection.select(StageKind::Graph, {1});
        // The last good result is complete and can still be explored.
        QVERIFY(!selection.selected(StageKind::Lowered).isEmpty());
        // A graph of a newer compilation has no partners in older text.
        auto mixed = std::make_shared<Snapshot>(*broken);
        mixed->stages[indexOf(StageKind::Graph)].compilation = 3;
        selection.setSnapshot(mixed);
        selection.select(StageKind::Graph, {1});
        QVERIFY(selection.selected(StageKind::Lowered).isEmpty());
    }

    void kernelColoursAreStableAndDistinct()
    {
        const SnapshotPtr first = snapshotOf(kProgram);
        const SnapshotPtr second = snapshotOf("x = input()\nz = matmul(x, x)\na = exp(z)\nb = sum(a)\nc = div(a, b)\n");
        QCOMPARE(first->kernels.size(), 2U);
        QVERIFY(first->kernels[0].color != first->kernels[1].color);
        // "k1_sum" in both.
        QCOMPARE(first->good->kernels[1].name, second->good->kernels[1].name);
        QCOMPARE(first->kernels[1].color, second->kernels[1].color);
    }

    // A hover must light up everything within a frame of the screen.
    void resolvesInLargeDocuments()
    {
        sw::StageDocument document;
        for (std::uint32_t i = 0; i < 100'000; ++i) {
            document.items.push_back(item("i", {i / 10, 20'000 + i % 10}, i % 7));
            document.lines.push_back({"line", i, {}});
        }
        const PartnerIndex index(document);
        const std::vector<PartnerKey> keys{{.sources = {5}}};
        PartnerSet set;
        QBENCHMARK
        {
            set = index.partnersOf(keys);
        }
        QCOMPARE(set.lines.size(), 10U);
    }
};

QTEST_GUILESS_MAIN(TestSelection)
#include "tst_selection.moc"
