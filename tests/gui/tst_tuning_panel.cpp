// The panel that tunes, on the real engine with kernels in processes of their own: candidates as they come, Stop, keys and
// clicks, one that is tried, kept and forgotten. No times are tested.

#include "tests/gui/what_if_app.h"
#include "ui/panels/timings_panel.h"
#include "ui/panels/tuning_panel.h"

#include <QComboBox>
#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QSpinBox>
#include <QTableView>

using namespace stepwell::ui;

namespace {

constexpr const char *kProgram = "input x: f32[96, 80]\ninput w: f32[80, 64]\noutput y = x @ w\noutput z = sum(x)\n";

struct App : EngineApp {
    // figures: where tunings are kept; empty: nowhere.
    explicit App(const QString &figures) : EngineApp(nullptr, STEPWELL_HOST_PROGRAM, {}, figures)
    {
        window.openText("test.sw", QString::fromLatin1(kProgram));
    }
    [[nodiscard]] TuningPanel &panel() { return child<TuningPanel>("tuning"); }
    [[nodiscard]] TuningPlot &plot() { return child<TuningPlot>("tuningPlot"); }
    [[nodiscard]] QTableView &table() { return child<QTableView>("tuningTable"); }
    [[nodiscard]] QComboBox &kernel() { return child<QComboBox>("tuningKernel"); }
    [[nodiscard]] QPushButton &button() { return child<QPushButton>("tuningRun"); }
    [[nodiscard]] int rows() { return table().model()->rowCount(); }
    [[nodiscard]] const sw::KernelTuning &found() { return panel().model().tuning(); }
    [[nodiscard]] QString cell(int row, TuningModel::Column column)
    {
        return table().model()->index(row, column).data().toString();
    }
    [[nodiscard]] QString kept() { return child<QLabel>("tuningKept").text(); }
    [[nodiscard]] bool isTuned() { return rowWith(text("loops"), QStringLiteral("# tuned: ")) >= 0; }
    void open()
    {
        QTRY_VERIFY_WITH_TIMEOUT(isReady(), kPatience);
        window.action(QStringLiteral("go.tuning"))->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(button().isEnabled(), kPatience);
    }
    void press(const char *name)
    {
        auto &pressed = child<QPushButton>(name);
        QVERIFY2(pressed.isEnabled(), name);
        QTest::mouseClick(&pressed, Qt::LeftButton);
    }
    // Chooses what keys lead to: the first item that begins so.
    static void key(QComboBox &box, const QString &text)
    {
        box.setFocus();
        QTest::keyClick(&box, Qt::Key_Home); // digits are keys of the window
        for (int row = 0; row < box.count() && !box.currentText().startsWith(text); ++row)
            QTest::keyClick(&box, Qt::Key_Down);
        QVERIFY2(box.currentText().startsWith(text), qPrintable(text));
    }
    void type(QSpinBox &box, const QString &text)
    {
        box.setFocus();
        box.selectAll();
        QTest::keyClicks(&box, text);
        QTest::keyClick(&box, Qt::Key_Return);
    }
    // Searches so many candidates of the chosen kernel.
    void tune(const QString &candidates)
    {
        key(child<QComboBox>("tuningUnit"), QStringLiteral("cand"));
        type(child<QSpinBox>("tuningAmount"), candidates);
        press("tuningRun");
        QCOMPARE(button().text(), QStringLiteral("Stop"));
        QTRY_VERIFY_WITH_TIMEOUT(panel().isSettled(), kPatience);
        QCOMPARE(button().text(), QStringLiteral("Start"));
    }
    // Another candidate than the model's choice that has a time, chosen by a click into its row.
    std::size_t clickAnother()
    {
        const auto &all = found().search.candidates;
        const auto other = std::find_if(all.begin() + 1, all.end(), [](const sw::Candidate &one) { return one.time > 0; });
        if (other == all.end())
            qFatal("no candidate has a time");
        const auto number = static_cast<std::size_t>(other - all.begin());
        const QModelIndex index = table().model()->index(static_cast<int>(number), TuningModel::Number);
        table().scrollTo(index);
        QTest::mouseClick(table().viewport(), Qt::LeftButton, {}, table().visualRect(index).center());
        return number;
    }
    void waitForCompilation(std::uint64_t before)
    {
        QTRY_VERIFY_WITH_TIMEOUT(isReady() && snapshot().compilation > before, kPatience);
    }
};

} // namespace

