// What a graph pane draws and how it responds to pointer and keys.

#include "tests/gui/fake_engine.h"
#include "tests/gui/patience.h"
#include "ui/graph_view/find_bar.h"
#include "ui/graph_view/graph_view.h"

#include <QLineEdit>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

#include <algorithm>

using namespace stepwell::ui;
using sw::StageKind;

namespace {

class View {
public:
    explicit View(const std::string &program)
    {
        sw::ExploreRequest request;
        request.text = program;
        snapshot = makeSnapshot(nullptr, engine.compile(request, [](const sw::ReportPtr &) {}, {}), 1, true);
        selection.setSnapshot(snapshot);
        view.resize(700, 600);
        view.show();
        view.setDocument(snapshot->stage(StageKind::Graph).document, snapshot->kernels);
    }

    [[nodiscard]] GraphCanvas &canvas() { return view.canvas(); }
    [[nodiscard]] const GraphScene &scene() { return *view.canvas().scene(); }
    [[nodiscard]] BoxIndex box(const QString &label)
    {
        const auto found = std::ranges::find(scene().boxes, label, &SceneBox::label);
        return found == scene().boxes.end() ? sw::kNoIndex : static_cast<BoxIndex>(found - scene().boxes.begin());
    }
    // The number of boxes whose middle is in the pane.
    [[nodiscard]] std::size_t seen()
    {
        return static_cast<std::size_t>(std::ranges::count_if(scene().boxes, [this](const SceneBox &box) {
            return QRectF(canvas().rect()).contains(canvas().toView(box.rect.center()));
        }));
    }
    void show(const std::string &program)
    {
        sw::ExploreRequest request;
        request.text = program;
        snapshot = makeSnapshot(nullptr, engine.compile(request, [](const sw::ReportPtr &) {}, {}), 1, true);
        selection.setSnapshot(snapshot);
        view.setDocument(snapshot->stage(StageKind::Graph).document, snapshot->kernels);
    }
    [[nodiscard]] QScrollBar &bar(const char *name) { return *view.findChild<QScrollBar *>(name); }
    [[nodiscard]] QRectF viewRect(BoxIndex index)
    {
        const QRectF &rect = scene().boxes[index].rect;
        return {canvas().toView(rect.topLeft()), canvas().toView(rect.bottomRight())};
    }
    [[nodiscard]] QPoint center(BoxIndex index) { return canvas().toView(scene().boxes[index].rect.center()).toPoint(); }

    FakeEngine engine;
    Appearance appearance{"dark"};
    Selection selection;
    SnapshotPtr snapshot;
    GraphView view{StageKind::Graph, appearance, selection};
};

constexpr const char *kProgram = "x = input()\nc = constant()\na = exp(x)\nm = maximum(a, c)\nb = sum(m)\nd = div(a, b)\n";

std::string chain(int length)
{
    std::string program = "x = input()\n";
    for (int i = 0; i < length; ++i)
        program += "a" + std::to_string(i) + " = exp(" + (i == 0 ? "x" : "a" + std::to_string(i - 1)) + ")\n";
    return program;
}

} // namespace

class TestGraphView : public QObject {
    Q_OBJECT

private slots:
    void constantsAreChipsOfTheirReaders()
    {
        View view(kProgram);
        QCOMPARE(view.scene().boxes.size(), 5U);
        QCOMPARE(view.box("c"), sw::kNoIndex);
        QCOMPARE(view.scene().boxes[view.box("maximum")].chips, (std::vector<QString>{"c"}));
    }

    void viewsOfConstantsAreChipsToo()
    {
        View view("x = input()\nc = constant()\nr = reshape(c)\nm = maximum(x, r)\nn = add(x, r)\nv = reshape(n)\n");
        QCOMPARE(view.scene().boxes.size(), 4U); // the last view is a view of a computed value
        QCOMPARE(view.scene().boxes[view.box("maximum")].chips, (std::vector<QString>{"c"}));
        QCOMPARE(view.scene().boxes[view.box("add")].chips, (std::vector<QString>{"c"}));
        // Pointing at the constant in the program lights up one of its readers.
        view.selection.setHover(StageKind::Program, {1});
        QCOMPARE(view.canvas().marks().hovered.size(), 1U);
    }

