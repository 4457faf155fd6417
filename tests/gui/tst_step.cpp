// The window steps through kernels, with keys and the pointer, on the real engine.

#include "tests/gui/engine_app.h"
#include "ui/capture.h"
#include "ui/models/past_model.h"
#include "ui/models/register_model.h"
#include "ui/panels/memory_cells.h"
#include "ui/panels/step_panel.h"

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSlider>
#include <QSpinBox>
#include <QTabBar>
#include <QTableView>
#include <QTest>
#include <QToolButton>

using namespace stepwell::ui;
using sw::StageKind;

namespace {

constexpr const char *kSoftmax = "input scores: f32[8, 64]\noutput softmax(scores, axis = -1)\n";

struct StepApp : EngineApp {
    explicit StepApp(const char *program) : EngineApp(program) {}

    [[nodiscard]] Debugger &debugger() { return window.debugger(); }
    [[nodiscard]] StepPanel &panel() { return child<StepPanel>("step"); }
    [[nodiscard]] TextView &view() { return panel().view(); }
    [[nodiscard]] bool isOpen() { return debugger().state() == TraceState::Open && !debugger().isMoving(); }
    [[nodiscard]] const sw::TracePosition &position() { return *debugger().position(); }

    // Shows the panel, which opens the first kernel.
    [[nodiscard]] bool open()
    {
        if (!QTest::qWaitFor([this] { return isReady(); }, kPatience))
            return false;
        window.action("go.step")->trigger();
        return QTest::qWaitFor([this] { return isOpen(); }, kPatience);
    }
    [[nodiscard]] bool press(int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
    {
        QTest::keyClick(&view(), static_cast<Qt::Key>(key), modifiers);
        return QTest::qWaitFor([this] { return !debugger().isMoving(); }, kPatience);
    }
    void clickGutter(int row)
    {
        view().scrollToRow(row);
        QTest::mouseClick(view().viewport(), Qt::LeftButton, {}, QPoint(6, view().rowRect(row).center().y()));
    }
    // All that the panel shows of a position, except which step was run last: a jump leads to it, too.
    [[nodiscard]] QString picture()
    {
        QStringList lines{QString::number(position().position), QString::number(view().run().next)};
        for (const auto &[row, note] : view().run().notes)
            lines << QStringLiteral("%1 %2 %3").arg(row).arg(note.text).arg(note.isNew);
        for (const char *name : {"stepValues", "stepCells"}) {
            const QAbstractItemModel &model = *child<QTableView>(name).model();
            for (int row = 0; row < std::min(model.rowCount(), 64); ++row)
                for (int column = 0; column < model.columnCount(); ++column)
                    lines << model.index(row, column).data().toString();
        }
        for (const QSpinBox *counter : panel().findChildren<QSpinBox *>())
            lines << counter->objectName() + counter->text();
        return lines.join(u'\n');
    }
};

// As the engine tells it.
std::string elementOf(StepApp &app, std::int64_t element)
{
    const TracePage &page = app.debugger().page();
    return page.elements.at(static_cast<std::size_t>(element - page.first));
}

} // namespace

class StepTest : public QObject {
    Q_OBJECT

private slots:
    void stepsForthAndBackShowTheSame()
    {
        StepApp app(kSoftmax);
        QVERIFY(app.open());
        app.view().setFocus();
        QCOMPARE(app.position().position, 0U);
        QVERIFY(app.view().rows().textAt(0).startsWith("kernel"));
        constexpr int kSteps = 60;
        std::vector<QString> pictures;
        for (int i = 0; i < kSteps; ++i) {
            pictures.push_back(app.picture());
            QVERIFY(app.press(Qt::Key_F11));
            QCOMPARE(app.position().position, static_cast<std::uint64_t>(i + 1));
        }
        QVERIFY(pictures[3] != pictures[30]);
        for (int i = kSteps; i-- > 1;) {
            QVERIFY(app.press(Qt::Key_F11, Qt::ShiftModifier));
            QCOMPARE(app.picture(), pictures[static_cast<std::size_t>(i)]);
        }
        QVERIFY(app.press(Qt::Key_F11, Qt::ShiftModifier));
        QVERIFY(app.press(Qt::Key_F11, Qt::ShiftModifier));
        QCOMPARE(app.position().position, 0U);
        QCOMPARE(app.child<QLabel>("stepNote").text(), "The run is at its beginning.");
    }