class TestTuningPanel : public QObject {
    Q_OBJECT

private slots:
    void candidatesComeUntilStop()
    {
        App app{{}};
        app.open();
        QCOMPARE(app.kernel().count(), 3); // and all
        const QString name = QString::fromStdString(app.snapshot().report->kernels[0].name);
        App::key(app.kernel(), name);
        app.type(app.child<QSpinBox>("tuningAmount"), QStringLiteral("600"));
        app.press("tuningRun");
        QTRY_VERIFY_WITH_TIMEOUT(app.rows() >= 3, kPatience);
        QVERIFY(app.child<QWidget>("tuningProgress").isVisible());
        // The window answers while the search goes on.
        bool isAnswered = false;
        app.window.session().ask(
            RequestTag::Find, &app.window, [](EngineService &engine, const std::stop_token &) { return engine.valuePath(0); },
            [&](const std::string &) { isAnswered = true; });
        QTRY_VERIFY_WITH_TIMEOUT(isAnswered, kPatience);
        QVERIFY(!app.panel().isSettled());
        QTRY_VERIFY_WITH_TIMEOUT(app.rows() >= 12, kPatience);
        app.press("tuningRun");
        QVERIFY(app.panel().isSettled());
        QCOMPARE(app.button().text(), QStringLiteral("Start"));
        const int rows = app.rows();
        QVERIFY(app.found().problem.empty());
        QCOMPARE(app.cell(0, TuningModel::Source), QStringLiteral("model"));
        QCOMPARE(app.cell(0, TuningModel::Relative), QStringLiteral("1.00 \u00d7"));
        QCOMPARE(app.cell(0, TuningModel::Values), QStringLiteral("equal"));
        QCOMPARE(app.cell(0, TuningModel::Changes), QStringLiteral("the model's choice"));
        QVERIFY(!app.cell(0, TuningModel::Predicted).isEmpty());
        // Places are those of the times.
        std::vector<double> times(static_cast<std::size_t>(rows) + 1);
        int timed = 0;
        for (int row = 0; row < rows; ++row)
            if (const int place = app.cell(row, TuningModel::Place).toInt(); place > 0) {
                times[static_cast<std::size_t>(place)] = app.found().search.candidates[static_cast<std::size_t>(row)].time;
                ++timed;
            }
        QVERIFY(timed >= 2);
        QVERIFY(std::is_sorted(times.begin() + 2, times.begin() + 1 + timed)); // behind the best
        QCOMPARE(app.cell(static_cast<int>(app.found().search.best), TuningModel::Place), QStringLiteral("1"));
        // The rest of what the stopped search did is not shown, and another one can begin.
        QTRY_VERIFY_WITH_TIMEOUT(!app.window.session().isAsking(RequestTag::Tuned), kPatience);
        QCOMPARE(app.rows(), rows);
        if (const QByteArray folder = qgetenv("STEPWELL_PICTURES"); !folder.isEmpty()) {
            app.window.resize(1366, 768);
            for (const char *theme : {"light", "dark"}) {
                app.appearance.setTheme(QLatin1String(theme));
                app.window.grab().save(QString::fromUtf8(folder) + QStringLiteral("/tuning_%1.png").arg(QLatin1String(theme)));
                App::key(app.child<QComboBox>("tuningAxis"), QStringLiteral("over the p"));
            }
        }
    }