    void pointingLightsUp()
    {
        View view(kProgram);
        QTest::mouseMove(&view.canvas(), view.center(view.box("exp")));
        QTRY_COMPARE_WITH_TIMEOUT(view.canvas().marks().hovered, (std::vector<BoxIndex>{view.box("exp")}), kPatience);
        QCOMPARE(view.selection.hovered(StageKind::Lowered).lines.size(), 3U);
        QTest::mouseMove(&view.canvas(), QPoint(2, 2));
        QTRY_VERIFY_WITH_TIMEOUT(view.canvas().marks().hovered.empty(), kPatience);
    }

    void clickingSelectsAndTheBackgroundClears()
    {
        View view(kProgram);
        QTest::mouseClick(&view.canvas(), Qt::LeftButton, {}, view.center(view.box("sum")));
        QCOMPARE(view.canvas().marks().selected, (std::vector<BoxIndex>{view.box("sum")}));
        QTest::mouseClick(&view.canvas(), Qt::LeftButton, Qt::ControlModifier, view.center(view.box("div")));
        QCOMPARE(view.canvas().marks().selected.size(), 2U);
        QTest::mouseClick(&view.canvas(), Qt::LeftButton, {}, QPoint(2, 2));
        QVERIFY(!view.selection.hasSelection());
    }

    void partnersOfOtherStagesLightUp()
    {
        View view(kProgram);
        view.selection.setHover(StageKind::Machine, {0});
        QCOMPARE(view.canvas().marks().hovered, (std::vector<BoxIndex>{view.box("exp")}));
    }

