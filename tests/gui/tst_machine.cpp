// Machine code in the window: folded copies, arrows, the list of loops, bytes and explanations, by keys and mouse. On the real
// engine.

#include "tests/gui/engine_app.h"

#include "engine/api/machine_structure.h"
#include "ui/panels/machine_panel.h"

#include <QHelpEvent>
#include <QLabel>
#include <QMenu>
#include <QToolButton>
#include <QToolTip>

using namespace stepwell::ui;

namespace {

constexpr const char *kProgram = "input a: f32[128, 128]\ninput b: f32[128, 128]\noutput a @ b\n";

struct App : EngineApp {
    App() : EngineApp(kProgram)
    {
        window.action("go.machine")->trigger();
        if (!QTest::qWaitFor([this] { return isReady() && !structure().loops.empty(); }, kPatience))
            qFatal("the machine code was not read");
        view().setFocus();
    }
    MachinePanel &panel() { return child<MachinePanel>("machine"); }
    TextView &view() { return panel().view(); }
    [[nodiscard]] const sw::StageDocumentPtr &document() { return view().rows().document(); }
    [[nodiscard]] const sw::MachineStructure &structure()
    {
        static const sw::MachineStructure kNone;
        return document() && document()->machine ? *document()->machine : kNone;
    }
    void press(char key) { QTest::keyClick(&view(), key); }
    void clickMargin(std::uint32_t line, MachineGutter::Part part)
    {
        const int row = view().rows().rowOfLine(line);
        QVERIFY(row >= 0);
        view().scrollToRow(row);
        const QRect margin = view().marginRect(row);
        for (int x = margin.width() - 1; x >= 0; --x) {
            if (panel().gutter().partAt(x, view().metrics()) != part)
                continue;
            QTest::mouseClick(view().viewport(), Qt::LeftButton, {}, QPoint(margin.left() + x - 2, margin.center().y()));
            return;
        }
        QFAIL("the margin has no such part");
    }
    [[nodiscard]] std::uint32_t chosenLine() { return view().rows().lineAt(view().chosenRow()); }
};

} // namespace

class TestMachine : public QObject {
    Q_OBJECT

private slots:
    void copiesAreFoldedAndUnfoldExactly()
    {
        App app;
        const sw::MachineStructure &structure = app.structure();
        QVERIFY(!structure.copies.empty());
        const int all = static_cast<int>(app.document()->lines.size());
        int hidden = 0;
        for (const sw::MachineCopyLines &copies : structure.copies)
            hidden += static_cast<int>(copies.length * (copies.count - 1));
        QVERIFY(hidden > 0);
        QCOMPARE(app.view().rows().count(), all - hidden);
        const sw::MachineCopyLines first = structure.copies.front();
        QVERIFY(app.view()
                    .run()
                    .notes.at(app.view().rows().rowOfLine(first.first))
                    .text.contains(QString::fromStdString(first.summary)));

        app.clickMargin(first.first, MachineGutter::Part::Fold);
        QCOMPARE(app.view().rows().count(), all - hidden + static_cast<int>(first.length * (first.count - 1)));
        QCOMPARE(app.chosenLine(), first.first);
        app.press('F');
        QCOMPARE(app.view().rows().count(), all - hidden);

        app.panel().unfoldAll();
        QCOMPARE(app.view().rows().count(), all);
        for (int row = 0; row < all; ++row)
            QCOMPARE(app.view().rows().lineAt(row), static_cast<std::uint32_t>(row));
        app.panel().foldAll();
        QCOMPARE(app.view().rows().count(), all - hidden);
    }

    void arrowsAreFollowedByKeyAndClick()
    {
        App app;
        const sw::MachineStructure &structure = app.structure();
        QVERIFY(!structure.jumps.empty());
        const sw::MachineJump jump = structure.jumps.back();
        app.view().chooseRow(app.view().rows().rowOfLine(jump.from));
        app.press('J');
        QCOMPARE(app.chosenLine(), jump.to);
        app.clickMargin(jump.from, MachineGutter::Part::Arrows);
        QCOMPARE(app.chosenLine(), jump.to);
    }

    void loopsAreSteppedThroughTheHottestFirst()
    {
        App app;
        const sw::MachineStructure &structure = app.structure();
        QVERIFY(structure.byHeat.size() > 1);
        const sw::MachineLoopLines &hottest = structure.loops[structure.byHeat[0]];
        QCOMPARE(hottest.rank, 0U);
        QVERIFY(hottest.cyclesPerRound > 0 || hottest.throughput.find("no estimate") == 0);
        app.press(']');
        QCOMPARE(app.chosenLine(), hottest.header);
        QVERIFY(app.child<QLabel>("machineTold").text().contains("general"));
        app.press(']');
        QCOMPARE(app.chosenLine(), structure.loops[structure.byHeat[1]].header);
        app.press('[');
        QCOMPARE(app.chosenLine(), hottest.header);

        QMenu *menu = app.child<QToolButton>("machineLoops").menu();
        emit menu->aboutToShow();
        QCOMPARE(menu->actions().size(), static_cast<qsizetype>(structure.loops.size()));
        QVERIFY(menu->actions().front()->text().contains(QString::fromStdString(hottest.summary)));
        menu->actions().back()->trigger();
        QCOMPARE(app.chosenLine(), structure.loops[structure.byHeat.back()].header);
    }

    void bytesAreShownOnDemand()
    {
        App app;
        const int narrow = app.view().marginRect(0).width();
        app.press('B');
        QVERIFY(app.child<QToolButton>("machineBytes").isChecked());
        QVERIFY(app.view().marginRect(0).width() > narrow);
        QTest::mouseClick(&app.child<QToolButton>("machineBytes"), Qt::LeftButton);
        QCOMPARE(app.view().marginRect(0).width(), narrow);
    }

    void pointingExplainsTheInstruction()
    {
        App app;
        const int row = App::rowWith(app.view(), "vfmadd");
        QVERIFY(row >= 0);
        app.view().scrollToRow(row);
        const QPoint at = app.view().rowRect(row).center();
        QHelpEvent event(QEvent::ToolTip, at, app.view().viewport()->mapToGlobal(at));
        QApplication::sendEvent(app.view().viewport(), &event);
        QVERIFY(QToolTip::text().contains("one rounding"));
        QVERIFY(QToolTip::text().contains("reads: "));
        QVERIFY(QToolTip::text().contains("cycles to its result"));
    }

    // A partner that is folded away is unfolded when it is selected.
    void whatIsSelectedElsewhereIsSeen()
    {
        App app;
        const sw::MachineCopyLines copies = app.structure().copies.front();
        const std::uint32_t last = copies.first + copies.length * copies.count - 1;
        QCOMPARE(app.view().rows().rowOfLine(last), -1);
        app.window.selection().select(sw::StageKind::Machine, {app.document()->lines[last].item});
        QVERIFY(app.view().rows().rowOfLine(last) >= 0);
    }
};

QTEST_MAIN(TestMachine)
#include "tst_machine.moc"
