// A baseline and the program are run in turn, on the real engine: times, values and the roofline beside each other.

#include "tests/gui/values_app.h"
#include "ui/models/difference_model.h"
#include "ui/panels/roofline_plot.h"
#include "ui/panels/values_difference.h"

#include <QPushButton>
#include <QTableWidget>

#include <fstream>

using namespace stepwell::ui;

namespace {

constexpr const char *kMlp = "input x: f32[64, 32]\nparam w: f32[32, 64] = random(1)\nparam v: f32[64, 16] = random(2)\n"
                             "h = relu(x @ w)\noutput y = exp((h @ v) * 0.01) * 2.0\n";

struct App : ValuesApp {
    explicit App(const char *program = kMlp) : ValuesApp(program) { wait(); }
    [[nodiscard]] Baseline &baseline() { return window.baseline(); }
    void trigger(const char *id) { window.action(QLatin1String(id))->trigger(); }
    void compareWith(const char *id)
    {
        trigger(id);
        wait();
        QVERIFY(baseline().before());
    }
    void compareWithFile(const std::string &program)
    {
        const QString path = folder.filePath(QStringLiteral("other.sw"));
        std::ofstream(path.toStdString()) << program;
        CompileVariant variant;
        variant.file = path;
        baseline().compareWith(variant);
        wait();
        QVERIFY(baseline().before());
    }
    void runBoth()
    {
        auto &button = child<QToolButton>("compareRunBoth");
        QVERIFY(button.isVisible() && button.isEnabled());
        QTest::mouseClick(&button, Qt::LeftButton);
        QVERIFY(window.session().isRunningBoth());
        QTRY_VERIFY_WITH_TIMEOUT(window.session().activity() == Activity::Idle && isReady(), kPatience);
    }
    [[nodiscard]] QString told() { return child<QLabel>("compareTold").text(); }
    [[nodiscard]] QString note(const char *panel) { return window.findChild<Panel *>(QLatin1String(panel))->note(); }
    [[nodiscard]] const sw::Report &before() { return *baseline().before()->report; }
    void edit(const QString &text)
    {
        editor().setPlainText(text);
        QTRY_VERIFY_WITH_TIMEOUT(window.session().isCompiledText(text) && isReady(), kPatience);
        editor().document()->setModified(false);
    }
};

} // namespace

class RunBothTest : public QObject {
    Q_OBJECT

private slots:
    void timesOfBothStandBesideEachOther()
    {
        App app;
        QVERIFY(!app.window.action(QLatin1String("compare.runBoth"))->isEnabled());
        app.compareWith("compare.noOptimize"); // with kernels of the same names
        app.go("timings");
        QVERIFY2(app.note("timings").contains("Run both"), qPrintable(app.note("timings")));
        app.runBoth();
        QVERIFY(app.before().totalMedianNanoseconds && app.snapshot().report->totalMedianNanoseconds);
        QVERIFY(app.baseline().isMeasuredInTurn());
        QVERIFY2(app.note("timings").contains("in turn"), qPrintable(app.note("timings")));
        // The words of the measurement stand in the bar.
        QVERIFY(!app.told().isEmpty());
        QCOMPARE(app.told(), app.baseline().times().difference);
        const QAbstractItemModel &rows = *app.child<QTableView>("timingsDifference").model();
        int pairs = 0;
        for (int row = 0; row < rows.rowCount(); ++row) {
            const auto text = [&](int part) { return rows.index(row, DifferenceModel::FirstQuantity + part).data().toString(); };
            const bool isPair = text(DifferenceModel::Before).contains('s') && text(DifferenceModel::Now).contains('s');
            pairs += isPair ? 1 : 0;
            QCOMPARE(!text(DifferenceModel::Change).isEmpty(), isPair);
        }
        QVERIFY(pairs > 0);
        // The program alone has other times then, which were not measured in turn.
        app.run();
        QTRY_VERIFY_WITH_TIMEOUT(!app.baseline().isMeasuredInTurn(), kPatience);
        QVERIFY(app.before().totalMedianNanoseconds);
        QVERIFY2(app.note("timings").contains("not measured in turn"), qPrintable(app.note("timings")));
        QVERIFY(app.told().isEmpty());
    }

    void anEarlierCompilationKeepsItsTimes()
    {
        App app;
        app.run();
        const auto first = app.snapshot().report->totalMedianNanoseconds;
        app.edit(QString::fromUtf8(kMlp).replace("2.0", "3.0"));
        app.run();
        app.compareWith("compare.previous");
        QCOMPARE(app.before().totalMedianNanoseconds, first);
        // Until it is run anew; then those are kept.
        app.runBoth();
        QVERIFY(app.baseline().isMeasuredInTurn());
        const std::uint64_t id = app.baseline().current()->id;
        const auto again = app.before().totalMedianNanoseconds;
        app.trigger("compare.none");
        app.baseline().choose(id);
        app.wait();
        QCOMPARE(app.before().totalMedianNanoseconds, again);
        // The documents are as they were.
        QCOMPARE(app.baseline().differences().state(sw::StageKind::Program), DifferenceState::Different);
    }

