// What lights up, on the real engine: exactly the items the compiler knows, and fainter the rest of the same node.

#include "tests/gui/engine_app.h"
#include "ui/library_window.h"
#include "ui/panels/messages_panel.h"

#include <QAction>
#include <QLabel>
#include <QTableView>
#include <QTextBlock>

#include <set>

using namespace stepwell::ui;
using sw::StageKind;
using App = EngineApp;

namespace {

constexpr const char *kProgram = "input x: f32[32, 64]\n"
                                 "param w: f32[64, 48] = random(1)\n"
                                 "h = relu(x @ w)\n"
                                 "output y = softmax(h, axis = -1)\n";
// Two kernels that use the same constant.
constexpr const char *kShared = "input x: f32[32, 64]\n"
                                "input z: f32[16]\n"
                                "output a = relu(sum(x, axis = 0))\n"
                                "output b = relu(z * 3.0)\n";

std::set<std::uint32_t> kernelsIn(const Snapshot &snapshot, const PartnerSet &set, StageKind stage)
{
    std::set<std::uint32_t> kernels;
    for (const sw::ItemIndex item : set.items)
        if (const std::uint32_t kernel = snapshot.stage(stage).document->items[item].kernel; kernel != sw::kNoIndex)
            kernels.insert(kernel);
    return kernels;
}

const sw::DocumentField *fieldOf(const sw::DocumentItem &item, const char *name)
{
    const auto found = std::ranges::find(item.fields, name, &sw::DocumentField::name);
    return found == item.fields.end() ? nullptr : &*found;
}

bool isKernel(const sw::DocumentItem &item)
{
    return std::ranges::find(item.tags, "kernel") != item.tags.end();
}

} // namespace

class TestLightUp : public QObject {
    Q_OBJECT

private slots:
    void anInstructionLightsItsOwnLinesFirst()
    {
        App app(kProgram);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        Selection &selection = app.window.selection();
        TextView &lowered = app.text("lowered");
        const int row = App::rowWith(lowered, " fma ");
        QVERIFY(row >= 0);
        lowered.scrollToRow(row);
        QTest::mouseClick(lowered.viewport(), Qt::LeftButton, {}, lowered.rowRect(row).center());
        const sw::ItemIndex item = lowered.rows().itemAt(row);
        QCOMPARE(selection.selected(StageKind::Lowered).items, (std::vector<sw::ItemIndex>{item}));
        QVERIFY(!selection.selected(StageKind::Lowered).nearItems.empty());
        for (const StageKind stage : {StageKind::Code, StageKind::Machine}) {
            // Machine code is read only when it is looked at.
            QTRY_VERIFY_WITH_TIMEOUT(!selection.selected(stage).lines.empty(), kPatience);
            const PartnerSet &set = selection.selected(stage);
            for (const sw::ItemIndex exact : set.items)
                QCOMPARE(app.snapshot().stage(stage).document->items[exact].instruction, item);
            // The rest of the node lights up too, kept apart.
            QVERIFY(!set.nearLines.empty());
            for (const std::uint32_t line : set.nearLines)
                QVERIFY(!set.hasLine(line));
        }
        QVERIFY(app.child<QLabel>("partnersLabel").text().contains(QString::fromUtf8("\u2192 1 instruction \u2192")));
    }

    void sharedConstantsDoNotPullInOtherKernels()
    {
        App app(kShared);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        Selection &selection = app.window.selection();
        const sw::StageDocumentPtr program = app.snapshot().stage(StageKind::Program).document;
        QVERIFY(app.snapshot().kernels.size() >= 2);
        std::set<std::uint32_t> seen;
        for (sw::ItemIndex i = 0; i < program->items.size(); ++i) {
            const sw::DocumentItem &item = program->items[i];
            if (item.label != "relu")
                continue;
            selection.select(StageKind::Program, {i});
            const auto kernels = kernelsIn(app.snapshot(), selection.selected(StageKind::Lowered), StageKind::Lowered);
            QCOMPARE(kernels.size(), std::size_t{1});
            QCOMPARE(kernelsIn(app.snapshot(), selection.selected(StageKind::Schedule), StageKind::Schedule), kernels);
            seen.insert(*kernels.begin());
            // And back again: no line of the other kernel lights up.
            const std::vector<sw::ItemIndex> instructions = selection.selected(StageKind::Lowered).items;
            for (const sw::ItemIndex instruction : instructions) {
                selection.select(StageKind::Lowered, {instruction});
                for (const sw::ItemIndex lit : selection.selected(StageKind::Program).items)
                    QVERIFY(program->items[lit].place.line == item.place.line || program->items[lit].place.line < 3);
                selection.select(StageKind::Program, {i});
            }
        }
        QCOMPARE(seen.size(), std::size_t{2});
    }

