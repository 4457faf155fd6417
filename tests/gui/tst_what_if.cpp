// Why, and what if, on the real engine: a card is read, its button pressed, and
// the window says what that did.

#include "tests/gui/what_if_app.h"
#include "ui/notice_bar.h"
#include "ui/panels/loop_editor.h"
#include "ui/panels/what_if_panel.h"

#include <QAction>
#include <QComboBox>
#include <QCompleter>
#include <QContextMenuEvent>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QTableWidget>
#include <QTextBrowser>
#include <QToolButton>

using namespace stepwell::ui;
using sw::StageKind;

namespace {

constexpr const char *kApart = "apart softmax/max -> softmax/shifted";

using App = WhatIfApp;

QString written(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

} // namespace

class TestWhatIf : public QObject {
    Q_OBJECT

private slots:
    void anEdgeIsForbiddenUndoneAndSwitchedOff()
    {
        App app;
        QTRY_COMPARE_WITH_TIMEOUT(app.kernelCount(), std::size_t{1}, kPatience);
        app.window.action("compile.run")->trigger(); // the time before the change
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.snapshot().report->totalMedianNanoseconds, kPatience);
        app.show("why");
        app.clickEdge("reduce_axis max", "expand");
        QTRY_VERIFY_WITH_TIMEOUT(app.hasCard("softmax/max -> softmax/shifted"), kPatience);
        QCOMPARE(app.why().card()->decision, std::string("in one kernel"));
        for (const char *part : {"Row kernel", "128", "fused from 32", "with \"apart softmax/max -> softmax/shifted\""})
            QVERIFY2(app.whyText().contains(part), qPrintable(app.whyText()));
        const double foretold = app.why().card()->changes.back().amountAfter;

        app.press("whyTry0");
        QTRY_COMPARE_WITH_TIMEOUT(app.kernelCount(), std::size_t{2}, kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(app.hasEffect() && app.after("measured time") > 0, kPatience);
        QCOMPARE(app.after("kernels"), 2.0);
        QCOMPARE(app.after("estimated time"), foretold);
        QVERIFY(app.whatIf().effect()->effect.values != sw::ValuesAgree::Unknown);
        QVERIFY2(app.whatIf().effect()->effect.values != sw::ValuesAgree::Different,
                 app.whatIf().effect()->effect.valuesText.c_str());
        // The edge is still chosen, and its card says who decided.
        QTRY_VERIFY_WITH_TIMEOUT(app.hasCard("softmax/max -> softmax/shifted") && app.why().card()->rule == "override",
                                 kPatience);
        QVERIFY(app.whyText().contains(QStringLiteral("Last change: ") + kApart));
        QVERIFY(app.whyText().contains("results "));

        app.show("whatIf");
        auto &table = app.child<QTableWidget>("whatIfTable");
        QCOMPARE(table.rowCount(), 1);
        QCOMPARE(table.item(0, 0)->text(), QString::fromLatin1(kApart));
        QCOMPARE(table.item(0, 1)->text(), QStringLiteral("applied"));
        const QString detail = app.child<QTextBrowser>("whatIfDetail").toPlainText();
        for (const char *part : {"k0_", "k1_", "kernels", "bytes moved", "estimated time", "measured time", "results "})
            QVERIFY2(detail.contains(part), qPrintable(detail));
        app.press("whatIfUndo");
        QTRY_COMPARE_WITH_TIMEOUT(app.kernelCount(), std::size_t{1}, kPatience);
        QCOMPARE(table.rowCount(), 0);
        app.press("whatIfRedo");
        QTRY_COMPARE_WITH_TIMEOUT(app.kernelCount(), std::size_t{2}, kPatience);
        table.setFocus();
        table.setCurrentCell(0, 0);
        QTest::keyClick(&table, Qt::Key_Space); // the check box
        QTRY_COMPARE_WITH_TIMEOUT(app.kernelCount(), std::size_t{1}, kPatience);
        QTRY_COMPARE_WITH_TIMEOUT(table.item(0, 1)->text(), QStringLiteral("off"), kPatience);
        QCOMPARE(app.whatIf().history().undoText(), QStringLiteral("Switch off ") + kApart);
        app.press("whatIfRemove");
        QTRY_COMPARE_WITH_TIMEOUT(table.rowCount(), 0, kPatience);
    }