    // A kernel's partners are its own nodes; what it only reads is near.
    void whatBelongsLessCloselyIsFainter()
    {
        View view(kProgram);
        const BoxIndex read = view.box("x");
        const BoxIndex own = view.box("exp");
        auto report = std::make_shared<sw::Report>(*view.snapshot->report);
        auto schedule = std::make_shared<sw::StageDocument>(*report->schedule);
        const auto kernel = std::ranges::find(schedule->items, "kernel", [](const auto &item) { return item.tags.back(); });
        kernel->sources.push_back(view.scene().document->items[view.scene().boxes[read].item].sources.front());
        const auto item = static_cast<sw::ItemIndex>(kernel - schedule->items.begin());
        report->schedule = schedule;
        view.snapshot = makeSnapshot(nullptr, report, 1, true);
        view.selection.setSnapshot(view.snapshot);

        view.selection.select(StageKind::Schedule, {item});
        QCOMPARE(view.canvas().marks().nearSelected, (std::vector<BoxIndex>{read}));
        QVERIFY(std::ranges::binary_search(view.canvas().marks().selected, own));
        QVERIFY(!std::ranges::binary_search(view.canvas().marks().selected, read));
        view.selection.setHover(StageKind::Schedule, {item});
        QCOMPARE(view.canvas().marks().nearHovered, (std::vector<BoxIndex>{read}));
        view.selection.clearHover();

        const QImage picture = view.canvas().grab().toImage();
        const auto haloOf = [&](BoxIndex index) { // 1.5 away from the box, in the middle of its left side
            const QRectF rect = view.scene().boxes[index].rect;
            return picture.pixelColor((view.canvas().toView({rect.left() - 1.5, rect.center().y()})).toPoint());
        };
        const auto distance = [](const QColor &a, const QColor &b) {
            return std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) + std::abs(a.blue() - b.blue());
        };
        const QColor mark = view.appearance.color(Role::SelectedHalo);
        const QColor fainter = view.appearance.theme().fainter(Role::SelectedHalo);
        QVERIFY(distance(haloOf(own), mark) < distance(haloOf(own), fainter));
        QVERIFY(distance(haloOf(read), fainter) < distance(haloOf(read), mark));
        QVERIFY(distance(haloOf(read), fainter) < distance(haloOf(read), view.appearance.color(Role::Base)));
    }

    void dragPansAndWheelZooms()
    {
        View view(kProgram);
        const QPoint start = view.center(view.box("exp"));
        QTest::mousePress(&view.canvas(), Qt::LeftButton, {}, QPoint(5, 5));
        QTest::mouseMove(&view.canvas(), QPoint(45, 25));
        QTest::mouseRelease(&view.canvas(), Qt::LeftButton, {}, QPoint(45, 25));
        // QTest's moves carry no buttons on every platform; the pan itself is checked through the wheel.
        const double before = view.canvas().zoom();
        QWheelEvent wheel(QPointF(100, 100), view.canvas().mapToGlobal(QPointF(100, 100)), {}, QPoint(0, 120), Qt::NoButton,
                          Qt::ControlModifier, Qt::NoScrollPhase, false);
        const QPointF under = view.canvas().toScene({100, 100});
        QApplication::sendEvent(&view.canvas(), &wheel);
        QVERIFY(view.canvas().zoom() > before);
        const QPointF now = view.canvas().toScene({100, 100});
        QVERIFY((now - under).manhattanLength() < 3); // the point under the pointer stays there
        QVERIFY(view.center(view.box("exp")) != start);
        view.canvas().setFocus();
        QTest::keyClick(&view.canvas(), Qt::Key_Space);
        for (const SceneBox &box : view.scene().boxes)
            QVERIFY(QRectF(view.canvas().rect()).contains(view.canvas().toView(box.rect.center())));
    }

    void scopesFoldAndUnfold()
    {
        View view(fakeProgram(2));
        const std::size_t boxes = view.scene().boxes.size();
        const std::uint32_t group = view.scene().boxes[view.box("maximum")].group;
        QVERIFY(group != sw::kNoIndex);
        QTest::mouseDClick(&view.canvas(), Qt::LeftButton, {}, view.center(view.box("maximum")));
        QCOMPARE(view.scene().boxes.size(), boxes - 2);
        const BoxIndex folded = view.box("layer0");
        QVERIFY(folded != sw::kNoIndex);
        QCOMPARE(view.scene().boxes[folded].members, 4U); // constants count
        QCOMPARE(view.scene().boxes[folded].detail, "4 nodes");
        // Pointing at the folded scope lights up everything in it.
        view.selection.clear();
        emit view.canvas().boxHovered(folded);
        QCOMPARE(view.selection.hovered(StageKind::Lowered).lines.size(), 9U);
        view.canvas().setFocus();
        QTest::mouseClick(&view.canvas(), Qt::LeftButton, {}, view.center(folded));
        QTest::keyClick(&view.canvas(), Qt::Key_Right);
        QCOMPARE(view.scene().boxes.size(), boxes);
        view.view.foldAll();
        QVERIFY(view.scene().boxes.size() < boxes);
        view.view.unfoldAll();
        QCOMPARE(view.scene().boxes.size(), boxes);
    }

    void arrowsWalkEdges()
    {
        View view(kProgram);
        view.canvas().setFocus();
        QTest::mouseClick(&view.canvas(), Qt::LeftButton, {}, view.center(view.box("maximum")));
        QTest::keyClick(&view.canvas(), Qt::Key_Down);
        QCOMPARE(view.canvas().marks().current, view.box("sum"));
        QTest::keyClick(&view.canvas(), Qt::Key_Return);
        QCOMPARE(view.canvas().marks().selected, (std::vector<BoxIndex>{view.box("sum")}));
        QTest::keyClick(&view.canvas(), Qt::Key_Up);
        QCOMPARE(view.canvas().marks().current, view.box("maximum"));
    }

    void searchFindsLabelsAndTypes()
    {
        View view(kProgram);
        view.view.find();
        auto *edit = view.view.findChild<QLineEdit *>("findEdit");
        QTest::keyClicks(edit, "^(exp|div)$");
        QCOMPARE(view.canvas().marks().found.size(), 2U);
        QTest::keyClick(edit, Qt::Key_Return);
        QCOMPARE(view.canvas().marks().selected.size(), 1U);
        edit->setText("64, 128");
        QCOMPARE(view.canvas().marks().found.size(), 5U);
        QTest::keyClick(edit, Qt::Key_Escape);
        QVERIFY(view.canvas().marks().found.empty());
    }

    void kernelsHaveHulls()
    {
        View view(kProgram);
        QCOMPARE(view.scene().hulls.size(), 2U);
        const SceneBox &box = view.scene().boxes[view.box("exp")];
        const auto hull = std::ranges::find(view.scene().hulls, box.kernel, &SceneHull::kernel);
        QVERIFY(hull->path.contains(box.rect.center()));
    }

    void bigGraphsAreLaidOutElsewhere()
    {
        View view(fakeProgram(1600)); // ten thousand nodes
        QVERIFY(view.view.isLayingOut());
        QTRY_VERIFY_WITH_TIMEOUT(!view.view.isLayingOut(), 30'000);
        QVERIFY(view.scene().document->items.size() > 9000);
        QVERIFY(view.scene().boxes.size() < 7000); // scopes are folded
        view.view.unfoldAll();
        QTRY_VERIFY_WITH_TIMEOUT(!view.view.isLayingOut(), 30'000);
        view.canvas().fit();
        QPixmap picture(view.canvas().size());
        QBENCHMARK
        {
            view.canvas().render(&picture);
        }
    }

    void openingShowsASmallGraphAsAWhole()
    {
        View view(kProgram);
        QCOMPARE(view.seen(), view.scene().boxes.size());
        QVERIFY(!view.bar("downBar").isVisible() && !view.bar("acrossBar").isVisible());
        // Another program starts afresh, even after the picture was moved far away.
        view.canvas().zoomTo(3);
        QVERIFY(view.bar("downBar").isVisible());
        view.view.setDocument(nullptr, {});
        QVERIFY(!view.bar("downBar").isVisible());
        view.show(std::string(kProgram) + "e = exp(d)\n");
        QCOMPARE(view.seen(), view.scene().boxes.size());
        view.view.resize(500, 900);
        QCOMPARE(view.seen(), view.scene().boxes.size());
    }

    void openingShowsTheStartOfADeepGraph_data()
    {
        QTest::addColumn<int>("length");
        for (const int length : {40, 400, 1500}) // the last one is laid out on another thread
            QTest::addRow("%d", length) << length;
    }
    void openingShowsTheStartOfADeepGraph()
    {
        QFETCH(int, length);
        View view(chain(length));
        QTRY_VERIFY_WITH_TIMEOUT(view.canvas().scene(), kPatience);
        QCOMPARE(view.canvas().zoom(), GraphCanvas::kReadableScale);
        const QRectF input = view.viewRect(view.box("x"));
        QVERIFY(QRectF(view.canvas().rect()).contains(input));
        QVERIFY(input.top() < 30);
        QVERIFY(std::abs(input.center().x() - view.canvas().width() / 2.0) < 3);

        // The bar scrolls through the graph; one command shows all of it, and it stays whole until the picture is moved.
        QScrollBar &bar = view.bar("downBar");
        QVERIFY(bar.isVisible() && !view.bar("acrossBar").isVisible());
        QCOMPARE(bar.value(), 0);
        bar.setValue(bar.maximum());
        const QRectF last = view.viewRect(static_cast<BoxIndex>(view.scene().boxes.size() - 1));
        QVERIFY(QRectF(view.canvas().rect()).contains(last));
        view.canvas().fit();
        QCOMPARE(view.seen(), view.scene().boxes.size());
        QVERIFY(!bar.isVisible());
        view.view.resize(300, 500);
        QCOMPARE(view.seen(), view.scene().boxes.size());

        // Another program opens at its start again, and stays there when the pane is resized.
        view.view.setDocument(nullptr, {});
        view.show(chain(length + 1));
        QTRY_VERIFY_WITH_TIMEOUT(view.canvas().scene(), kPatience);
        view.view.resize(400, 700);
        QVERIFY(std::abs(view.viewRect(view.box("x")).center().x() - 200) < 3);
        QCOMPARE(view.canvas().zoom(), GraphCanvas::kReadableScale);
    }

    // A graph slightly too small is better than one without its end.
    void openingShowsTheWholeWhereItIsNearlyReadable()
    {
        View view(kProgram);
        const double height = view.scene().bounds.height();
        for (const double scale : {0.55, 0.45}) {
            view.view.resize(900, static_cast<int>(height * scale) + 20);
            QVERIFY(std::abs(view.canvas().zoom() - (scale == 0.55 ? scale : GraphCanvas::kReadableScale)) < 0.01);
            QCOMPARE(view.bar("downBar").isVisible(), scale != 0.55);
        }
    }

    void openingAWideGraphShowsItsInput()
    {
        std::string program = "x = input()\n";
        for (int i = 0; i < 200; ++i)
            program += "a" + std::to_string(i) + " = exp(x)\n";
        View view(program);
        QCOMPARE(view.canvas().zoom(), GraphCanvas::kReadableScale);
        QVERIFY(QRectF(view.canvas().rect()).contains(view.viewRect(view.box("x"))));
        QVERIFY(view.bar("acrossBar").isVisible() && !view.bar("downBar").isVisible());
    }

    // Two far ends of a wide graph with nothing in the middle between them.
    void theMiddleOfAWideGraphMayBeEmpty()
    {
        std::string program = "x = input()\n";
        for (int i = 0; i < 60; ++i)
            program += "a" + std::to_string(i) + " = exp(x)\n";
        View view(program);
        QVERIFY(view.seen() > 0);
        view.canvas().zoomTo(1);
        QVERIFY(view.seen() > 0);
    }

    void foldingAndUnfoldingNeverLeaveAnEmptyPane()
    {
        View view(fakeProgram(30));
        view.canvas().fit();
        QCOMPARE(view.seen(), view.scene().boxes.size());
        for (const char *label : {"maximum", "matmul", "div", "exp"}) {
            view.canvas().zoomTo(2);
            view.canvas().centerOn(view.box(label));
            view.view.foldAll();
            QVERIFY2(view.seen() > 0, label);
            view.canvas().zoomTo(3);
            QVERIFY2(view.seen() > 0, label);
            view.view.unfoldAll();
            QVERIFY2(view.seen() > 0, label);
        }
    }

    void whatIsFoldedStaysWhereItWas()
    {
        View view(fakeProgram(30));
        view.canvas().zoomTo(1.5);
        const BoxIndex box = view.box("maximum");
        view.canvas().centerOn(box);
        const QPoint before = view.center(box);
        view.view.fold(view.scene().boxes[box].group);
        QVERIFY((view.center(view.box("layer0")) - before).manhattanLength() <= 2);
        view.view.unfold(view.scene().boxes[view.box("layer0")].group);
        QVERIFY((view.center(view.box("add")) - before).manhattanLength() < 60); // in the middle of the three
    }

    void anotherGraphOfTheSameProgramKeepsItsPlace()
    {
        View view(kProgram);
        view.canvas().zoomTo(1.3);
        view.canvas().centerOn(view.box("sum"));
        const QPoint before = view.center(view.box("sum"));
        sw::ExploreRequest request;
        request.text = std::string(kProgram) + "e = neg(d)\nf = exp(e)\n";
        const SnapshotPtr next =
            makeSnapshot(view.snapshot, view.engine.compile(request, [](const sw::ReportPtr &) {}, {}), 2, true);
        view.selection.setSnapshot(next);
        view.view.setDocument(next->stage(StageKind::Graph).document, next->kernels);
        QVERIFY((view.center(view.box("sum")) - before).manhattanLength() <= 2);
    }
};

QTEST_MAIN(TestGraphView)
#include "tst_graph_view.moc"