    void statusAndDetailsAgreeOnCounts()
    {
        App app(kProgram);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        const auto &schedule = app.snapshot().stage(StageKind::Schedule).document;
        int seen = 0;
        for (sw::ItemIndex i = 0; i < schedule->items.size(); ++i) {
            if (!isKernel(schedule->items[i]))
                continue;
            app.window.selection().select(StageKind::Schedule, {i});
            const QString nodes = QString::fromStdString(fieldOf(schedule->items[i], "nodes")->value);
            const QString status = app.child<QLabel>("partnersLabel").text();
            QVERIFY2(status.contains(": " + nodes + " node"), qPrintable(status + " but " + nodes));
            QVERIFY2(status.contains(QString::fromUtf8("\u2192 1 kernel \u2192")), qPrintable(status));
            ++seen;
        }
        QVERIFY(seen >= 2);
    }

    void theStatusEndsWithTheShareOfTime()
    {
        App app(kProgram);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        App::click(app.graph(), "relu");
        QVERIFY(!app.child<QLabel>("partnersLabel").text().contains("time"));
        app.window.action("compile.run")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(app.snapshot().measured && app.isReady(), kPatience);
        const auto &status = app.child<QLabel>("partnersLabel");
        QVERIFY2(status.text().endsWith("% of the time"), qPrintable(status.text()));
        // All kernels together take all of the time.
        const auto &schedule = app.snapshot().stage(StageKind::Schedule).document;
        std::vector<sw::ItemIndex> kernels;
        for (sw::ItemIndex i = 0; i < schedule->items.size(); ++i)
            if (isKernel(schedule->items[i]))
                kernels.push_back(i);
        app.window.selection().select(StageKind::Schedule, kernels);
        QVERIFY2(status.text().endsWith("100 % of the time"), qPrintable(status.text()));
        // What loading computes has no part of it.
        const auto isLoad = [&](sw::ItemIndex item) { return schedule->items[item].label.find("_load_") != std::string::npos; };
        const auto load = std::ranges::find_if(kernels, isLoad);
        QVERIFY(load != kernels.end());
        app.window.selection().select(StageKind::Schedule, {*load});
        QVERIFY2(status.text().endsWith("once, when loading"), qPrintable(status.text()));
    }