    // Keys that come faster than the engine answers are all done.
    void noStepIsLost()
    {
        StepApp app(kSoftmax);
        QVERIFY(app.open());
        for (int i = 0; i < 25; ++i)
            QTest::keyClick(&app.view(), Qt::Key_F11);
        QTRY_COMPARE_WITH_TIMEOUT(app.position().position, 25U, kPatience);
        QTest::keyClick(&app.window, Qt::Key_F11); // wherever the focus is, while the panel can be seen
        QTRY_COMPARE_WITH_TIMEOUT(app.position().position, 26U, kPatience);
    }

    void theWindowMovesAlong()
    {
        StepApp app(kSoftmax);
        QVERIFY(app.open());
        QVERIFY(app.press(Qt::Key_L));
        QVERIFY(!app.position().accesses.empty());
        app.editor().setFocus();
        QTest::keyClick(&app.editor(), Qt::Key_F11);
        QTRY_VERIFY_WITH_TIMEOUT(app.position().accesses.empty(), kPatience);
        const int row = app.view().run().next;
        QCOMPARE(static_cast<std::uint32_t>(row + 1), app.position().line);
        const std::uint32_t line = app.view().rows().lineAt(row);
        QVERIFY(app.window.selection().selected(StageKind::Lowered).hasLine(line));
        QCOMPARE(app.text("lowered").rows().textAt(static_cast<int>(line)), app.view().rows().textAt(row));
        QVERIFY(!app.window.selection().selected(StageKind::Code).lines.empty());
        QVERIFY(!app.window.selection().selected(StageKind::Program).lines.empty());
        QVERIFY(app.editor().hasFocus());
        // At a moment before the end, the documents are other ones: nothing is selected in them.
        app.window.moment().goToStart();
        QTRY_VERIFY_WITH_TIMEOUT(app.window.isSettled(), kPatience);
        const std::uint64_t number = app.window.selection().number();
        QVERIFY(app.press(Qt::Key_F11));
        QCOMPARE(app.window.selection().number(), number);
        QVERIFY(app.view().rows().count() > 10);
    }

    void runsToABreakpointAndBack()
    {
        StepApp app(kSoftmax);
        QVERIFY(app.open());
        const int store = EngineApp::rowWith(app.view(), " store ");
        QVERIFY(store > 0);
        app.clickGutter(store);
        QCOMPARE(app.view().run().stops.at(store), RunSigns::Stop::Always);
        QVERIFY(app.press(Qt::Key_F5));
        QCOMPARE(app.view().run().next, store);
        const std::uint64_t first = app.position().position;
        // What is written is marked, and it is what the engine has.
        QVERIFY(app.press(Qt::Key_F11));
        CellModel &cells = app.panel().cells().model();
        const sw::TraceAccess access = app.position().accesses.at(0);
        QVERIFY(access.isStore);
        QCOMPARE(cells.memory().instruction, access.memory);
        for (std::uint32_t i = 0; i < access.count; ++i) {
            const std::int64_t element = access.first + i;
            QVERIFY(cells.touchOf(element) == CellModel::Touch::Written);
            QCOMPARE(cells.indexOf(element).data().toString().toStdString(), "w " + access.values[i]);
            QCOMPARE(elementOf(app, element), access.values[i]);
        }
        QVERIFY(cells.touchOf(access.first + access.count) == CellModel::Touch::None);
        QTableView &table = app.child<QTableView>("stepCells");
        QVERIFY(table.viewport()->rect().intersects(table.visualRect(cells.indexOf(access.first))));
        QVERIFY(app.press(Qt::Key_F5));
        QVERIFY(app.position().position > first + 1);
        QVERIFY(app.press(Qt::Key_F5, Qt::ShiftModifier));
        QCOMPARE(app.position().position, first);
        // A comparison that never holds: the run goes to its end.
        app.debugger().setBreakpoint({static_cast<std::uint32_t>(store + 1), "%2 > 1e9"});
        QCOMPARE(app.view().run().stops.at(store), RunSigns::Stop::Checked);
        QVERIFY(app.press(Qt::Key_F5));
        QCOMPARE(app.position().line, 0U);
        QCOMPARE(app.position().steps, std::optional(app.position().position));
        // One that the kernel does not have is told.
        app.debugger().setBreakpoint({static_cast<std::uint32_t>(store + 1), "nothing > 1"});
        QVERIFY(app.press(Qt::Key_F5, Qt::ShiftModifier));
        QVERIFY2(app.child<QLabel>("stepNote").text().contains("has no value \"nothing\""),
                 qPrintable(app.child<QLabel>("stepNote").text()));
        app.clickGutter(store);
        QVERIFY(app.view().run().stops.empty());
        QVERIFY(app.press(Qt::Key_E, Qt::ShiftModifier));
        QCOMPARE(app.position().position, 0U);
    }

