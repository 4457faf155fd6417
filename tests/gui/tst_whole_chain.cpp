// The window on the real engine: from keys and the pointer to machine code and back.

#include "tests/gui/engine_app.h"
#include "tests/unit/onnx/model_bytes.h"
#include "ui/panels/messages_panel.h"
#include "ui/panels/passes_panel.h"
#include "ui/text_view/diff_view.h"

#include <QAction>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QLineEdit>
#include <QProcess>
#include <QTableView>
#include <QTemporaryDir>
#include <QTextBlock>
#include <QTextBrowser>

#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

using namespace stepwell::ui;
using sw::StageKind;

namespace {

using App = EngineApp;

constexpr const char *kProgram = "input x: f32[32, 64]\n"
                                 "param w: f32[64, 48] = random(1)\n"
                                 "h = relu(x @ w)\n"
                                 "output y = softmax(h, axis = -1)\n";

// The hosts are dead when the function returns.
void killHosts()
{
    int killed = 0;
    for (const auto &thread : std::filesystem::directory_iterator("/proc/self/task")) {
        std::ifstream children(thread.path() / "children");
        for (pid_t id = 0; children >> id; ++killed) {
            siginfo_t ended{};
            QCOMPARE(::kill(id, SIGKILL), 0);
            QCOMPARE(::waitid(P_PID, static_cast<id_t>(id), &ended, WEXITED | WNOWAIT), 0);
        }
    }
    QVERIFY(killed > 0);
}

} // namespace

class TestWholeChain : public QObject {
    Q_OBJECT

private slots:
    // Thousands of kernels are being compiled when the text changes, and when the compilation is stopped.
    void aHugeCompilationMakesRoomAtOnce()
    {
        QString huge = "input x: f32[64, 64]\nparam w: f32[64, 64] = random(1)\ny = x\nfor i in range(2000):\n"
                       "    y = relu(y @ w) + softmax(y, axis = -1)\noutput y\n";
        App app;
        app.window.openText("huge.sw", huge);
        const auto isUnderWay = [&app] {
            const SnapshotPtr &snapshot = app.window.session().snapshot();
            return snapshot && snapshot->report->graph && app.window.session().activity() == Activity::Compiling;
        };
        QTRY_VERIFY_WITH_TIMEOUT(isUnderWay(), kPatience);
        QVERIFY(app.child<QAction>("compile.stop").isEnabled());
        app.editor().setPlainText(kProgram);
        const auto isSmall = [&app] { return app.isReady() && app.window.session().isCompiledText(kProgram); };
        QTRY_VERIFY_WITH_TIMEOUT(isSmall(), kPatience);
        QVERIFY(app.snapshot().report->succeeded);
        app.editor().setPlainText(huge);
        QTRY_VERIFY_WITH_TIMEOUT(isUnderWay() && !app.window.session().isCompiledText(kProgram), kPatience);
        app.child<QAction>("compile.stop").trigger();
        QTRY_COMPARE_WITH_TIMEOUT(app.window.session().activity(), Activity::Idle, kPatience);
        QVERIFY(app.window.session().isStopped());
        QVERIFY(app.child<QLabel>("stateLabel").text().startsWith("Stopped"));
        app.editor().document()->setModified(false);
    }

