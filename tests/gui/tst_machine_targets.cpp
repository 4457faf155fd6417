// Other processors beside this machine's code: chosen by key and mouse, made on demand, kept, lit up with everything else. On the
// real engine.

#include "tests/gui/pictures.h"

#include "engine/api/machine_structure.h"
#include "ui/panels/machine_columns.h"
#include "ui/panels/machine_panel.h"

#include <QAction>
#include <QHelpEvent>
#include <QLabel>
#include <QMenu>
#include <QTimer>
#include <QToolButton>
#include <QToolTip>

using namespace stepwell::ui;

namespace {

constexpr const char *kSoftmax = "input scores: f32[128, 256]\noutput probabilities = softmax(scores, axis = -1)\n";
constexpr const char *kMlp = "input x: f32[64, 96]\nparam w1: f32[96, 80] = random(1)\nparam w2: f32[80, 10] = random(2)\n"
                             "hidden = relu(x @ w1)\noutput softmax(hidden @ w2, axis = -1)\n";

struct App : EngineApp {
    explicit App(const char *program = kSoftmax, const QString &home = {})
        : EngineApp(std::unique_ptr<sw::Backend>(), STEPWELL_HOST_PROGRAM, home)
    {
        window.openText("test.sw", program);
        window.action("go.machine")->trigger();
        if (!QTest::qWaitFor([this] { return isReady() && panel().code().structure() != nullptr; }, kPatience))
            qFatal("the machine code was not read");
        panel().view().setFocus();
    }
    MachinePanel &panel() { return child<MachinePanel>("machine"); }
    MachineColumns &columns() { return panel().columns(); }
    MachineColumn &column(const char *target)
    {
        for (MachineColumn *one : columns().columns())
            if (one->target() == QLatin1String(target))
                return *one;
        qFatal("there is no column for %s", target);
    }
    [[nodiscard]] QStringList targets()
    {
        QStringList names;
        for (MachineColumn *one : columns().columns())
            names << one->target();
        return names;
    }
    // By the menu of the button.
    void choose(const char *target)
    {
        QMenu *menu = child<QToolButton>("machineTargets").menu();
        emit menu->aboutToShow();
        for (QAction *action : menu->actions())
            if (action->data().toString() == QLatin1String(target)) {
                action->trigger();
                return;
            }
        qFatal("the menu has no %s", target);
    }
    [[nodiscard]] bool hasCode(const char *target) { return !column(target).view().rows().isEmpty(); }
    void chooseAndWait(const char *target)
    {
        choose(target);
        if (!QTest::qWaitFor([&] { return hasCode(target); }, kPatience))
            qFatal("no code for %s: %s", target, qPrintable(column(target).hint()));
    }
    // Behind the margin.
    static QPoint textOf(const TextView &view, int row)
    {
        const QRect rect = view.rowRect(row);
        return {rect.right() - 10, rect.center().y()};
    }
    static void clickRow(TextView &view, int row)
    {
        view.scrollToRow(row);
        QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, textOf(view, row));
    }
    static void pointAtRow(TextView &view, int row)
    {
        view.scrollToRow(row);
        QTest::mouseMove(view.viewport(), textOf(view, row) + QPoint(1, 0));
        QTest::mouseMove(view.viewport(), textOf(view, row));
    }
    // A row of the column that was made for a lowered instruction.
    static int rowWithInstruction(const TextView &view)
    {
        for (int row = view.rows().count() - 1; row >= 0; --row) {
            const sw::ItemIndex item = view.rows().itemAt(row);
            if (item != sw::kNoIndex && view.rows().document()->items[item].instruction != sw::kNoIndex)
                return row;
        }
        return -1;
    }
};

} // namespace

class TestMachineTargets : public QObject {
    Q_OBJECT

private slots:
    void processorsAreChosenFromTheEnginesList()
    {
        App app;
        QVERIFY(!app.columns().isVisible());
        QMenu *menu = app.child<QToolButton>("machineTargets").menu();
        emit menu->aboutToShow();
        QStringList offered;
        for (const QAction *action : menu->actions())
            if (action->isCheckable())
                offered << action->data().toString();
        QStringList known;
        for (const sw::TargetEntry &entry : sw::targetEntries())
            known << QString::fromStdString(entry.name);
        QCOMPARE(offered, known);
        app.chooseAndWait("haswell");
        app.chooseAndWait("aarch64");
        QCOMPARE(app.targets(), (QStringList{"haswell", "aarch64"}));
        QVERIFY(app.columns().isVisible());
        QVERIFY(App::rowWith(app.column("haswell").view(), "ymm") >= 0);
        QVERIFY(App::rowWith(app.column("aarch64").view(), "fmla") >= 0 ||
                App::rowWith(app.column("aarch64").view(), "fmadd") >= 0);
        // Explained, with loops and simulated cycles, as this machine's code is.
        const sw::MachineStructure &structure = *app.column("haswell").code().structure();
        QVERIFY(!structure.loops.empty());
        QVERIFY(app.child<QLabel>("machineTold-haswell").text().contains("at most"));
        takePictures(app, QStringLiteral("targets"));
        app.panel().view().setFocus();
        app.window.action("pane.maximise")->trigger();
        QTest::keyClick(&app.panel().view(), Qt::Key_BracketRight);
        takePictures(app, QStringLiteral("targets-maximised"));
        app.window.action("pane.maximise")->trigger();
        // And taken away again, by the cross and by the menu.
        QTest::mouseClick(&app.child<QToolButton>("machineClose-haswell"), Qt::LeftButton);
        QCOMPARE(app.targets(), QStringList{"aarch64"});
        emit menu->aboutToShow();
        menu->actions().back()->trigger();
        QVERIFY(app.targets().isEmpty());
        QVERIFY(!app.columns().isVisible());
    }

