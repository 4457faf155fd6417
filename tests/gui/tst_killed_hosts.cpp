// The processes that compile and run are killed at random moments, while a kernel is edited, run and compared: the window lives,
// the session is intact, and the next run works.

#include "tests/gui/what_if_app.h"
#include "tests/support/child_processes.h"
#include "ui/panels/code_editor.h"
#include "ui/panels/matrix_panel.h"

#include <QCheckBox>
#include <QPushButton>
#include <QToolButton>

#include <algorithm>
#include <array>
#include <csignal>
#include <random>

using namespace stepwell::ui;

namespace {

constexpr const char *kProgram = "input x: f32[64]\noutput z = x - 2.5\n";

// What is done when the hosts are killed.
enum class Work : unsigned char { Keep, Edit, Run, RunBoth, Baseline, Matrix };
constexpr int kWorks = static_cast<int>(Work::Matrix) + 1;

struct App : WhatIfApp {
    App() : WhatIfApp(QString::fromLatin1(kProgram)) {}

    [[nodiscard]] CodeEditor &codeEditor() { return *child<TextPanel>("code").codeEditor(); }
    [[nodiscard]] MatrixPanel &matrix() { return child<MatrixPanel>("matrix"); }
    [[nodiscard]] bool isEditing() { return isReady() && codeEditor().isReady(); }
    bool open()
    {
        if (!QTest::qWaitFor([&] { return isReady() && hasDevice(QStringLiteral("c")); }, kPatience))
            return false;
        choose(QStringLiteral("c"));
        if (!QTest::qWaitFor([&] { return isReady() && snapshot().report->device == "c"; }, kPatience))
            return false;
        show("matrix");
        const QStringList ids{QStringLiteral("llvm"), QStringLiteral("c")};
        for (QCheckBox *box : matrix().findChildren<QCheckBox *>())
            if (box->objectName().startsWith("matrixDevice-") && box->isEnabled() &&
                box->isChecked() != ids.contains(box->text()))
                QTest::mouseClick(box, Qt::LeftButton, {}, QPoint(8, box->height() / 2));
        show("code");
        QTest::mouseClick(child<TextPanel>("code").tools()->findChild<QToolButton *>("editKernel"), Qt::LeftButton);
        return QTest::qWaitFor([&] { return isEditing() && !codeEditor().text().toPlainText().isEmpty(); }, kPatience);
    }
    void trigger(const char *id) { window.action(QLatin1String(id))->trigger(); }
    [[nodiscard]] bool isIdle() { return window.session().activity() == Activity::Idle; }
    // Both the program and the baseline have times that were measured in turn.
    bool runsBoth()
    {
        if (!QTest::qWaitFor([&] { return isReady() && window.baseline().canRunBoth(); }, kPatience))
            return false;
        trigger("compare.runBoth");
        return QTest::qWaitFor([&] { return isIdle() && isReady(); }, kPatience) && window.baseline().isMeasuredInTurn();
    }
    bool runsMatrix()
    {
        show("matrix");
        auto &run = child<QPushButton>("matrixRun");
        if (!QTest::qWaitFor([&] { return isReady() && run.text() == QLatin1String("Run"); }, kPatience))
            return false;
        QTest::mouseClick(&run, Qt::LeftButton);
        const auto &columns = matrix().model().matrix().columns;
        return QTest::qWaitFor([&] { return matrix().isSettled() && !columns.empty(); }, kPatience) &&
               std::ranges::all_of(columns, [](const auto &column) { return column.state == sw::ColumnState::Done; });
    }
};

} // namespace

class KilledHostsTest : public QObject {
    Q_OBJECT

private slots:
    // STEPWELL_KILLS says how often.
    void hostsThatAreKilledCostNothing()
    {
        const QByteArray asked = qgetenv("STEPWELL_KILLS");
        const int kills = asked.isEmpty() ? 200 : std::clamp(asked.toInt(), 1, 10'000);
        App app;
        QVERIFY(app.open());
        const QString own = app.codeEditor().text().toPlainText();
        app.trigger("compare.noFuse");
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.window.baseline().before(), kPatience);
        std::mt19937 random(11);
        std::size_t variants = 0;
        std::array<int, kWorks> done{};
        for (int i = 0; i < kills; ++i) {
            const auto work = variants == 0 ? Work::Keep : static_cast<Work>(random() % kWorks);
            ++done[static_cast<std::size_t>(work)];
            switch (work) {
            case Work::Keep:
            case Work::Edit:
                QTRY_VERIFY_WITH_TIMEOUT(app.isIdle() && app.codeEditor().isReady(), kPatience);
                app.codeEditor().text().setPlainText(own + QStringLiteral("// %1\n").arg(i));
                if (work == Work::Edit) {
                    QTest::keyClick(&app.codeEditor().text(), Qt::Key_Return, Qt::ControlModifier);
                } else {
                    app.codeEditor().findChild<QToolButton *>("codeKeep")->click();
                    ++variants;
                }
                break;
            case Work::Run:
                app.trigger("compile.run");
                break;
            case Work::RunBoth:
                app.trigger("compare.runBoth");
                break;
            case Work::Baseline: // compiles it, beside the program
                app.trigger(random() % 2 == 0 ? "compare.noOptimize" : "compare.noFuse");
                break;
            case Work::Matrix:
                app.child<QPushButton>("matrixRun").click();
                break;
            }
            QTest::qWait(static_cast<int>(random() % 60));
            for (const pid_t host : sw::test::childProcesses())
                kill(host, SIGKILL);
            QTRY_VERIFY_WITH_TIMEOUT(app.isIdle(), kPatience);
            QCOMPARE(app.whatIf().lines().size(), variants);
            QVERIFY(app.codeEditor().text().toPlainText().startsWith(own));
            QVERIFY(app.window.baseline().current());
        }
        for (const int times : done)
            QVERIFY(times > 0 || kills < 100);
        // Everything that was asked for is answered, and all of it works.
        QTRY_VERIFY_WITH_TIMEOUT(app.isEditing(), kPatience);
        app.window.session().compileNow();
        QTRY_VERIFY_WITH_TIMEOUT(app.isEditing() && app.snapshot().report->succeeded, kPatience);
        QVERIFY(app.runsBoth());
        QVERIFY(app.runsMatrix());
        QCOMPARE(app.whatIf().lines().size(), variants);
        for (std::size_t i = 0; i < variants; ++i)
            QVERIFY(app.whatIf().lines()[i].text.starts_with("code z c source"));
    }
};

QTEST_MAIN(KilledHostsTest)
#include "tst_killed_hosts.moc"