    void aCandidateIsLookedAtAndTried()
    {
        App app{{}};
        app.open();
        App::key(app.kernel(), QString::fromStdString(app.snapshot().report->kernels[0].name));
        app.tune(QStringLiteral("12"));
        QCOMPARE(app.rows(), 13);
        // A click into the plot chooses the candidate in the table; keys go on to the next one that has a time.
        const auto first = app.plot().pointOf(0);
        QVERIFY(first.has_value());
        QTest::mouseClick(&app.plot(), Qt::LeftButton, {}, first->toPoint());
        QCOMPARE(app.table().currentIndex().row(), static_cast<int>(*app.plot().candidateAt(*first)));
        app.plot().setFocus();
        QTest::keyClick(&app.plot(), Qt::Key_Right);
        QVERIFY(app.found().search.candidates[*app.panel().candidate()].time > 0);
        // The other axis has the same candidates.
        App::key(app.child<QComboBox>("tuningAxis"), QStringLiteral("over the p"));
        QVERIFY(app.plot().pointOf(0).has_value());
        QVERIFY(app.plot().toolTipOf(0).startsWith(QStringLiteral("Candidate 0, model: ")));
        // Its list stands against that of the model's choice.
        const std::size_t chosen = app.clickAnother();
        QCOMPARE(*app.panel().candidate(), chosen);
        auto &list = app.child<QListWidget>("tuningList");
        const auto linesOf = [&](QChar sign) {
            QStringList lines;
            for (int row = 0; row < list.count(); ++row)
                if (const QString line = list.item(row)->text(); line[0] == sign || line[0] == u' ')
                    lines << line.mid(2);
            return lines;
        };
        const auto textsOf = [](const sw::TransformList &of) {
            QStringList lines;
            for (const sw::Transform &one : of)
                lines << QString::fromStdString(toText(one));
            return lines;
        };
        QCOMPARE(linesOf(u'+'), textsOf(app.found().search.candidates[chosen].transforms));
        QCOMPARE(linesOf(u'\u2212'), textsOf(app.found().search.candidates[0].transforms));
        // It becomes an override, and the program compiles with it.
        const std::string wanted = overrideOf(app.found(), chosen);
        const std::uint64_t before = app.snapshot().compilation;
        app.press("tuningTry");
        app.waitForCompilation(before);
        QVERIFY(app.window.session().request().overrides.find(wanted) != std::string::npos);
        QCOMPARE(app.snapshot().report->overrides.size(), std::size_t{1});
        QCOMPARE(app.rows(), 13);
        // By hand they are, so the search has nothing to say.
        app.press("tuningRun");
        QTRY_VERIFY_WITH_TIMEOUT(app.child<QLabel>("tuningSummary").text().contains(QStringLiteral("gives its loops")),
                                 kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(app.panel().isSettled(), kPatience);
    }

    void whatIsKeptIsUsedUntilItIsForgotten()
    {
        const QTemporaryDir figures;
        App app(figures.path());
        app.open();
        App::key(app.kernel(), QString::fromStdString(app.snapshot().report->kernels[0].name));
        app.tune(QStringLiteral("12"));
        QVERIFY(!app.isTuned() && app.kept().isEmpty());
        QVERIFY(!app.child<QPushButton>("tuningForget").isEnabled());
        const std::size_t chosen = app.clickAnother();
        const sw::TransformList list = app.found().search.candidates[chosen].transforms;
        std::uint64_t before = app.snapshot().compilation;
        app.press("tuningKeep");
        app.waitForCompilation(before);
        QVERIFY(app.isTuned());
        for (const sw::Transform &one : list)
            QVERIFY(EngineApp::rowWith(app.text("loops"), QString::fromStdString(toText(one)) + QStringLiteral("  # tuned: ")) >=
                    0);
        QTRY_VERIFY_WITH_TIMEOUT(app.kept().contains(QStringLiteral(" has the list that is kept (tuned: ")), kPatience);
        QVERIFY(!app.panel().isMarkedOutOfDate()); // what was found holds for the kernel as it is now
        // The model's choice stands beside it.
        app.window.action("compare.noTunings")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.window.baseline().current() && app.window.baseline().current()->report,
                                 kPatience);
        const sw::ReportPtr model = app.window.baseline().current()->report;
        const auto isTunedIn = [](const sw::Report &report) {
            return std::ranges::any_of(report.loops->lines, [](const sw::DocumentLine &line) {
                return line.text.find("# tuned: ") != std::string::npos;
            });
        };
        QVERIFY(!isTunedIn(*model) && isTunedIn(*app.snapshot().report));
        app.window.action("compare.none")->trigger();
        // The switch leaves it out.
        before = app.snapshot().compilation;
        app.window.action("compile.tunings")->setChecked(false);
        app.waitForCompilation(before);
        QVERIFY(!app.isTuned());
        QTRY_VERIFY_WITH_TIMEOUT(app.kept().contains(QStringLiteral("but tunings are off")), kPatience);
        before = app.snapshot().compilation;
        app.window.action("compile.tunings")->setChecked(true);
        app.waitForCompilation(before);
        QVERIFY(app.isTuned());
        // Another window uses it as well, also for a kernel that has other names.
        {
            App other(figures.path());
            QTRY_VERIFY_WITH_TIMEOUT(other.isReady(), kPatience);
            QVERIFY(other.isTuned());
        }
        QTRY_VERIFY_WITH_TIMEOUT(app.child<QPushButton>("tuningForget").isEnabled(), kPatience);
        before = app.snapshot().compilation;
        app.press("tuningForget");
        app.waitForCompilation(before);
        QVERIFY(!app.isTuned());
        QTRY_VERIFY_WITH_TIMEOUT(app.kept().isEmpty() && !app.window.session().isAsking(RequestTag::Tuned), kPatience);
        QVERIFY(!app.child<QPushButton>("tuningForget").isEnabled());
    }

