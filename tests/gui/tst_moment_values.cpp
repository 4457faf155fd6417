// Values of what is chosen, at the moment and in the stage that the window shows: on the real engine, with keys and the pointer.

#include "tests/gui/values_app.h"
#include "ui/timeline_track.h"

#include <QSpinBox>

using namespace stepwell::ui;

namespace {

using App = ValuesApp;
constexpr const char *kProgram = "input x: f32[8, 16]\nh = exp(x * 1.0)\noutput y = sum(h + 2.0, axis = 1)\n";

struct MomentApp : App {
    MomentApp() : App(kProgram)
    {
        wait();
        go("values");
    }
    void press(int key)
    {
        QTest::keyClick(&child<TimelineTrack>("timelineTrack"), static_cast<Qt::Key>(key));
        wait();
    }
    void goTo(const QString &moment)
    {
        QCOMPARE(window.moment().goToNamed(moment), QString());
        wait();
    }
    [[nodiscard]] QString note() { return window.findChild<Panel *>("values")->note(); }
    // The first element of each row; empty: no values are shown.
    [[nodiscard]] QStringList firstOfRows()
    {
        QStringList texts;
        for (int row = 0; row < cells().rowCount(); ++row)
            texts << cell(row, 0);
        return texts;
    }
    [[nodiscard]] QString hint()
    {
        for (const QLabel *label : window.findChild<QWidget *>("values")->findChildren<QLabel *>("emptyHint"))
            if (label->isVisible())
                return label->text();
        return {};
    }
    [[nodiscard]] bool isFromEnd()
    {
        return window.findChild<Panel *>("values")->tools()->findChild<QLabel *>("paneEndBadge")->isVisible();
    }
    void clickLine(const char *pane, const QString &text)
    {
        window.action(QStringLiteral("go.") + QLatin1String(pane))->trigger();
        auto &view = this->text(pane);
        const int row = rowWith(view, text);
        QVERIFY2(row >= 0, qPrintable(text));
        view.scrollToRow(row);
        QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, view.rowRect(row).center());
        go("values");
        wait();
    }
};

} // namespace

class TestMomentValues : public QObject {
    Q_OBJECT

private slots:
    void aRewriteIsSeenToChangeNoValue()
    {
        MomentApp app;
        App::click(app.graph(), "exp");
        app.wait();
        QVERIFY(app.note().startsWith("exp (%"));
        const QStringList wanted = app.firstOfRows();
        QCOMPARE(wanted.size(), 8);
        // The node stands in every graph from the program's on, with the same value.
        app.press(Qt::Key_Home);
        QVERIFY2(app.note().startsWith("exp after "), qPrintable(app.note()));
        QCOMPARE(app.firstOfRows(), wanted);
        QVERIFY(!app.isFromEnd());
        int moments = 0;
        for (; !app.window.moment().isAtEnd() && moments < 40; ++moments) {
            if (app.window.selection().selectedItem() && app.hint().isEmpty())
                QCOMPARE(app.firstOfRows(), wanted);
            app.press(Qt::Key_Right);
        }
        QVERIFY(moments > 3);
        app.press(Qt::Key_End);
        QVERIFY(app.note().startsWith("exp (%"));
        QCOMPARE(app.firstOfRows(), wanted);
    }

    void whatARewriteTakesAwayStillHasItsValue()
    {
        MomentApp app;
        app.choose("outputsBox", "input x");
        app.wait();
        const QStringList x = app.firstOfRows();
        QCOMPARE(x.size(), 8);
        app.goTo("simplify:0");
        QVERIFY(app.isFromEnd()); // the input is that of the end
        App::click(app.graph(), "mul");
        app.wait();
        QVERIFY2(app.note().startsWith("mul after simplify:0"), qPrintable(app.note()));
        QCOMPARE(app.firstOfRows(), x);
        QVERIFY(!app.isFromEnd());
        // The device runs the program of the end, which has no such node.
        app.choose("valuesBy", "Device");
        app.wait();
        QVERIFY2(app.hint().contains("a device runs the program of the end"), qPrintable(app.hint()));
        app.choose("valuesBy", "Reference");
        app.wait();
        // It is gone, and still there to be looked at.
        while (app.window.moment().pass() && app.window.moment().pass()->id == "simplify" &&
               !(app.window.moment().rewrite() && app.window.moment().rewrite()->rule == "drop-neutral"))
            app.press(Qt::Key_Right);
        QVERIFY(app.window.moment().rewrite());
        App::click(app.graph(), "mul");
        app.wait();
        QVERIFY2(app.note().startsWith("mul after simplify:"), qPrintable(app.note()));
        QCOMPARE(app.firstOfRows(), x);
        // Two moments on, nothing stands for it.
        app.press(Qt::Key_End);
        QVERIFY2(app.note().startsWith("mul") == false, qPrintable(app.note()));
    }