    void keysOfADebugger()
    {
        StepApp app("input x: f32[4, 8]\noutput sum(x * x, axis = 1)\n");
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        app.choose("interpreter");
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.window.session().device() == "interpreter", kPatience);
        QVERIFY(app.open());
        // To the cursor, over a loop, and back over it.
        const int loop = [&] {
            int last = -1;
            for (int row = 0; row < app.view().rows().count(); ++row)
                if (app.view().rows().textAt(row).contains("= range "))
                    last = row;
            return last;
        }();
        QVERIFY(loop > 0);
        app.view().scrollToRow(loop);
        QTest::mouseClick(app.view().viewport(), Qt::LeftButton, {}, QPoint(200, app.view().rowRect(loop).center().y()));
        QCOMPARE(app.view().chosenRow(), loop);
        QVERIFY(app.press(Qt::Key_F10, Qt::ControlModifier));
        QCOMPARE(app.view().run().next, loop);
        QVERIFY(app.press(Qt::Key_F10));
        QVERIFY(app.view().rows().textAt(app.view().run().last).contains("end_range"));
        QVERIFY(app.press(Qt::Key_F10, Qt::ShiftModifier));
        QCOMPARE(app.view().run().next, loop);
        for (int i = 0; i < 3; ++i)
            QVERIFY(app.press(Qt::Key_F11));
        QVERIFY(!app.position().counters.empty());
        QVERIFY(app.press(Qt::Key_F11, Qt::ControlModifier));
        QVERIFY(app.view().rows().textAt(app.view().run().last).contains("end_range"));
        QVERIFY(app.press(Qt::Key_F9));
        QCOMPARE(app.view().run().stops.count(loop), 1U);
    }

    void findsNan()
    {
        StepApp app("input x: f32[64]\noutput log(x)\n");
        QVERIFY(app.open());
        QVERIFY(app.press(Qt::Key_N));
        RegisterModel &registers = app.panel().registers();
        const int row = registers.firstChanged();
        QVERIFY(row >= 0);
        QVERIFY(registers.index(row, RegisterModel::kLanes).data().toString().contains("nan"));
        QCOMPARE(registers.index(row, RegisterModel::kChanged).data().toString(), QStringLiteral("\u25CF"));
        QCOMPARE(registers.index(row, RegisterModel::kLanes).data(Qt::ForegroundRole).value<QColor>(),
                 app.appearance.color(Role::NotANumber));
        QVERIFY(app.view().run().notes.at(app.view().run().last).isNew);
        // Its history, and back to one of its values.
        app.child<QTableView>("stepValues").selectRow(row);
        app.child<QTabBar>("stepValueTabs").setCurrentIndex(1);
        QTableView &past = app.child<QTableView>("stepPast");
        QTRY_VERIFY_WITH_TIMEOUT(past.model()->rowCount() > 0, kPatience);
        QVERIFY(past.model()->index(0, PastModel::kLanes).data().toString().contains("nan"));
        QCOMPARE(past.model()->index(0, PastModel::kStep).data().toString(),
                 QLocale().toString(static_cast<qulonglong>(app.position().position)));
        // Runs stop at them when that is switched on.
        QVERIFY(app.press(Qt::Key_E, Qt::ShiftModifier));
        app.child<QAction>("trace.stopsAt.nan").setChecked(true);
        QVERIFY(app.press(Qt::Key_F5));
        QVERIFY(app.panel().registers().firstChanged() >= 0);
        QVERIFY(app.position().line != 0);
    }

    void saysWhatNeverComes()
    {
        StepApp app("input x: f32[16]\noutput x * 2\n");
        QVERIFY(app.open());
        QVERIFY(app.press(Qt::Key_F11));
        const QString before = app.picture();
        QVERIFY(app.press(Qt::Key_N));
        const QString note = app.child<QLabel>("stepNote").text();
        QVERIFY2(note.startsWith("NaN does not come in the ") && note.endsWith(" to the end."), qPrintable(note));
        QCOMPARE(app.picture(), before);
    }