    void theKeyOpensTheList()
    {
        App app;
        bool isOpened = false;
        QTimer timer;
        connect(&timer, &QTimer::timeout, &timer, [&] {
            if (auto *menu = qobject_cast<QMenu *>(QApplication::activePopupWidget())) {
                isOpened = menu->actions().size() >= 16;
                timer.stop();
                QTest::keyClick(menu, Qt::Key_Down);
                QTest::keyClick(menu, Qt::Key_Return);
            }
        });
        timer.start(5);
        QTest::keyClick(&app.panel().view(), Qt::Key_T);
        QTRY_VERIFY_WITH_TIMEOUT(isOpened, kPatience);
        QTRY_COMPARE_WITH_TIMEOUT(app.targets(), QStringList{QString::fromStdString(sw::targetEntries().front().name)},
                                  kPatience);
    }

    void whatBelongsTogetherLightsUp()
    {
        App app;
        app.window.resize(3000, 1200); // with room for all columns
        app.chooseAndWait("aarch64+sve");
        app.chooseAndWait("znver4");
        MachineColumn &arm = app.column("aarch64+sve");
        MachineColumn &zen = app.column("znver4");
        TextView &lowered = app.text("lowered");

        // A lowered instruction, the line of the program and an instruction of this machine light up the columns.
        const int row = App::rowWith(lowered, "store");
        QVERIFY(row >= 0);
        App::clickRow(lowered, row);
        QVERIFY(!arm.selection().selected(sw::StageKind::Machine).lines.empty());
        QVERIFY(!zen.selection().selected(sw::StageKind::Machine).lines.empty());
        const std::uint32_t instruction = lowered.rows().itemAt(row);
        for (const sw::ItemIndex item : arm.selection().selected(sw::StageKind::Machine).items)
            QCOMPARE(arm.view().rows().document()->items[item].instruction, instruction);
        app.window.selection().select(sw::StageKind::Program, {0});
        QVERIFY(!arm.selection().selected(sw::StageKind::Machine).isEmpty());
        const int own = App::rowWithInstruction(app.panel().view());
        QVERIFY(own >= 0);
        App::pointAtRow(app.panel().view(), own);
        QVERIFY(!arm.selection().hovered(sw::StageKind::Machine).isEmpty());

        // An instruction of a column lights up everything else.
        const int there = App::rowWithInstruction(arm.view());
        QVERIFY(there >= 0);
        App::pointAtRow(arm.view(), there);
        const std::uint32_t made = arm.view().rows().document()->items[arm.view().rows().itemAt(there)].instruction;
        QCOMPARE(app.window.selection().hovered(sw::StageKind::Lowered).items, std::vector<sw::ItemIndex>{made});
        QVERIFY(!app.window.selection().hovered(sw::StageKind::Program).isEmpty());
        QVERIFY(!app.window.selection().hovered(sw::StageKind::Machine).isEmpty());
        QVERIFY(!zen.selection().hovered(sw::StageKind::Machine).isEmpty());
        App::clickRow(arm.view(), there);
        QCOMPARE(app.window.selection().selected(sw::StageKind::Lowered).items, std::vector<sw::ItemIndex>{made});
        QVERIFY(arm.selection().selected(sw::StageKind::Machine).hasLine(arm.view().rows().lineAt(there)));
        QTest::keyClick(&arm.view(), Qt::Key_Escape);
        QVERIFY(!app.window.selection().hasSelection());
    }

    void keysWorkInAColumn()
    {
        App app;
        app.chooseAndWait("x86-64-v3");
        MachineColumn &column = app.column("x86-64-v3");
        const sw::MachineStructure &structure = *column.code().structure();
        QVERIFY(!structure.byHeat.empty());
        column.view().setFocus();
        QTest::keyClick(&column.view(), Qt::Key_BracketRight);
        QCOMPARE(column.code().chosenLine(), structure.loops[structure.byHeat[0]].header);
        const int narrow = column.view().marginRect(0).width();
        QTest::keyClick(&column.view(), Qt::Key_B);
        QVERIFY(column.view().marginRect(0).width() > narrow);
        QVERIFY(!structure.jumps.empty());
        column.view().chooseRow(column.view().rows().rowOfLine(structure.jumps.back().from));
        QTest::keyClick(&column.view(), Qt::Key_J);
        QCOMPARE(column.code().chosenLine(), structure.jumps.back().to);
    }