    void aChangeIsMeasuredBeforeAndAfter()
    {
        App app;
        QTRY_COMPARE_WITH_TIMEOUT(app.kernelCount(), std::size_t{1}, kPatience);
        app.show("whatIf");
        auto &button = app.child<QToolButton>("whatIfMeasure");
        QVERIFY(!button.isEnabled()); // nothing has changed
        app.whatIf().add(kApart);
        QTRY_VERIFY_WITH_TIMEOUT(app.kernelCount() == 2 && button.isEnabled(), kPatience);
        const auto compilation = app.snapshot().compilation;
        for (const char *choice : {"\u00b1 5 %", "1 s"})
            for (QAction *action : button.menu()->actions())
                if (action->text() == QString::fromUtf8(choice))
                    action->trigger();
        QCOMPARE(app.child<QLabel>("whatIfMeasuring").text(), QStringLiteral("\u00b1 5 %, at most 1 s"));
        app.press("whatIfMeasure");
        QVERIFY(app.whatIf().isMeasuringInTurn());
        QCOMPARE(button.text(), QStringLiteral("Stop"));
        QTRY_VERIFY_WITH_TIMEOUT(app.whatIf().measured(), kPatience);
        const sw::Effect &effect = app.whatIf().measured()->effect;
        QVERIFY2(effect.error.empty(), effect.error.c_str());
        QCOMPARE(effect.changes.front().amountAfter, 2.0);
        QVERIFY(effect.changes.back().amountBefore > 0);
        QVERIFY(effect.values == sw::ValuesAgree::Same || effect.values == sw::ValuesAgree::Close);
        const QString detail = app.child<QTextBrowser>("whatIfDetail").toPlainText();
        for (const char *part : {"Measured before and after: apart", "measured time", "runs each in turn", "results "})
            QVERIFY2(detail.contains(part), qPrintable(detail));
        QCOMPARE(app.snapshot().compilation, compilation); // what is shown is as it was
        QVERIFY(!app.snapshot().report->totalMedianNanoseconds);
        // It can be stopped, with the keyboard too.
        for (QAction *action : button.menu()->actions())
            if (action->text() == QStringLiteral("60 s") || action->text() == QStringLiteral("\u00b1 0.2 %"))
                action->trigger();
        button.setFocus();
        QTest::keyClick(&button, Qt::Key_Space);
        QVERIFY(app.whatIf().isMeasuringInTurn());
        QTest::keyClick(&button, Qt::Key_Space);
        QVERIFY(!app.whatIf().isMeasuringInTurn() && !app.whatIf().measured());
        QCOMPARE(button.text(), QStringLiteral("Measure before and after"));
        // The next change is another one.
        app.press("whatIfUndo");
        QTRY_VERIFY_WITH_TIMEOUT(app.kernelCount() == 1 && button.isEnabled(), kPatience);
        QVERIFY(!app.whatIf().measured());
    }

    void theButtonOfADecisionByHandGivesItBackToTheRules()
    {
        App app;
        QTRY_COMPARE_WITH_TIMEOUT(app.kernelCount(), std::size_t{1}, kPatience);
        app.show("why");
        app.whatIf().add(kApart);
        QTRY_COMPARE_WITH_TIMEOUT(app.kernelCount(), std::size_t{2}, kPatience);
        app.clickEdge("reduce_axis max", "expand");
        QTRY_VERIFY_WITH_TIMEOUT(app.hasCard("softmax/max -> softmax/shifted"), kPatience);
        QCOMPARE(app.child<QPushButton>("whyTry0").text(), QStringLiteral("Let the rules decide"));
        app.press("whyTry0");
        QTRY_COMPARE_WITH_TIMEOUT(app.kernelCount(), std::size_t{1}, kPatience);
        QVERIFY(app.whatIf().lines().empty());
    }