    void errorsDoNotReadAsZeroNodes()
    {
        App app(kProgram);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        app.editor().moveCursor(QTextCursor::End);
        app.type("output q = x @ x");
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.editor().errorMarks().size() == 1, kPatience);
        const auto &program = app.snapshot().stage(StageKind::Program).document;
        for (sw::ItemIndex i = 0; i < program->items.size(); ++i) {
            app.window.selection().select(StageKind::Program, {i});
            const QString status = app.child<QLabel>("partnersLabel").text();
            QVERIFY2(!status.contains("0 nodes"), qPrintable(status));
            QVERIFY2(!status.isEmpty(), program->items[i].label.c_str());
        }
        app.editor().document()->setModified(false);
    }

    void messagesInTheLibraryAreToldAtTheCall()
    {
        App app("input x: f32[4, 8]\n\n\n\n\n\noutput softmax(x, axis = 5)\n");
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && !app.editor().errorMarks().empty(), kPatience);
        for (const auto &mark : app.editor().errorMarks())
            QCOMPARE(mark.cursor.selectionStart() > app.editor().document()->findBlockByNumber(5).position(), true);
        auto &table = app.child<QTableView>("messagesTable");
        const QModelIndex place = [&] {
            for (int row = 0; row < table.model()->rowCount(); ++row)
                if (table.model()->index(row, MessageModel::Place).data().toString().startsWith("library/softmax.sw:"))
                    return table.model()->index(row, MessageModel::Place);
            return QModelIndex();
        }();
        QVERIFY(place.isValid());
        const int caret = app.editor().textCursor().position();
        emit table.clicked(place);
        QCOMPARE(app.editor().textCursor().position(), caret); // not a line of the program
        auto &window = app.child<LibraryWindow>("libraryWindow");
        QVERIFY(window.isVisible());
        QVERIFY(window.windowTitle().startsWith("library/softmax.sw"));
        const TextView &view = *window.findChild<TextView *>("libraryView");
        QCOMPARE(view.chosenRow() + 1, place.data().toString().section(u':', 1, 1).toInt());
        QVERIFY(App::rowWith(view, "def softmax") >= 0);
    }

    void labelsOfEveryExampleLieOnNothing()
    {
        stepwell::ExplorerService engine{STEPWELL_HOST_PROGRAM};
        const QFont font = QApplication::font();
        for (const sw::ExampleEntry &example : engine.examples()) {
            sw::ExploreRequest request;
            request.fileName = example.path;
            request.isFile = true;
            request.device = "interpreter";
            request.compileMachineCode = false;
            const sw::ReportPtr report = engine.compile(request, {}, {});
            QVERIFY2(report->graph && report->schedule, example.name.c_str());
            for (const sw::StageDocumentPtr &document : {report->graph, report->schedule}) {
                const GraphScenePtr scene = makeGraphScene(document, {}, {TextMeasure(font), TextMeasure(font)});
                std::vector<QRectF> shown;
                for (const SceneHull &hull : scene->hulls)
                    shown.push_back(hull.tagArea);
                if (scene->edges.size() <= kMostLabelledEdges)
                    for (const SceneEdge &edge : scene->edges)
                        shown.push_back(edge.labelArea);
                for (std::size_t i = 0; i < shown.size(); ++i) {
                    for (std::size_t k = 0; k < i; ++k)
                        QVERIFY2(!shown[i].intersects(shown[k]), example.name.c_str());
                    if (i >= scene->hulls.size())
                        for (const SceneBox &box : scene->boxes)
                            QVERIFY2(!shown[i].intersects(box.rect), example.name.c_str());
                }
            }
        }
    }

    void noValueOfAnyTypeIsCut()
    {
        App app("const a: f64[3] = [-1.7976931348623157e308, 4.9e-324, 6.746105e-8]\n"
                "const b: f32[3] = [6.746105e-8, 1e-45, -1.1754944e-38]\n"
                "const c: u64[2] = [0, 1]\n"
                "const d: i64[2] = [-9223372036854775807, 9223372036854775807]\n"
                "output f64s = a\noutput f32s = b\noutput u64s = ~c\noutput i64s = d\noutput means = mean(a * 1.0)\n");
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        QVERIFY(app.snapshot().report->succeeded);
        app.window.action("compile.run")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(app.snapshot().measured && app.isReady(), kPatience);
        app.window.findChild<QWidget *>("values")->show();
        auto &table = app.child<QTableView>("valuesTable");
        auto &box = app.child<QComboBox>("outputsBox");
        QStringList seen;
        for (int output = 0; output < box.count(); ++output) {
            emit box.activated(output);
            for (int column = 0; column < table.model()->columnCount(); ++column) {
                const QModelIndex index = table.model()->index(0, column);
                seen << index.data().toString();
                QVERIFY2(table.sizeHintForIndex(index).width() <= table.columnWidth(column), qPrintable(seen.back()));
            }
        }
        for (const char *value : {"18446744073709551615", "9223372036854775807", "6.746105e-08", "~ 1e-45"})
            QVERIFY2(seen.contains(value), qPrintable(seen.join(' ')));
    }
};

QTEST_MAIN(TestLightUp)
#include "tst_light_up.moc"