    void aPinnedMomentIsRunAsItsCompilation()
    {
        App app;
        app.window.moment().goTo({2});
        app.wait();
        app.trigger("compare.pin");
        app.window.moment().goToEnd();
        app.wait();
        app.runBoth();
        QVERIFY(app.baseline().before()->moment);
        QVERIFY(app.before().totalMedianNanoseconds);
        QCOMPARE(app.before().kernels.size(), app.snapshot().report->kernels.size());
    }

    void valuesOfBothStandBesideEachOther()
    {
        App app;
        app.compareWithFile(QString::fromUtf8(kMlp).replace("2.0", "2.5").toStdString());
        app.runBoth();
        app.go("values");
        auto &difference = app.child<ValuesDifference>("valuesDifference");
        // The output of both runs, with how far they are apart.
        QTRY_VERIFY_WITH_TIMEOUT(difference.isVisible() && difference.difference() && app.isReady(), kPatience);
        QVERIFY(difference.difference()->different > 0);
        QCOMPARE(app.child<QTableWidget>("differenceWorst").horizontalHeaderItem(1)->text(), QString("Before"));
        const auto elementOf = [&](const sw::Report &report) { return report.outputs.front()->number(0); };
        const double now = elementOf(*app.snapshot().report);
        QVERIFY(std::abs(elementOf(app.before()) - now * 1.25) <= std::abs(now) * 1e-5);
        // The baseline alone, and the program alone.
        app.trigger("compare.before");
        app.wait();
        QVERIFY(!difference.isVisible());
        const QString old = app.cell(0, 0);
        app.trigger("compare.now");
        app.wait();
        QVERIFY(!difference.isVisible());
        QVERIFY(app.cell(0, 0) != old);
        // A node that both have, and that is the same in both.
        EngineApp::click(app.graph(), QStringLiteral("exp"));
        app.wait();
        app.trigger("compare.difference");
        QTRY_VERIFY_WITH_TIMEOUT(difference.isVisible() && difference.difference() && difference.difference()->isEqual(),
                                 kPatience);
        app.wait();
    }

    void arrowsLeadFromTheBaseline()
    {
        App app;
        app.compareWith("compare.noOptimize");
        app.go("roofline");
        app.run();
        QTest::mouseClick(&app.child<QPushButton>("rooflineMeasure"), Qt::LeftButton);
        auto &plot = app.child<RooflinePlot>("rooflinePlot");
        QTRY_VERIFY_WITH_TIMEOUT(plot.isVisible() && plot.hasDots(), kPatience);
        QCOMPARE(plot.arrowCount(), std::size_t{0}); // it was not run
        app.runBoth();
        QTRY_VERIFY_WITH_TIMEOUT(plot.arrowCount() > 0, kPatience);
        app.trigger("compare.none");
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
    }

    void aBaselineThatCannotRunIsToldAndTheProgramRuns()
    {
        App app("input x: f32[1, 8]\noutput y = x + 1.0\n");
        app.run();
        app.go("values");
        app.choose("outputsBox", "input x");
        app.wait();
        app.typeCell(0, 3, "7"); // which the baseline does not have
        app.wait();
        app.compareWithFile("input x: f32[1, 2]\noutput y = x + 1.0\n");
        app.runBoth();
        QVERIFY(!app.baseline().times().error.isEmpty());
        QVERIFY2(app.told().contains("did not run"), qPrintable(app.told()));
        QVERIFY(app.snapshot().report->succeeded && app.snapshot().report->totalMedianNanoseconds);
        QVERIFY(!app.baseline().isMeasuredInTurn());
    }

    void itCanBeStopped()
    {
        App app;
        app.compareWith("compare.noFuse");
        app.trigger("compare.runBoth");
        QVERIFY(app.window.session().isRunningBoth());
        app.trigger("compile.stop");
        QTRY_VERIFY_WITH_TIMEOUT(app.window.session().activity() == Activity::Idle && app.isReady(), kPatience);
        QVERIFY(!app.before().totalMedianNanoseconds && !app.baseline().isMeasuredInTurn());
        // So does an edit; then it can be run again.
        app.trigger("compare.runBoth");
        app.edit(QString::fromUtf8(kMlp).replace("2.0", "4.0"));
        QVERIFY(!app.baseline().isMeasuredInTurn());
        app.runBoth();
        QVERIFY(app.baseline().isMeasuredInTurn());
    }
};

QTEST_MAIN(RunBothTest)
#include "tst_run_both.moc"