    void everyKindOfItemHasACard()
    {
        App app;
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        app.show("why");
        App::click(app.graph(), "exp");
        QTRY_VERIFY_WITH_TIMEOUT(app.hasCard("softmax/powers"), kPatience);
        QVERIFY(app.whyText().contains("is read by"));
        App::click(app.kernels(), "k0_softmax");
        QTRY_VERIFY_WITH_TIMEOUT(app.hasCard("kernel k0_softmax"), kPatience);
        QVERIFY(app.whyText().contains("estimated time"));
        App::click(app.kernels(), "scores");
        QTRY_VERIFY_WITH_TIMEOUT(app.hasCard("buffer scores"), kPatience);
        app.show("loops");
        // Four vectors of the machine's lanes.
        const QString split = QStringLiteral("split r2 %1").arg(App::rowWith(app.text("loops"), "split r2 64") >= 0 ? 64 : 32);
        const int row = App::rowWith(app.text("loops"), split);
        QVERIFY(row >= 0);
        const sw::StageDocument &loops = *app.snapshot().stage(StageKind::Loops).document;
        app.window.selection().select(StageKind::Loops, {loops.lines[static_cast<std::size_t>(row)].item});
        QTRY_VERIFY_WITH_TIMEOUT(app.hasCard(split.toStdString()), kPatience);
        QVERIFY(app.whyText().contains("extent of r2"));
        app.window.selection().clear();
        QTRY_VERIFY(app.whyText().startsWith("Choose an edge"));
        // A part of a card leads to its own.
        App::click(app.kernels(), "k0_softmax");
        QTRY_VERIFY_WITH_TIMEOUT(app.hasCard("kernel k0_softmax"), kPatience);
        emit app.child<QTextBrowser>("whyText").anchorClicked(
            QUrl(QStringLiteral("item:%1").arg(app.why().card()->parts.front().item)));
        QTRY_VERIFY_WITH_TIMEOUT(app.hasCard("softmax/max -> softmax/shifted"), kPatience);
    }

    // Stepped back to where the kernels are being made, a decision is the same as
    // at the end.
    void aMomentBeforeTheEndIsAskedAboutToo()
    {
        App app;
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        app.show("why");
        QCOMPARE(app.window.moment().goToNamed("group-kernels"), QString());
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.window.moment().snapshot()->moment, kPatience);
        const sw::StageDocument &schedule = *app.window.moment().snapshot()->stage(StageKind::Schedule).document;
        const auto isWanted = [](const sw::DocumentItem &item) {
            return std::ranges::find(item.fields, kApart, &sw::DocumentField::value) != item.fields.end();
        };
        const auto found = std::ranges::find_if(schedule.items, isWanted);
        QVERIFY(found != schedule.items.end());
        app.window.selection().select(StageKind::Schedule, {static_cast<sw::ItemIndex>(found - schedule.items.begin())});
        QTRY_VERIFY_WITH_TIMEOUT(app.hasCard("softmax/max -> softmax/shifted"), kPatience);
        app.press("whyTry0");
        QTRY_COMPARE_WITH_TIMEOUT(app.kernelCount(), std::size_t{2}, kPatience);
    }

