// Timings and Values: nothing is cut, and results that an edit made out of date stay, marked as such.

#include "engine/api/tensor_files.h"
#include "tests/gui/fake_app.h"
#include "tests/gui/patience.h"
#include "ui/models/quantity.h"
#include "ui/panels/memory_panel.h"
#include "ui/panels/text_panel.h"
#include "ui/panels/timings_panel.h"
#include "ui/panels/values_panel.h"
#include "ui/text_view/program_editor.h"

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QSignalSpy>
#include <QTableView>

#include <array>
#include <limits>
#include <semaphore>

using namespace stepwell::ui;
using sw::StageKind;

namespace {

// Numbers whose texts are long, and a subnormal one, which has a sign before it.
const std::vector<double> kLongNumbers{-1.7976931348623157e+308, 5e-324, -std::numeric_limits<double>::infinity(), 0,
                                       -6.746105123456789e-08};
const QStringList kLongTexts{"-1.7976931348623157e+308", "~ 5e-324", "-inf", "0.0", "-6.746105123456789e-08"};

class LongValues : public FakeEngine {
public:
    sw::ReportPtr run(const sw::RunRequest &request, std::stop_token stop) override
    {
        const sw::ReportPtr made = FakeEngine::run(request, stop);
        auto report = std::make_shared<sw::Report>(*made);
        report->outputs = {sw::tensorOfNumbers("numbers", "f64", std::array<std::int64_t, 1>{5}, kLongNumbers)};
        return report;
    }
};

// Compiles only when told to.
class SlowEngine : public FakeEngine {
public:
    sw::ReportPtr compile(const sw::ExploreRequest &request, const sw::ReportCallback &progress, std::stop_token stop) override
    {
        go.acquire();
        return FakeEngine::compile(request, progress, stop);
    }
    std::counting_semaphore<> go{0};
};

// Whether the first line that lights up is visible.
bool showsItsPartner(const TextView &view, const PartnerSet &set)
{
    if (set.firstLines().empty())
        return false;
    const int row = static_cast<int>(set.firstLines().front());
    return row >= view.firstVisibleRow() && row < view.firstVisibleRow() + view.visibleRows();
}

template <class App>
void run(App &app)
{
    QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
    app.window.action("compile.run")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(app.window.session().snapshot()->measured && app.isReady(), kPatience);
}

void type(ProgramEditor &editor, const char *text)
{
    editor.moveCursor(QTextCursor::End);
    QTest::keyClicks(&editor, text);
}

} // namespace

class TestResults : public QObject {
    Q_OBJECT

private slots:
    void noValueIsCut()
    {
        FakeApp<LongValues> app;
        run(app);
        app.template child<ValuesPanel>("values").show();
        auto &table = app.template child<QTableView>("valuesTable");
        QCOMPARE(table.model()->columnCount(), static_cast<int>(kLongTexts.size()));
        for (int column = 0; column < table.model()->columnCount(); ++column) {
            const QModelIndex index = table.model()->index(0, column);
            QCOMPARE(index.data().toString(), kLongTexts[column]);
            QVERIFY2(table.sizeHintForIndex(index).width() <= table.columnWidth(column), qPrintable(index.data().toString()));
        }
    }

    void shortNumbersKeepTheirExponent()
    {
        QCOMPARE(shortNumber("6.746105e-08", 12), "6.746105e-08");
        QCOMPARE(shortNumber("6.746105e-08", 9), "6.746e-08");
        QCOMPARE(shortNumber("6.746105e-08", 5), "7e-08");
        QCOMPARE(shortNumber("18446744073709551615", 10), "1.8447e+19");
        QCOMPARE(shortNumber("-1.7976931348623157e+308", 9), "-1.8e+308");
        QCOMPARE(shortNumber("0.3333333333333333", 6), "0.3333");
        QCOMPARE(shortNumber("a long name", 6), QString::fromUtf8("a lon\u2026"));
        QCOMPARE(numberText(123456789), "123456789");
        QCOMPARE(numberText(6.7461052e-8), "6.74611e-08");
        QCOMPARE(numberText(1.8446744073709552e19), "1.84467e+19");
    }