    void jumpsToAnIteration()
    {
        StepApp app("input x: f32[6, 40]\noutput sum(x * x, axis = 1)\n");
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        app.choose("interpreter");
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.window.session().device() == "interpreter", kPatience);
        QVERIFY(app.open());
        const auto &loops = app.debugger().facts()->loops;
        QVERIFY(!loops.empty());
        const std::string inner = loops.back().name;
        QSpinBox &number = *app.panel().findChild<QSpinBox *>(QString::fromStdString("counter." + inner));
        QCOMPARE(number.text(), QStringLiteral("\u2013")); // the run is not in it
        const auto valueNow = [&] {
            for (const sw::TraceCounter &counter : app.position().counters)
                if (counter.name == inner)
                    return counter.value;
            return std::int64_t{-1};
        };
        number.setFocus();
        number.selectAll();
        QTest::keyClicks(&number, "7");
        QTest::keyClick(&number, Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(valueNow(), std::int64_t{7}, kPatience);
        const std::uint64_t there = app.position().position;
        QTest::keyClick(&number, Qt::Key_Up);
        QTRY_COMPARE_WITH_TIMEOUT(valueNow(), std::int64_t{8}, kPatience);
        QTest::keyClick(&number, Qt::Key_Down);
        QTRY_COMPARE_WITH_TIMEOUT(valueNow(), std::int64_t{7}, kPatience);
        QCOMPARE(app.position().position, there);
        app.panel().findChild<QSlider *>(QString::fromStdString("counterSlider." + inner))->setValue(20);
        QTRY_COMPARE_WITH_TIMEOUT(valueNow(), std::int64_t{20}, kPatience);
        // The scrubber leads to any step, once the end is known.
        QSlider &scrubber = app.child<QSlider>("stepScrubber");
        app.view().setFocus();
        QVERIFY(app.press(Qt::Key_E));
        QVERIFY(scrubber.isEnabled());
        scrubber.setValue(static_cast<int>(there));
        QTRY_COMPARE_WITH_TIMEOUT(app.position().position, there, kPatience);
        QCOMPARE(valueNow(), std::int64_t{7});
    }