    void whatCannotBeKeptIsSaid()
    {
        App app{{}};
        app.open();
        App::key(app.kernel(), QString::fromStdString(app.snapshot().report->kernels[0].name));
        app.tune(QStringLiteral("12"));
        app.clickAnother();
        app.press("tuningKeep");
        QTRY_VERIFY_WITH_TIMEOUT(app.child<QLabel>("tuningSummary").text().contains(QStringLiteral("no folder")), kPatience);
    }

    void allKernelsAreTunedByTheirShare()
    {
        App app{{}};
        app.open();
        App::key(app.kernel(), QStringLiteral("all"));
        app.tune(QStringLiteral("3"));
        auto &kernels = app.child<QListWidget>("tuningKernels");
        if (kernels.count() < 2) // one of them takes less than 3 % of the time on this machine
            return;
        QVERIFY(kernels.isVisible());
        for (int row = 0; row < 2; ++row) {
            QTest::mouseClick(kernels.viewport(), Qt::LeftButton, {}, kernels.visualItemRect(kernels.item(row)).center());
            QVERIFY(kernels.item(row)->text().startsWith(QString::fromStdString(app.found().kernel)));
            QCOMPARE(app.rows(), static_cast<int>(app.found().search.candidates.size()));
        }
    }

    void theKernelOfTheSelectionIsTuned()
    {
        App app{{}};
        app.open();
        const auto &kernels = app.snapshot().report->kernels;
        QCOMPARE(kernels.size(), std::size_t{2});
        QCOMPARE(app.kernel().currentText(), QStringLiteral("all kernels"));
        EngineApp::click(app.kernels(), QString::fromStdString(kernels[1].name));
        QTRY_COMPARE(app.kernel().currentText(), QString::fromStdString(kernels[1].name));
        EngineApp::click(app.kernels(), QString::fromStdString(kernels[0].name));
        QTRY_COMPARE(app.kernel().currentText(), QString::fromStdString(kernels[0].name));
        // All kernels stay chosen when something else is selected.
        App::key(app.kernel(), QStringLiteral("all"));
        QTest::keyClick(&app.kernel(), Qt::Key_Home);
        emit app.kernel().activated(0);
        EngineApp::click(app.kernels(), QString::fromStdString(kernels[1].name));
        QCOMPARE(app.kernel().currentText(), QStringLiteral("all kernels"));
        // The menu of the program's selected kernel leads here.
        app.window.action(QStringLiteral("go.timings"))->trigger();
        app.window.action("compile.tune")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(app.panel().isVisible(), kPatience);
        QCOMPARE(app.kernel().currentText(), QString::fromStdString(kernels[1].name));
    }
};

QTEST_MAIN(TestTuningPanel)
#include "tst_tuning_panel.moc"