    void pointingExplainsTheInstructionOfAnotherProcessor()
    {
        App app;
        app.chooseAndWait("haswell");
        TextView &view = app.column("haswell").view();
        const int row = App::rowWith(view, "vfmadd");
        QVERIFY(row >= 0);
        view.scrollToRow(row);
        const QPoint at = App::textOf(view, row);
        QHelpEvent event(QEvent::ToolTip, at, view.viewport()->mapToGlobal(at));
        QApplication::sendEvent(view.viewport(), &event);
        QVERIFY(QToolTip::text().contains("one rounding"));
        QVERIFY(QToolTip::text().contains("cycles to its result"));
    }

    void eachKernelHasItsOwnAndKeepsIt()
    {
        App app(kMlp);
        QVERIFY(app.snapshot().report->kernels.size() > 1);
        app.chooseAndWait("riscv64+v");
        MachineColumn &column = app.column("riscv64+v");
        const sw::StageDocumentPtr first = column.view().rows().document();
        const std::uint32_t kernel = app.columns().kernel();
        const std::uint32_t other = kernel == 0 ? 1 : 0;
        const auto &lowered = app.snapshot().stage(sw::StageKind::Lowered).document->items;
        const auto itemOf = [&](std::uint32_t wanted) {
            return static_cast<sw::ItemIndex>(std::ranges::find(lowered, wanted, &sw::DocumentItem::kernel) - lowered.begin());
        };
        app.window.selection().select(sw::StageKind::Lowered, {itemOf(other)});
        QCOMPARE(app.columns().kernel(), other);
        QTRY_VERIFY_WITH_TIMEOUT(app.hasCode("riscv64+v"), kPatience);
        QCOMPARE(column.view().rows().document()->items.front().kernel, other);
        app.window.selection().select(sw::StageKind::Lowered, {itemOf(kernel)});
        QCOMPARE(column.view().rows().document(), first); // at once
    }

    void makingIsStoppedAndBegunAgain()
    {
        App app;
        app.choose("amdgcn");
        auto &work = app.child<QToolButton>("machineWork-amdgcn");
        QVERIFY(!app.hasCode("amdgcn"));
        QTest::mouseClick(&work, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        QCOMPARE(app.column("amdgcn").hint(), "Stopped.");
        QVERIFY(!app.hasCode("amdgcn"));
        QTest::mouseClick(&work, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(app.hasCode("amdgcn") || !app.column("amdgcn").hint().contains("Compiling"), kPatience);
        QVERIFY2(app.hasCode("amdgcn"), qPrintable(app.column("amdgcn").hint()));
    }

    void whatCannotBeMadeSaysWhy()
    {
        App app;
        app.chooseAndWait("aarch64");
        app.EngineApp::choose("c"); // its text is C
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.column("aarch64").hint().contains("only the device llvm"), kPatience);
        QVERIFY(!app.hasCode("aarch64"));
        app.EngineApp::choose("llvm");
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.hasCode("aarch64"), kPatience);
    }

    void theChoiceIsKept()
    {
        QTemporaryDir home;
        {
            App app(kSoftmax, home.path());
            app.choose("znver3");
            app.choose("nvptx64");
            app.settings.sync();
        }
        App app(kSoftmax, home.path());
        QCOMPARE(app.targets(), (QStringList{"znver3", "nvptx64"}));
        QTRY_VERIFY_WITH_TIMEOUT(app.hasCode("znver3") && app.hasCode("nvptx64"), kPatience);
    }

    void measuredCyclesStandBesideSimulatedOnes()
    {
        App app(kMlp);
        auto &told = app.child<QLabel>("machineCycles");
        QVERIFY(told.isHidden());
        app.window.action("compile.run")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && !told.isHidden(), kPatience);
        QVERIFY2(told.text().contains("measured"), qPrintable(told.text()));
        QVERIFY2(told.toolTip().contains("measured by dependent additions"), qPrintable(told.toolTip()));
        takePictures(app, QStringLiteral("cycles"));
        const auto &lowered = app.snapshot().stage(sw::StageKind::Lowered).document->items;
        for (const std::uint32_t kernel : {1U, 0U}) {
            const auto item = std::ranges::find(lowered, kernel, &sw::DocumentItem::kernel);
            app.window.selection().select(sw::StageKind::Lowered, {static_cast<sw::ItemIndex>(item - lowered.begin())});
            QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && !told.isHidden(), kPatience);
            QCOMPARE(app.columns().kernel(), kernel);
        }
        // They are those of the selected kernel, and belong to what was measured.
        app.type("\n");
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && told.isHidden(), kPatience);
    }
};

QTEST_MAIN(TestMachineTargets)
#include "tst_machine_targets.moc"