    void aStepOfAScanIsChosen()
    {
        App app("input x: f32[6, 8]\nstate = scan_carry(zeros([8]), 0, 6, 0)\nh = exp(state * 0.1 + scan_slice(x, 0, 6))\n"
                "output y = scan_last([h], 0, 6, 0)\noutput r = scan_rows([h], h, 0, 6)\n");
        app.run();
        app.go("values");
        app.choose("outputsBox", "output r");
        app.wait();
        QStringList rows;
        for (int row = 0; row < 6; ++row)
            rows << app.cell(row, 0);
        auto &step = app.child<QSpinBox>("valuesStep");
        QVERIFY(!step.isVisible());
        App::click(app.graph(), "exp");
        app.wait();
        QVERIFY(step.isVisible());
        QCOMPARE(step.text(), QStringLiteral("step 5 of 0 to 5"));
        QCOMPARE(app.cell(0, 0), rows[5]);
        step.setFocus();
        QTest::keyClick(&step, Qt::Key_Down);
        app.wait();
        QCOMPARE(app.cell(0, 0), rows[4]);
        step.selectAll();
        QTest::keyClicks(&step, "2");
        QTest::keyClick(&step, Qt::Key_Return);
        app.wait();
        QCOMPARE(app.cell(0, 0), rows[2]);
        // The step stays: for who computes it, for another value of the body, and beyond one without steps.
        app.choose("valuesBy", "Device");
        app.wait();
        QCOMPARE(app.cell(0, 0), rows[2]);
        app.choose("valuesBy", "Difference");
        app.wait();
        QCOMPARE(app.cell(0, 0), rows[2]);
        app.choose("valuesBy", "Reference");
        app.wait();
        app.choose("outputsBox", "output y");
        app.wait();
        QVERIFY(!step.isVisible());
        App::click(app.graph(), "exp");
        app.wait();
        QCOMPARE(step.value(), 2);
        QCOMPARE(app.cell(0, 0), rows[2]);
    }

    void buffersOfKernelsShowTheirTensors()
    {
        MomentApp app;
        app.choose("outputsBox", "input x");
        app.wait();
        const QStringList x = app.firstOfRows();
        app.clickLine("lowered", "load");
        QVERIFY2(app.note().contains("load"), qPrintable(app.note()));
        QCOMPARE(app.firstOfRows(), x);
        app.choose("valuesBy", "Device");
        app.wait();
        QCOMPARE(app.firstOfRows(), x);
        // A register has no value of its own, and the panel says where to see it.
        app.clickLine("lowered", " add");
        QVERIFY2(app.hint().contains("register") && app.hint().contains("step through"), qPrintable(app.hint()));
        // The loops while they are made.
        app.choose("valuesBy", "Reference");
        const auto &passes = app.window.moment().passes();
        const auto loops = std::ranges::find_if(
            passes, [](const sw::PassEntry &pass) { return pass.output == sw::StageKind::Loops && pass.rewrites > 0; });
        QVERIFY(loops != passes.end());
        app.goTo(QString::fromStdString(loops->id));
        app.clickLine("loops", "load");
        QVERIFY2(app.note().endsWith(QStringLiteral(" after ") + QString::fromStdString(loops->id)), qPrintable(app.note()));
        QCOMPARE(app.firstOfRows(), x);
    }
};

QTEST_MAIN(TestMomentValues)
#include "tst_moment_values.moc"