    // In each example, each decision of the list has its card; one is decided otherwise and the effect is told.
    void theDecisionsOfAnExampleAreAsked_data()
    {
        QTest::addColumn<QString>("example");
        for (const char *name : {"softmax", "mlp", "attention", "layer_norm"})
            QTest::addRow("%s", name) << QString::fromLatin1(name);
    }
    void theDecisionsOfAnExampleAreAsked()
    {
        QFETCH(QString, example);
        App app;
        QVERIFY(app.window.openFile(QStringLiteral(STEPWELL_SOURCE_FOLDER "/resources/examples/%1.sw").arg(example)));
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        app.show("why");
        app.child<QComboBox>("whyFilter").setCurrentIndex(4); // all
        auto &list = app.child<QListWidget>("whyList");
        QVERIFY(list.count() > 3);
        int offered = 0;
        for (int row = 0; row < list.count(); ++row) {
            list.setCurrentRow(row);
            QTRY_VERIFY_WITH_TIMEOUT(app.hasCard(list.item(row)->text().toStdString()), kPatience);
            const sw::WhyCard &card = *app.why().card();
            QVERIFY2(card.numbers.size() >= 2 && app.whyText().contains(QString::fromStdString(card.reason)),
                     qPrintable(app.whyText()));
            QCOMPARE(app.child<QPushButton>("whyTry0").isEnabled(), card.obstacles.empty());
            offered += card.obstacles.empty() ? 1 : 0;
        }
        QVERIFY(offered > 0);
        while (!app.why().card()->obstacles.empty()) {
            list.setCurrentRow(list.currentRow() - 1);
            QTRY_VERIFY_WITH_TIMEOUT(app.hasCard(list.currentItem()->text().toStdString()), kPatience);
        }
        const std::vector<sw::FigureChange> foretold = app.why().card()->changes;
        app.press("whyTry0");
        QTRY_VERIFY_WITH_TIMEOUT(app.hasEffect(), kPatience);
        for (const sw::FigureChange &change : foretold)
            QCOMPARE(app.after(change.name), change.amountAfter);
        QCOMPARE(app.whatIf().entry(0)->state, std::string("applied"));
    }