    void anEditGreysTimingsAndValuesAndKeepsThem()
    {
        FakeApp<> app;
        run(app);
        auto &timings = app.child<TimingsPanel>("timings");
        auto &values = app.child<ValuesPanel>("values");
        QVERIFY(!timings.isMarkedOutOfDate());
        QVERIFY(!values.isMarkedOutOfDate());
        const QString total = timings.note();
        const std::uint64_t compilation = app.window.session().snapshot()->compilation;
        auto &editor = app.child<ProgramEditor>("programEditor");
        type(editor, "d = neg(c)");
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.window.session().snapshot()->compilation != compilation &&
                                     !app.window.session().isEdited(),
                                 kPatience);
        QVERIFY(timings.isMarkedOutOfDate());
        QVERIFY(values.isMarkedOutOfDate());
        QCOMPARE(timings.note(), total);
        auto &table = app.child<QTableView>("timingsTable");
        QVERIFY(table.model()->rowCount() > 0);
        QCOMPARE(table.model()->index(0, KernelModel::Name).data(Qt::ForegroundRole).value<QColor>(),
                 app.appearance.color(Role::Muted));
        QVERIFY(table.model()->index(0, KernelModel::Time).data().toString().contains("s"));
        QVERIFY(app.child<QTableView>("valuesTable").model()->rowCount() > 0);
        // The stages belong to the new program.
        QVERIFY(!app.child<GraphPanel>("graph").isMarkedOutOfDate());
        run(app);
        QTRY_VERIFY_WITH_TIMEOUT(!timings.isMarkedOutOfDate(), kPatience);
        QVERIFY(!values.isMarkedOutOfDate());
        editor.document()->setModified(false);
    }

    void rowsOfEarlierTimesLeadToTheSameKernels()
    {
        FakeApp<> app;
        app.window.openText("two.sw", "x = input()\na = exp(x)\nb = sum(a)\nc = matmul(b, x)\n");
        run(app);
        auto &editor = app.child<ProgramEditor>("programEditor");
        const std::uint64_t compilation = app.window.session().snapshot()->compilation;
        // The sum is gone: its row leads nowhere, and the row below it leads to the kernel that is now k1.
        editor.setPlainText("x = input()\na = exp(x)\nc = matmul(a, x)\n");
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.window.session().snapshot()->compilation != compilation, kPatience);
        auto &table = app.child<QTableView>("timingsTable");
        QCOMPARE(table.model()->rowCount(), 3);
        emit table.clicked(table.model()->index(1, KernelModel::Name));
        QVERIFY(!app.window.selection().hasSelection());
        emit table.clicked(table.model()->index(2, KernelModel::Name));
        QVERIFY(app.window.selection().selectedItem());
        QCOMPARE(app.window.selection().selectedItem()->label, std::string("k1_matmul"));
        editor.document()->setModified(false);
    }

    void withoutLiveAnEditMarksEveryStage()
    {
        FakeApp<> app;
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        app.window.action("compile.live")->setChecked(false);
        auto &editor = app.child<ProgramEditor>("programEditor");
        type(editor, "d = neg(c)");
        for (const char *panel : {"graph", "kernels", "lowered", "loops", "code", "machine", "memory", "passes", "timings"})
            QVERIFY2(app.child<Panel>(panel).isMarkedOutOfDate(), panel);
        QVERIFY(app.child<QLabel>("stateLabel").text().contains("Edited"));
        app.window.action("compile.now")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && !app.child<Panel>("graph").isMarkedOutOfDate(), kPatience);
        for (const char *panel : {"kernels", "lowered", "loops", "code", "machine", "memory", "passes", "timings"})
            QVERIFY2(!app.child<Panel>(panel).isMarkedOutOfDate(), panel);
        QCOMPARE(app.graph().scene()->boxes.size(), 5U);
        editor.document()->setModified(false);
    }

    void takingTheEditBackTakesTheMarksAway()
    {
        FakeApp<> app;
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        app.window.action("compile.live")->setChecked(false);
        auto &editor = app.child<ProgramEditor>("programEditor");
        type(editor, "d");
        QVERIFY(app.child<Panel>("graph").isMarkedOutOfDate());
        QTest::keyClick(&editor, Qt::Key_Backspace);
        QVERIFY(!app.child<Panel>("graph").isMarkedOutOfDate());
        editor.document()->setModified(false);
    }

    void runCompilesFirst()
    {
        FakeApp<> app;
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        app.window.action("compile.live")->setChecked(false);
        auto &editor = app.child<ProgramEditor>("programEditor");
        type(editor, "d = sum(c)");
        QCOMPARE(app.engine.compilations.load(), 1);
        app.window.action("compile.run")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(app.window.session().snapshot()->measured && app.isReady(), kPatience);
        QCOMPARE(app.engine.compilations.load(), 2);
        QCOMPARE(app.window.session().snapshot()->measured->kernels.size(), 3U);
        QVERIFY(!app.child<Panel>("timings").isMarkedOutOfDate());
        editor.document()->setModified(false);
    }

    void aBrokenEditIsNotRun()
    {
        FakeApp<> app;
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        app.window.action("compile.live")->setChecked(false);
        auto &editor = app.child<ProgramEditor>("programEditor");
        type(editor, "d = sum(?)");
        app.window.action("compile.run")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(editor.errorMarks().size(), 1U, kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        QVERIFY(!app.window.session().snapshot()->measured);
        // After a repair, the program can be run at once, without compiling it by hand.
        QTest::keyClick(&editor, Qt::Key_Backspace);
        QTest::keyClick(&editor, Qt::Key_Backspace);
        QTest::keyClicks(&editor, "c)");
        QVERIFY(app.window.action("compile.run")->isEnabled());
        app.window.action("compile.run")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(app.window.session().snapshot()->measured, kPatience);
        editor.document()->setModified(false);
    }

    void errorMarksMoveWithTheText()
    {
        FakeApp<> app;
        app.window.openText("broken.sw", "x = input()\ny = exp(?)\n");
        auto &editor = app.child<ProgramEditor>("programEditor");
        QTRY_COMPARE_WITH_TIMEOUT(editor.errorMarks().size(), 1U, kPatience);
        app.window.action("compile.live")->setChecked(false);
        editor.moveCursor(QTextCursor::Start);
        QTest::keyClicks(&editor, "# above");
        QTest::keyClick(&editor, Qt::Key_Return);
        QCOMPARE(editor.errorMarks()[0].cursor.selectedText(), "?");
        editor.document()->setModified(false);
    }

    void everyPaneRevealsWhatATableOrAChartLeadsTo_data()
    {
        QTest::addColumn<bool>("isMemory");
        QTest::newRow("a row of Timings") << false;
        QTest::newRow("a bar of Memory") << true;
    }
    void everyPaneRevealsWhatATableOrAChartLeadsTo()
    {
        QFETCH(bool, isMemory);
        FakeApp<> app;
        app.window.resize(1400, 800);
        app.window.openText("deep.sw", QString::fromStdString(fakeProgram(14)));
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.graph().scene() && app.graph().scene()->boxes.size() > 60, kPatience);
        for (GraphCanvas *canvas : app.window.findChildren<GraphCanvas *>())
            canvas->zoomTo(1);
        auto &kernels = app.child<GraphPanel>("kernels").view().canvas();
        auto &table = app.child<QTableView>("timingsTable");
        const int rows = table.model()->rowCount();
        for (const int row : {rows - 2, 1}) {
            const QString name = table.model()->index(row, KernelModel::Name).data().toString();
            if (isMemory) {
                app.window.action("go.memory")->trigger();
                auto &chart = app.child<MemoryChart>("memoryChart");
                QTRY_VERIFY_WITH_TIMEOUT(chart.isVisible() && chart.height() > 50, kPatience);
                const sw::StageDocument &schedule = *app.window.session().snapshot()->stage(StageKind::Schedule).document;
                const auto isFilled = [&](const sw::DocumentEdge &edge) {
                    return schedule.items[edge.from].label == name.toStdString();
                };
                const auto edge = std::ranges::find_if(schedule.edges, isFilled);
                QVERIFY(edge != schedule.edges.end());
                QTest::mouseClick(&chart, Qt::LeftButton, {}, chart.rectOf(edge->to).center().toPoint());
            } else {
                emit table.clicked(table.model()->index(row, KernelModel::Name));
            }
            const Selection &selection = app.window.selection();
            for (const auto &[panel, stage] :
                 {std::pair{"lowered", StageKind::Lowered}, {"code", StageKind::Code}, {"machine", StageKind::Machine}})
                QVERIFY2(showsItsPartner(app.child<TextPanel>(panel).view(), selection.selected(stage)), panel);
            for (GraphCanvas *canvas : {&app.graph(), &kernels}) {
                QVERIFY(!canvas->marks().selected.empty());
                const SceneBox &first = canvas->scene()->boxes[canvas->marks().selected.front()];
                QVERIFY(canvas->rect().contains(canvas->toView(first.rect.center()).toPoint()));
            }
            QVERIFY(std::ranges::any_of(kernels.marks().selected,
                                        [&](BoxIndex box) { return kernels.scene()->boxes[box].label == name; }));
        }
    }

    void nothingIsAskedForWhileItIsCompiled()
    {
        FakeApp<SlowEngine> app;
        QCOMPARE(app.graph().hint(), "Compiling");
        app.engine.go.release();
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        QVERIFY(app.graph().scene());
        app.window.openText("broken.sw", "y = exp(?)\n");
        QCOMPARE(app.graph().hint(), "Compiling");
        app.engine.go.release();
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        QVERIFY2(app.graph().hint().contains("errors"), qPrintable(app.graph().hint()));
    }

    void aKernelThatComputesNothingHasNoRate()
    {
        Appearance appearance("dark");
        KernelModel kernels(appearance);
        auto report = std::make_shared<sw::Report>();
        report->succeeded = true;
        report->kernels.resize(2);
        for (sw::KernelEntry &kernel : report->kernels)
            kernel.nodes = 1;
        report->kernels[0].name = "k0_pad";
        report->kernels[0].bytes = 134'000'000;
        report->kernels[1].name = "k1_pad";
        report->kernels[1].bytes = 1000;
        report->kernels[1].medianNanoseconds = 1000;
        kernels.setSnapshot(makeSnapshot(nullptr, report, 1, true));
        const QString dash = QString::fromUtf8("\u2013");
        QCOMPARE(kernels.index(0, KernelModel::FlopRate).data().toString(), dash);
        QCOMPARE(kernels.index(1, KernelModel::FlopRate).data().toString(), dash);
        QCOMPARE(kernels.index(0, KernelModel::ByteRate).data().toString(), "134 MB");
        QCOMPARE(kernels.index(1, KernelModel::ByteRate).data().toString(), "1.00 GB/s");
    }

    void aKernelOfAnotherBranchDidNotRun()
    {
        Appearance appearance("dark");
        KernelModel kernels(appearance);
        auto report = std::make_shared<sw::Report>();
        report->succeeded = true;
        report->kernels.resize(2);
        kernels.setSnapshot(makeSnapshot(nullptr, report, 1, true));
        const QString dash = QString::fromUtf8("\u2013");
        QCOMPARE(kernels.index(0, KernelModel::Time).data().toString(), dash); // nothing ran so far
        report = std::make_shared<sw::Report>(*report);
        report->totalMedianNanoseconds = 1200;
        kernels.setSnapshot(makeSnapshot(nullptr, report, 1, true));
        QCOMPARE(kernels.index(1, KernelModel::Time).data().toString(), "did not run"); // nor did any other
        report = std::make_shared<sw::Report>(*report);
        report->kernels[1].medianNanoseconds = 1000;
        kernels.setSnapshot(makeSnapshot(nullptr, report, 1, true));
        QCOMPARE(kernels.index(0, KernelModel::Time).data().toString(), "did not run");
        QCOMPARE(kernels.index(0, KernelModel::Spread).data().toString(), dash);
    }

    void theBoxSaysWhatIsShown()
    {
        FakeApp<> app;
        run(app);
        auto &values = app.child<ValuesPanel>("values");
        values.show();
        auto &box = app.child<QComboBox>("outputsBox");
        QCOMPARE(box.currentText(), "output output: f32[16, 8]");
        app.window.selection().select(StageKind::Graph, {1});
        QTRY_COMPARE_WITH_TIMEOUT(box.currentText(), "node exp (%1): f32[16, 8]", kPatience);
        QVERIFY(app.child<QLabel>("statistics").text().contains("exp"));
        emit box.activated(0);
        QCOMPARE(box.currentText(), "output output: f32[16, 8]");
        QVERIFY(app.child<QLabel>("statistics").text().contains("output"));
    }
};

QTEST_MAIN(TestResults)
#include "tst_results.moc"
