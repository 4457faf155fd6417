// The window finds where a kernel goes wrong, on the real engine with a mistake put into the kernel that is opened.

#include "engine/api/inputs.h"
#include "engine/api/kernel_trace_parts.h"
#include "tests/gui/engine_app.h"
#include "tests/support/wrong_kernel.h"
#include "ui/panels/step_panel.h"

#include <QAction>
#include <QLabel>
#include <QTest>

using namespace stepwell::ui;

namespace {

// Multiplies where it should add.
class MistakenService : public stepwell::ExplorerService {
public:
    MistakenService() : ExplorerService(STEPWELL_HOST_PROGRAM) { sw::addHostedBackends(m_registry, STEPWELL_HOST_PROGRAM); }

    sw::TraceOpening openKernel(std::uint32_t kernel, std::stop_token stop) override
    {
        sw::CompileRequest request;
        request.program.fileName = "test.sw";
        request.program.text = program;
        request.program.isText = true;
        request.program.resourceFolder = sw::findResourceFolder();
        request.device = "llvm";
        request.until = sw::CompileUntil::Lowered;
        const sw::test::WrongProgram wrong = sw::test::withWrongOp(m_compiler.compile(request, stop), sw::Op::Add, sw::Op::Mul);
        const auto values = sw::inputValues(*wrong.compilation.graph, {});
        auto trace = sw::openTrace(m_compiler, wrong.compilation, sw::KernelId(kernel), {*values, {}}, stop);
        return trace ? sw::TraceOpening{std::move(*trace), {}} : sw::TraceOpening{nullptr, toText(trace.error())};
    }

    std::string program;

private:
    sw::BackendRegistry m_registry;
    sw::ProgramCompiler m_compiler{m_registry};
};

struct MistakenApp {
    explicit MistakenApp(const char *program)
    {
        engine.program = program;
        window.resize(1600, 1000);
        window.show();
        window.openText("test.sw", program);
    }
    [[nodiscard]] bool open()
    {
        const auto isReady = [this] {
            return window.session().snapshot() && window.session().snapshot()->isFinal && window.isSettled();
        };
        if (!QTest::qWaitFor(isReady, kPatience))
            return false;
        window.action("go.step")->trigger();
        return QTest::qWaitFor([this] { return debugger().state() == TraceState::Open && !debugger().isMoving(); }, kPatience);
    }
    [[nodiscard]] Debugger &debugger() { return window.debugger(); }
    [[nodiscard]] bool press(int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
    {
        QTest::keyClick(&window.findChild<StepPanel *>("step")->view(), static_cast<Qt::Key>(key), modifiers);
        return QTest::qWaitFor([this] { return !debugger().isMoving(); }, kPatience);
    }
    [[nodiscard]] QString note() { return window.findChild<QLabel *>("stepNote")->text(); }

    QTemporaryDir folder;
    MistakenService engine;
    Appearance appearance{"dark"};
    Settings settings{folder.filePath(QStringLiteral("settings.ini"))};
    MainWindow window{engine, appearance, settings};
};

} // namespace

class DifferenceTest : public QObject {
    Q_OBJECT

private slots:
    // Both ways, and as a stop of runs.
    void aWrongStoreIsFound()
    {
        MistakenApp app("input x: f32[64]\ninput z: f32[64]\noutput y = x + z\n");
        QVERIFY(app.open());
        QVERIFY(app.press(Qt::Key_D));
        const sw::TracePosition first = *app.debugger().position();
        QVERIFY(first.position != 0);
        QVERIFY(!first.differences.empty());
        QVERIFY(!first.accesses.empty() && first.accesses.front().isStore);
        QCOMPARE(first.differences.front().memory, first.accesses.front().memory);
        QVERIFY2(app.note().startsWith("%y[") && app.note().contains(", but the reference has "), qPrintable(app.note()));
        QVERIFY(app.press(Qt::Key_E));
        QVERIFY(app.press(Qt::Key_D, Qt::ShiftModifier));
        QVERIFY(app.debugger().position()->position > first.position);
        QVERIFY(!app.debugger().position()->differences.empty());
        QVERIFY(app.press(Qt::Key_E, Qt::ShiftModifier));
        QVERIFY(app.note().isEmpty());
        QVERIFY(app.press(Qt::Key_D, Qt::ShiftModifier));
        QVERIFY2(app.note().startsWith("No difference back to the beginning: %y holds value %"), qPrintable(app.note()));
        QVERIFY(app.note().contains("elements that are stored, ") && !app.note().contains("none is"));
        app.window.findChild<QAction *>("trace.stopsAt.difference")->setChecked(true);
        QVERIFY(app.press(Qt::Key_F5));
        QCOMPARE(app.debugger().position()->position, first.position);
    }

    void aRightKernelSaysWhatWasCompared()
    {
        MistakenApp app("input x: f32[8]\noutput y = x * 3\n"); // nothing is added
        QVERIFY(app.open());
        QVERIFY(app.press(Qt::Key_D));
        QCOMPARE(app.debugger().position()->position, 0U);
        QVERIFY2(app.note().startsWith("No difference from here to the end: %y holds value %"), qPrintable(app.note()));
        QVERIFY2(app.note().contains("of the 8 elements that are stored, none is further off than allowed"),
                 qPrintable(app.note()));
    }
};

QTEST_MAIN(DifferenceTest)
#include "tst_difference.moc"