    void nearMissesAreListedAndChosen()
    {
        App app("input x: f32[31, 2000]\noutput y = x - sum(exp(x), axis = 1, "
                "keepdims = true)\n");
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        app.show("why");
        auto &filter = app.child<QComboBox>("whyFilter");
        auto &list = app.child<QListWidget>("whyList");
        QVERIFY(!list.isVisible());
        QVERIFY2(filter.itemText(1).endsWith("(1)"), qPrintable(filter.itemText(1)));
        QTest::keyClick(&filter, Qt::Key_Down);
        QVERIFY(list.isVisible());
        QCOMPARE(list.count(), 1);
        QTest::mouseClick(list.viewport(), Qt::LeftButton, {}, list.visualItemRect(list.item(0)).center());
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.why().isSettled() && app.why().card(), kPatience);
        QCOMPARE(app.why().card()->rule, std::string("row"));
        QVERIFY(app.whyText().contains("31"));
        app.press("whyTry0");
        QTRY_COMPARE_WITH_TIMEOUT(app.kernelCount(), std::size_t{1}, kPatience);
        filter.setCurrentIndex(3); // decided by hand
        QTRY_COMPARE_WITH_TIMEOUT(list.count(), 1, kPatience);
    }

    void transformationsAreEditedLineByLine()
    {
        App app;
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        app.show("why");
        App::click(app.kernels(), "k0_softmax");
        QTRY_VERIFY_WITH_TIMEOUT(app.hasCard("kernel k0_softmax"), kPatience);
        app.press("whyTry1"); // change its loops
        app.show("whatIf");
        auto &editor = *app.window.findChild<LoopEditor *>();
        auto &lines = app.child<QListWidget>("loopLines");
        auto &problem = app.child<QLabel>("loopProblem");
        const auto isChecked = [&] { return app.isReady() && !editor.isChecking() && !app.whatIf().isMeasuring(); };
        QTRY_VERIFY_WITH_TIMEOUT(isChecked() && lines.count() == 10, kPatience);
        QVERIFY(editor.isVisible());
        QVERIFY2(problem.text().isEmpty(), qPrintable(problem.text()));
        const auto type = [&](int row, const QString &text) {
            lines.setFocus();
            lines.setCurrentRow(row);
            lines.editItem(lines.item(row));
            auto &line = app.child<QLineEdit>("loopLine");
            line.selectAll();
            QTest::keyClicks(&line, text);
            QTest::keyClick(&line, Qt::Key_Return);
        };
        // An illegal line says why and what is legal; the program stays as it was.
        QCOMPARE(lines.item(8)->text(), QStringLiteral("split i0 8"));
        type(8, "split i0 1000");
        QTRY_VERIFY_WITH_TIMEOUT(isChecked() && problem.text().contains("between 1 and the extent 128"), kPatience);
        QVERIFY2(problem.text().contains("Legal: split AXIS FACTOR"), qPrintable(problem.text()));
        QVERIFY(app.whatIf().lines().front().text.find("split i0 8") != std::string::npos);
        // A legal one is compiled at once.
        type(8, "split i0 16");
        QTRY_VERIFY_WITH_TIMEOUT(isChecked() && app.whatIf().lines().front().text.find("split i0 16") != std::string::npos,
                                 kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(isChecked() && App::rowWith(app.text("loops"), "split i0 16") >= 0, kPatience);
        QCOMPARE(app.whatIf().entry(0)->state, std::string("applied"));
        // Completion knows the loops that there are at the line.
        lines.setCurrentRow(9);
        lines.editItem(lines.item(9));
        const QAbstractItemModel *completions = app.child<QLineEdit>("loopLine").completer()->model();
        QStringList offered;
        for (int i = 0; i < completions->rowCount(); ++i)
            offered << completions->index(i, 0).data().toString();
        QVERIFY(offered.contains("set_type i0.o thread"));
        QVERIFY(!offered.contains("set_type i0 thread"));
        QTest::keyClick(&app.child<QLineEdit>("loopLine"), Qt::Key_Escape);
        // Moved before what makes its axis, it is illegal; moved back, it is legal.
        app.press("loopUp");
        QTRY_VERIFY_WITH_TIMEOUT(isChecked() && problem.text().contains("no axis"), kPatience);
        app.press("loopDown");
        QTRY_VERIFY_WITH_TIMEOUT(isChecked() && problem.text().isEmpty(), kPatience);
        lines.setCurrentRow(9);
        app.press("loopRemove");
        QTRY_VERIFY_WITH_TIMEOUT(isChecked() && App::rowWith(app.text("loops"), "set_type i0.o thread") < 0, kPatience);
        QCOMPARE(lines.count(), 9);
        app.press("whatIfUndo");
        QTRY_VERIFY_WITH_TIMEOUT(isChecked() && lines.count() == 10, kPatience);
    }

    void theMenuOfAnEdgeOffersTheOtherDecision()
    {
        App app;
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        const QPoint at = app.pointOnEdge("reduce_axis max", "expand");
        QVERIFY(!app.isCut("reduce_axis max", "expand"));
        const auto openMenu = [&] {
            QContextMenuEvent event(QContextMenuEvent::Mouse, at, app.graph().mapToGlobal(at));
            QApplication::sendEvent(&app.graph(), &event);
            return QTest::qWaitFor([] { return QApplication::activePopupWidget() != nullptr; }, kPatience)
                       ? qobject_cast<QMenu *>(QApplication::activePopupWidget())
                       : nullptr;
        };
        QMenu *menu = openMenu();
        QVERIFY(menu);
        QVERIFY(menu->actions().size() > 3); // and what every pane offers
        QCOMPARE(menu->actions()[2]->toolTip(), QString::fromLatin1(kApart));
        menu->actions()[2]->trigger();
        menu->close();
        QTRY_COMPARE_WITH_TIMEOUT(app.kernelCount(), std::size_t{2}, kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.isCut("reduce_axis max", "expand"), kPatience);
        QVERIFY(!app.isCut("sub", "exp"));
        const QString tip = edgeToolTip(*app.graph().scene(), app.edge("reduce_axis max", "expand"),
                                        app.snapshot().stage(StageKind::Schedule).document.get());
        QVERIFY2(tip.contains("apart by override"), qPrintable(tip));
    }

    void whatIsWrongIsSaid()
    {
        App app;
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        app.show("whatIf");
        app.whatIf().add("store softmax/nothing");
        auto &table = app.child<QTableWidget>("whatIfTable");
        QTRY_COMPARE_WITH_TIMEOUT(app.isReady() ? table.item(0, 1)->text() : QString(), QStringLiteral("unknown value"),
                                  kPatience);
        QVERIFY(app.child<QTextBrowser>("whatIfDetail").toPlainText().contains("there is no value"));
        table.item(0, 0)->setText("melt softmax/max");
        QVERIFY(app.child<QTextBrowser>("whatIfDetail").toPlainText().contains("unknown override \"melt\""));
        QCOMPARE(table.item(0, 0)->text(), QStringLiteral("store softmax/nothing"));
        table.item(0, 0)->setText("store softmax/powers");
        QTRY_COMPARE_WITH_TIMEOUT(app.isReady() ? table.item(0, 1)->text() : QString(), QStringLiteral("applied"), kPatience);
    }

    void overridesLieBesideTheProgram()
    {
        const QTemporaryDir folder;
        const QString program = folder.filePath("softmax.sw");
        const QString overrides = folder.filePath("softmax.overrides");
        {
            QFile file(program);
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(kSoftmax);
        }
        {
            App app;
            QVERIFY(app.window.openFile(program));
            QTRY_COMPARE_WITH_TIMEOUT(app.kernelCount(), std::size_t{1}, kPatience);
            QVERIFY(!app.child<NoticeBar>("overridesNotice").isVisible());
            app.whatIf().add(kApart);
            app.whatIf().setNote(0, "for the lecture");
            QTRY_COMPARE_WITH_TIMEOUT(app.kernelCount(), std::size_t{2}, kPatience);
            QVERIFY(app.window.isWindowModified());
            app.window.action("file.save")->trigger();
            QVERIFY(!app.window.isWindowModified());
        }
        QCOMPARE(written(overrides), QStringLiteral("stepwell overrides 1\n%1  # for the lecture\n").arg(kApart));
        {
            App app;
            QVERIFY(app.window.openFile(program));
            QTRY_COMPARE_WITH_TIMEOUT(app.kernelCount(), std::size_t{2}, kPatience);
            QCOMPARE(app.child<NoticeBar>("overridesNotice").text(),
                     QStringLiteral("1 override of softmax.overrides is in use."));
            app.whatIf().remove(0);
            QTRY_COMPARE_WITH_TIMEOUT(app.kernelCount(), std::size_t{1}, kPatience);
            app.window.action("file.save")->trigger();
            QVERIFY(!QFile::exists(overrides));
            // Another program begins without them.
            app.whatIf().add(kApart);
            app.window.openText("other.sw", QString::fromLatin1(kSoftmax));
            QVERIFY(app.whatIf().lines().empty());
            QTRY_COMPARE_WITH_TIMEOUT(app.kernelCount(), std::size_t{1}, kPatience);
        }
        {
            QFile file(overrides);
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write("stepwell overrides 1\nmelt softmax/max\n");
        }
        App app;
        QVERIFY(app.window.openFile(program));
        QTRY_COMPARE_WITH_TIMEOUT(app.kernelCount(), std::size_t{1}, kPatience);
        QVERIFY(app.child<NoticeBar>("overridesNotice").text().startsWith("softmax.overrides is not used. Line 2: "));
        app.window.action("file.save")->trigger();
        QVERIFY(written(overrides).contains("melt")); // what cannot be read is not replaced
    }

    // The program changes elsewhere: what an override names is found again, or it
    // says why not.
    void overridesSurviveAnEdit()
    {
        App app;
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        app.whatIf().add(kApart);
        QTRY_COMPARE_WITH_TIMEOUT(app.kernelCount(), std::size_t{2}, kPatience);
        app.editor().setPlainText("input scores: f32[128, 256]\ninput more: f32[8]\noutput other = "
                                  "exp(more)\n"
                                  "output probabilities = softmax(scores, axis = -1)\n");
        QTRY_COMPARE_WITH_TIMEOUT(app.kernelCount(), std::size_t{3}, kPatience);
        QCOMPARE(app.whatIf().entry(0)->state, std::string("applied"));
        QVERIFY(!app.whatIf().effect()); // an edit is no effect of an override
        app.editor().setPlainText("input scores: f32[128, 256]\noutput other = exp(scores)\n");
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.whatIf().entry(0) && app.whatIf().entry(0)->state == "unknown value",
                                 kPatience);
        QCOMPARE(app.whatIf().lines().size(), std::size_t{1});
        app.editor().document()->setModified(false);
    }
};

QTEST_MAIN(TestWhatIf)
#include "tst_what_if.moc"