    void aHostThatDiedIdleIsReplacedBeforeTheNextRun()
    {
        App app(kProgram);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        killHosts();
        app.child<QAction>("compile.run").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && !app.snapshot().report->outputs.empty(), kPatience);
        QVERIFY(app.snapshot().report->succeeded);
        QCOMPARE(app.child<MessagesPanel>("messages").model().rowCount(), 0);
    }

    void sizesOfTheNextRunAreTyped()
    {
        App app("n: dim[1, 64] = 5\ninput x: f32[n, 3]\noutput x * 2\n");
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        auto &size = app.child<QDoubleSpinBox>("dimension.n");
        QVERIFY(size.isVisible());
        QCOMPARE(size.value(), 5.0);
        QCOMPARE(size.minimum(), 1.0);
        QCOMPARE(size.maximum(), 64.0);
        const auto runType = [&app] {
            app.child<QAction>("compile.run").trigger();
            return QTest::qWaitFor([&app] { return app.isReady() && !app.snapshot().report->outputs.empty(); }, kPatience)
                       ? QString::fromStdString(app.snapshot().report->outputs.front()->type())
                       : QStringLiteral("nothing");
        };
        QCOMPARE(runType(), QStringLiteral("f32[5, 3]"));
        // With the keyboard: the shortcut selects the current value, Return runs the program.
        app.child<QAction>("compile.sizes").trigger();
        QTest::keyClicks(app.window.focusWidget(), "17");
        QTest::keyClick(app.window.focusWidget(), Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(QString::fromStdString(app.snapshot().report->outputs.front()->type()),
                                  QStringLiteral("f32[17, 3]"), kPatience);
        // An edit, and undoing it, keep the chosen value; new bounds clamp it.
        app.editor().moveCursor(QTextCursor::End);
        app.type("output x + 1");
        QTRY_COMPARE_WITH_TIMEOUT(app.isReady() ? app.snapshot().report->dimensions.size() : 0, std::size_t{1}, kPatience);
        QCOMPARE(app.child<QDoubleSpinBox>("dimension.n").value(), 17.0);
        app.child<QAction>("edit.undo").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        QCOMPARE(runType(), QStringLiteral("f32[17, 3]"));
        app.window.openText("other.sw", "input x: f32[3]\noutput x\n");
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        QVERIFY(!app.child<QAction>("compile.sizes").isEnabled());
    }

    // A number or a range, with the keyboard; a range makes a field for the size of the next run.
    void aModelIsCompiledForWhatIsEntered()
    {
        const QTemporaryDir folder;
        const QString file = folder.filePath("open.onnx");
        const std::vector<std::byte> bytes = sw::test::modelBytes({.inputs = {sw::test::openInfo("x", {"batch", "3"})},
                                                                   .nodes = {{.op = "Relu", .inputs = {"x"}, .outputs = {"y"}}},
                                                                   .outputs = {sw::test::openInfo("y", {"batch", "3"})}});
        std::ofstream(file.toStdString(), std::ios::binary)
            .write(reinterpret_cast<const char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
        App app;
        QVERIFY(app.window.openFile(file));
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        auto &size = app.child<QLineEdit>("modelDimension.batch");
        QVERIFY(size.isVisible());
        QCOMPARE(size.text(), QStringLiteral("1"));
        QVERIFY(app.window.findChild<QDoubleSpinBox *>("dimension.batch") == nullptr);
        const auto runType = [&app] {
            app.child<QAction>("compile.run").trigger();
            return QTest::qWaitFor([&app] { return app.isReady() && !app.snapshot().report->outputs.empty(); }, kPatience)
                       ? QString::fromStdString(app.snapshot().report->outputs.front()->type())
                       : QStringLiteral("nothing");
        };
        const auto enter = [&](const char *text) {
            app.child<QAction>("compile.sizes").trigger();
            size.setFocus();
            size.selectAll();
            QTest::keyClicks(&size, text);
            QTest::keyClick(&size, Qt::Key_Return);
            return QTest::qWaitFor([&] { return app.isReady() && size.text() == text; }, kPatience);
        };
        QVERIFY(enter("4"));
        QCOMPARE(runType(), QStringLiteral("f32[4, 3]"));
        QVERIFY(enter("1..8"));
        auto &next = app.child<QDoubleSpinBox>("dimension.batch");
        QCOMPARE(next.value(), 1.0);
        QCOMPARE(next.maximum(), 8.0);
        next.setValue(5);
        const auto compiled = app.snapshot().report->graph;
        QCOMPARE(runType(), QStringLiteral("f32[5, 3]"));
        QCOMPARE(app.snapshot().report->graph, compiled);
    }

    void everyPaneShowsTheProgram()
    {
        App app(kProgram);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        QVERIFY(app.snapshot().report->succeeded);
        for (const StageKind stage : kStages) {
            QVERIFY(app.snapshot().stage(stage).document);
            QVERIFY(!app.snapshot().isOutOfDate(stage));
        }
        for (const char *panel : {"lowered", "code", "machine", "loops"})
            QVERIFY2(app.text(panel).rows().count() > 10, panel);
        QVERIFY(App::rowWith(app.text("code"), "define void @") >= 0);
    }

    void typingChangesGraphKernelsAndInstructions()
    {
        App app(kProgram);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        const std::size_t kernels = app.snapshot().kernels.size();
        const std::uint64_t first = app.snapshot().compilation;
        const QString lowered = app.text("lowered").rows().textAt(0);
        app.editor().moveCursor(QTextCursor::End);
        app.type("output z = exp(sum(x, axis = 0))\n");
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.snapshot().compilation != first && app.snapshot().report->succeeded &&
                                     app.snapshot().kernels.size() > kernels,
                                 kPatience);
        QVERIFY(std::ranges::find(app.graph().scene()->boxes, QString("exp"), &SceneBox::label) !=
                app.graph().scene()->boxes.end());
        QVERIFY(App::rowWith(app.text("lowered"), "%z = define_global") >= 0);
        QVERIFY(App::rowWith(app.text("machine"), "_exp") >= 0 || app.text("machine").rows().count() > 0);
    }

    void pointingAtANodeLightsUpEveryPane()
    {
        App app(kProgram);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        App::pointAt(app.graph(), "relu");
        QTRY_VERIFY_WITH_TIMEOUT(app.window.selection().hasHover(), kPatience);
        for (const StageKind stage : kStages)
            QTRY_VERIFY2_WITH_TIMEOUT(!app.window.selection().hovered(stage).isEmpty(),
                                      qPrintable(QString::number(indexOf(stage))), kPatience);
        QVERIFY(app.editor().partnerMarkCount() >= 1);
        // What lights up in the program is the line of relu and nothing after it.
        const auto &program = app.snapshot().stage(StageKind::Program).document;
        for (const sw::ItemIndex item : app.window.selection().hovered(StageKind::Program).items)
            QCOMPARE(program->items[item].place.line, 3U);
        QVERIFY(app.child<QLabel>("partnersLabel").text().startsWith("relu: 1 node "));
    }

    void pointingAtAnInstructionLightsUpTheProgramAndTheMachineCode()
    {
        App app(kProgram);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        TextView &lowered = app.text("lowered");
        const int row = App::rowWith(lowered, " fma ");
        QVERIFY(row >= 0);
        lowered.scrollToRow(row);
        QTest::mouseMove(lowered.viewport(), lowered.rowRect(row).center());
        QTRY_VERIFY_WITH_TIMEOUT(app.window.selection().hasHover(), kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(!app.window.selection().hovered(StageKind::Machine).lines.empty(),
                                 kPatience); // read because it is looked at
        const auto &program = app.snapshot().stage(StageKind::Program).document;
        const auto &lit = app.window.selection().hovered(StageKind::Program).items;
        QVERIFY(std::ranges::any_of(lit, [&](sw::ItemIndex item) { return program->items[item].place.line == 3; }));
        const auto &machine = app.snapshot().stage(StageKind::Machine).document;
        const auto &lines = app.window.selection().hovered(StageKind::Machine).lines;
        QVERIFY(std::ranges::any_of(
            lines, [&](std::uint32_t line) { return machine->lines[line].text.find("fma") != std::string::npos; }));
    }

    void clickingSelectsTheSameEverywhere()
    {
        App app(kProgram);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        App::click(app.graph(), "relu");
        QVERIFY(app.window.selection().hasSelection());
        const std::vector<BoxIndex> selected = app.kernels().marks().selected;
        // Its kernel, and the buffer that stores it.
        const auto isMatmul = [&](BoxIndex box) { return app.kernels().scene()->boxes[box].label.contains("matmul"); };
        QCOMPARE(std::ranges::count_if(selected, isMatmul), 1);
        QVERIFY(app.child<QTextBrowser>("inspectorText").toPlainText().contains("in one kernel"));
        // From the machine code back to the same node.
        QTRY_VERIFY_WITH_TIMEOUT(!app.window.selection().selected(StageKind::Machine).items.empty(), kPatience);
        const PartnerSet machine = app.window.selection().selected(StageKind::Machine);
        app.window.selection().select(StageKind::Machine, {machine.items.front()});
        const std::vector<BoxIndex> boxes = app.graph().marks().selected;
        QVERIFY(std::ranges::find(boxes, App::box(app.graph(), "relu")) != boxes.end());
    }

    void anotherDeviceChangesTheSource_data()
    {
        QTest::addColumn<QString>("device");
        QTest::addColumn<QString>("sign");
        QTest::newRow("c") << "c" << "void ";
        QTest::newRow("opencl") << "opencl" << "__kernel";
        QTest::newRow("interpreter") << "interpreter" << "kernel ";
    }
    void anotherDeviceChangesTheSource()
    {
        QFETCH(QString, device);
        QFETCH(QString, sign);
        App app(kProgram);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(app.child<QComboBox>("deviceBox").count() >= 3, kPatience);
        if (!app.hasDevice(device))
            QSKIP("the device is not available here");
        app.choose(device);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.snapshot().report->device == device.toStdString(), kPatience);
        QVERIFY(app.snapshot().report->succeeded);
        QVERIFY(App::rowWith(app.text("code"), sign) >= 0);
        app.window.action("compile.run")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(app.snapshot().good->totalMedianNanoseconds.has_value(), kPatience);
        QCOMPARE(app.child<QTableView>("timingsTable").model()->rowCount(), static_cast<int>(app.snapshot().kernels.size()));
    }

    void runningShowsTimesAndValues()
    {
        App app(kProgram);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        app.window.action("compile.run")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(app.snapshot().good->totalMedianNanoseconds.has_value(), kPatience);
        QVERIFY(app.child<QTableView>("timingsTable").isVisible());
        app.window.findChild<QWidget *>("values")->show();
        App::click(app.graph(), "relu");
        QTRY_VERIFY_WITH_TIMEOUT(app.child<QTableView>("valuesTable").model()->rowCount() > 0 &&
                                     app.child<QLabel>("statistics").text().contains("f32[32, 48]"),
                                 kPatience);
    }

    void passesAreSteppedThrough()
    {
        App app(kProgram);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        auto &passes = app.child<PassesPanel>("passes");
        app.window.action("go.passes")->trigger();
        int seen = 0;
        for (app.window.action("step.nextChanged")->trigger(); passes.currentPass() >= 0;
             app.window.action("step.nextChanged")->trigger()) {
            QTRY_VERIFY_WITH_TIMEOUT(passes.diff().after().rows().count() > 0, kPatience);
            ++seen;
        }
        QVERIFY2(seen >= 6, qPrintable(QString::number(seen)));
        app.window.action("step.previousChanged")->trigger();
        // The last passes change instructions: the differences are marked.
        QTRY_VERIFY_WITH_TIMEOUT(passes.diff().addedLines() + passes.diff().removedLines() > 0, kPatience);
    }

    void aBrokenProgramKeepsTheLastResult()
    {
        App app(kProgram);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        const std::size_t boxes = app.graph().scene()->boxes.size();
        const int machine = app.text("machine").rows().count();
        app.editor().moveCursor(QTextCursor::End);
        app.type("output q = x @ x");
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.editor().errorMarks().size() == 1, kPatience);
        QCOMPARE(app.editor().errorMarks()[0].cursor.block().blockNumber(), 4);
        auto &messages = app.child<MessagesPanel>("messages");
        QVERIFY(messages.model().rowCount() >= 1);
        QVERIFY(app.editor().messageAt(app.editor().cursorRect(app.editor().errorMarks()[0].cursor).center()).contains("32"));
        QCOMPARE(app.graph().scene()->boxes.size(), boxes);
        QCOMPARE(app.text("machine").rows().count(), machine);
        QVERIFY(app.child<GraphPanel>("graph").isMarkedOutOfDate());
        QVERIFY(app.child<TextPanel>("machine").isMarkedOutOfDate());
        for (int i = 0; i < 17; ++i)
            QTest::keyClick(&app.editor(), Qt::Key_Backspace);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.snapshot().report->succeeded && app.editor().errorMarks().empty(),
                                 kPatience);
        QVERIFY(!app.child<GraphPanel>("graph").isMarkedOutOfDate());
        app.editor().document()->setModified(false);
    }

    void theNewestTextWins()
    {
        App app(kProgram);
        app.editor().moveCursor(QTextCursor::End);
        for (int i = 0; i < 8; ++i)
            app.type(QString("output t%1 = x * %2.0\n").arg(i).arg(i + 2));
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.window.session().isCompiledText(app.editor().toPlainText()), kPatience);
        QVERIFY(app.snapshot().report->succeeded);
        QVERIFY(App::rowWith(app.text("lowered"), "%t7 = define_global") >= 0);
        app.editor().document()->setModified(false);
    }

    void aModelIsOpened()
    {
        App app;
        QVERIFY(app.window.openFile(QString(STEPWELL_SOURCE_FOLDER) + "/tests/data/models/mnist8/model.onnx"));
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        QVERIFY(app.snapshot().report->succeeded);
        QVERIFY(app.graph().scene()->boxes.size() > 5);
        QVERIFY(app.editor().toPlainText().startsWith("# model"));
        QCOMPARE(app.editor().viewport()->x(), app.editor().gutterWidth()); // the line numbers hide no text
        // The first kernel of a run; where vectors are short, weights get a kernel of their own before it.
        const auto &boxes = app.kernels().scene()->boxes;
        const auto padded = std::ranges::find_if(boxes, [](const SceneBox &box) { return box.label.endsWith("_pad"); });
        QVERIFY(padded != boxes.end());
        App::click(app.kernels(), padded->label);
        QVERIFY(app.editor().partnerMarkCount() >= 1);
    }

    void whatCannotBeOpenedSaysWhy_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("name");
        QTest::newRow("empty program") << QByteArray() << "empty.sw";
        QTest::newRow("empty model") << QByteArray() << "empty.onnx";
        QTest::newRow("noise for a model") << QByteArray("\x08\x07\xff\xff\xff\xff\xff\x7fnoise") << "noise.onnx";
        QTest::newRow("noise for a program") << QByteArray("\x00\xff\xfe{]", 5) << "noise.sw";
    }
    void whatCannotBeOpenedSaysWhy()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, name);
        App app;
        QFile file(app.folder.filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(bytes);
        file.close();
        static_cast<void>(app.window.openFile(file.fileName())); // either way there is a message
        auto &messages = app.child<MessagesPanel>("messages");
        QTRY_VERIFY_WITH_TIMEOUT(messages.model().rowCount() >= 1, kPatience);
        // And the window keeps working.
        app.window.openText("test.sw", kProgram);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.snapshot().report->succeeded, kPatience);
    }

    // The real program, with its own home folder.
    void aPictureLeavesNoTraceAmongTheSettings()
    {
        const QTemporaryDir folder;
        const QString program = folder.filePath("program.sw");
        QFile file(program);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(kProgram);
        file.close();
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        for (const char *name : {"XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"})
            environment.insert(name, folder.filePath(name));
        QProcess stepwell;
        stepwell.setProcessEnvironment(environment);
        stepwell.setProcessChannelMode(QProcess::ForwardedChannels);
        const QString picture = folder.filePath("picture.png");
        stepwell.start(STEPWELL_PROGRAM, {program, "--screenshot", picture, "--theme", "light", "--device", "interpreter"});
        QVERIFY(stepwell.waitForFinished(kPatience));
        QCOMPARE(stepwell.exitCode(), 0);
        QVERIFY(QFileInfo::exists(picture));
        QVERIFY(!QFileInfo::exists(folder.filePath("XDG_CONFIG_HOME")));
        QVERIFY(!QFileInfo::exists(folder.filePath("XDG_STATE_HOME")));
    }

    void examplesRunFromTheMenu()
    {
        App app;
        app.window.openExampleNamed("layer_norm");
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.snapshot().report->succeeded, kPatience);
        QVERIFY(app.editor().toPlainText().contains("layer_norm"));
    }
};

QTEST_MAIN(TestWholeChain)
#include "tst_whole_chain.moc"