    void aRecompilationKeepsWhatItCan()
    {
        StepApp app(kSoftmax);
        QVERIFY(app.open());
        const int store = EngineApp::rowWith(app.view(), " store ");
        const QString text = app.view().rows().textAt(store);
        app.clickGutter(store);
        for (int i = 0; i < 12; ++i)
            QVERIFY(app.press(Qt::Key_F11));
        const QString before = app.picture();
        const auto isAnew = [&app] {
            return app.isReady() && app.window.session().isCompiledText(app.editor().toPlainText()) && app.isOpen() &&
                   app.debugger().compilation() == app.snapshot().compilation;
        };
        // The same kernel: it is where it was.
        app.editor().moveCursor(QTextCursor::End);
        app.type("# a comment\n");
        QTRY_VERIFY_WITH_TIMEOUT(isAnew(), kPatience);
        QCOMPARE(app.picture(), before);
        QCOMPARE(app.view().run().stops.count(store), 1U);
        // Another text: it begins again, and the breakpoint is at its line.
        app.editor().setPlainText("input scores: f32[8, 128]\noutput softmax(scores, axis = -1)\n");
        QTRY_VERIFY_WITH_TIMEOUT(isAnew(), kPatience);
        QCOMPARE(app.position().position, 0U);
        QCOMPARE(app.view().run().stops.size(), 1U);
        // An error: the last good kernel stays, marked.
        app.editor().setPlainText("input scores: f32[8, 128]\noutput softmax(nothing)\n");
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && !app.snapshot().report->succeeded, kPatience);
        QVERIFY(app.panel().isMarkedOutOfDate());
        QVERIFY(app.press(Qt::Key_F11));
        QCOMPARE(app.position().position, 1U);
        // Another program has other kernels.
        app.editor().document()->setModified(false);
        app.window.openText("other.sw", "input x: f32[4]\noutput exp(x)\n");
        QCOMPARE(app.debugger().position(), nullptr);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.isOpen(), kPatience);
        QVERIFY(app.view().run().stops.empty());
        app.editor().document()->setModified(false);
    }

    void aPictureShowsAStep()
    {
        StepApp app(kSoftmax);
        const auto reasonOf = [&app](const QString &step) {
            app.window.session().compileNow();
            Capture capture(app.window, {app.folder.filePath("picture.png"), {}, false, kPatience, {}, step});
            QSignalSpy finished(&capture, &Capture::finished);
            while (finished.isEmpty())
                QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
            return finished.front().front().toString();
        };
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        const QString kernel = QString::fromStdString(app.snapshot().report->kernels.front().name);
        QCOMPARE(reasonOf(kernel + ":17"), QString());
        QCOMPARE(app.position().position, 17U);
        QVERIFY(app.panel().isVisible());
        QVERIFY2(reasonOf("nothing:3").contains("not nothing:3"), qPrintable(reasonOf("nothing:3")));
        QVERIFY(reasonOf(kernel).contains("KERNEL:STEPS"));
    }

    void breakpointsFollowTheirLines()
    {
        BreakpointList list;
        list.set({5, "acc > 1"});
        list.set({2});
        list.set({2, "", false});
        QCOMPARE(list.all(), (std::vector<Breakpoint>{{2, "", false}, {5, "acc > 1"}}));
        list.follow({"a", "b", "c", "b", "e"}, {"new", "a", "b", "c", "b"});
        // The nearest line with the text; a text that is gone leaves it in its line.
        QCOMPARE(list.all(), (std::vector<Breakpoint>{{3, "", false}, {5, "acc > 1"}}));
        list.follow({"new", "a", "b", "c", "b"}, {"b"});
        QCOMPARE(list.all().size(), 1U);
        QCOMPARE(list.all().front().line, 1U);
        list.follow({"b"}, {});
        QVERIFY(list.all().empty());
    }

    void followsTheChosenKernelUntilItSteps()
    {
        StepApp app("input x: f32[4, 8]\na = kernel(exp(x) * 2, name = \"first\")\noutput sum(a, axis = 1)\n");
        QVERIFY(app.open());
        QCOMPARE(app.debugger().facts()->name, "first");
        EngineApp::click(app.kernels(), "k1_reduce_add");
        QTRY_VERIFY_WITH_TIMEOUT(app.isOpen() && app.debugger().kernel() == 1U, kPatience);
        // It reads what the first has written.
        app.view().setFocus();
        QVERIFY(app.press(Qt::Key_L));
        QVERIFY(std::stod(app.position().accesses.at(0).values.at(0)) > 0);
        const std::uint64_t left = app.position().position;
        // A click on another kernel's line does not lead away from a run; choosing the kernel does, and back to where it was.
        app.view().setFocus();
        QComboBox &kernels = app.child<QComboBox>("stepKernels");
        QCOMPARE(kernels.currentText(), "k1_reduce_add");
        kernels.setCurrentIndex(0);
        emit kernels.activated(0);
        QTRY_VERIFY_WITH_TIMEOUT(app.isOpen() && app.debugger().kernel() == 0U, kPatience);
        QCOMPARE(app.position().position, 0U);
        EngineApp::click(app.kernels(), "k1_reduce_add");
        QTRY_VERIFY_WITH_TIMEOUT(app.isOpen() && app.debugger().kernel() == 1U, kPatience);
        QCOMPARE(app.position().position, left);
    }

    void aLongSearchCanBeStopped()
    {
        StepApp app("input x: f32[1024, 1024]\ninput y: f32[1024, 1024]\noutput x @ y\n");
        QVERIFY(app.open());
        for (int i = 0; i < 5; ++i)
            QVERIFY(app.press(Qt::Key_F11));
        const QString before = app.picture();
        QTest::keyClick(&app.view(), Qt::Key_N);
        QToolButton &stop = app.child<QToolButton>("stepStop");
        QTRY_VERIFY_WITH_TIMEOUT(stop.isEnabled(), kPatience);
        const auto &note = app.child<QLabel>("stepNote");
        QTRY_VERIFY_WITH_TIMEOUT(note.text().startsWith("Searching, at step ") && app.debugger().reached() > 100'000, kPatience);
        QTest::mouseClick(&stop, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!app.debugger().isMoving(), kPatience);
        QVERIFY(app.press(Qt::Key_F11));
        QVERIFY(app.press(Qt::Key_F11, Qt::ShiftModifier));
        QCOMPARE(app.position().position, 5U);
        QCOMPARE(app.picture(), before);
    }
};

QTEST_MAIN(StepTest)
#include "tst_step.moc"
