// The baseline of the window on the real engine: what the program is compared with, and what the panes show of it.

#include "tests/gui/engine_app.h"
#include "ui/against_words.h"
#include "ui/compare_bar.h"
#include "ui/panels/editor_panel.h"
#include "ui/panels/graph_sides.h"
#include "ui/panels/table_sides.h"
#include "ui/panels/text_sides.h"
#include "ui/text_view/row_marks.h"

#include <QAction>
#include <QDialog>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QTableView>
#include <QToolButton>
#include <QTreeWidget>

#include <algorithm>

using namespace stepwell::ui;
using sw::StageKind;

namespace {

constexpr const char *kSoftmax = "input x: f32[8, 32]\noutput softmax(x, axis = -1)\n";
constexpr const char *kMlp = "input x: f32[4, 16]\nparam w: f32[16, 8] = random(1)\nparam v: f32[8, 3] = random(2)\n"
                             "h = relu(x @ w)\noutput h @ v\n";

struct App : EngineApp {
    explicit App(const char *program) : EngineApp(program) { wait(); }

    void wait() { QTRY_VERIFY_WITH_TIMEOUT(isReady(), kPatience); }
    [[nodiscard]] Baseline &baseline() { return window.baseline(); }
    void trigger(const char *id) { window.action(QLatin1String(id))->trigger(); }
    // Chooses in the menu of devices.
    void compareWithDevice(const QString &device)
    {
        for (QAction *choice : child<QMenu>("compareDevicesMenu").actions())
            if (choice->text() == device)
                choice->trigger();
        QVERIFY(baseline().current() != nullptr);
        wait();
    }
    void setProgram(const QString &text)
    {
        editor().setPlainText(text);
        QTRY_VERIFY_WITH_TIMEOUT(window.session().isCompiledText(text) && isReady(), kPatience);
    }
    [[nodiscard]] DifferenceState state(StageKind stage) { return baseline().differences().state(stage); }
    [[nodiscard]] DifferenceView &difference(const char *panel)
    {
        DifferenceView *view = child<TextPanel>(panel).sides().difference();
        if (!view)
            qFatal("%s shows no difference", panel);
        return *view;
    }
    [[nodiscard]] static int firstRow(const TextView &view, RowMark mark)
    {
        for (int row = 0; row < view.rows().count(); ++row)
            if (view.rows().markAt(row) == mark)
                return row;
        return -1;
    }
    static void clickRow(TextView &view, int row)
    {
        view.scrollToRow(row);
        QTest::mouseClick(view.viewport(), Qt::LeftButton, {},
                          QPoint(view.viewport()->width() / 2, view.rowRect(row).center().y()));
    }
    [[nodiscard]] QToolButton &chip(StageKind stage)
    {
        return child<QToolButton>(qPrintable(QStringLiteral("compareStage%1").arg(indexOf(stage))));
    }
};

} // namespace

class CompareTest : public QObject {
    Q_OBJECT

private slots:
    void anotherDeviceIsCompiledBesideTheProgram()
    {
        App app(kSoftmax);
        auto &bar = app.child<CompareBar>("compareBar");
        QVERIFY(!bar.isVisible());
        const SnapshotPtr before = app.window.session().snapshot();
        app.compareWithDevice("interpreter");
        QVERIFY(bar.isVisible());
        QCOMPARE(app.baseline().current()->name, QString("device interpreter"));
        QCOMPARE(app.window.session().snapshot(), before); // the compilation of the window is as it was
        QCOMPARE(QString::fromStdString(app.baseline().before()->report->device), QString("interpreter"));
        QCOMPARE(app.state(StageKind::Program), DifferenceState::Equal);
        QCOMPARE(app.state(StageKind::Lowered), DifferenceState::Different);
        QVERIFY(app.chip(StageKind::Program).text().contains('='));
        const QString count = QString::number(app.baseline().differences().difference(StageKind::Lowered)->count());
        QVERIFY2(app.chip(StageKind::Lowered).text().contains(count), qPrintable(app.chip(StageKind::Lowered).text()));
        // The bar's cross takes it away.
        app.trigger("compare.none");
        QVERIFY(!bar.isVisible() && !app.baseline().current());
        QCOMPARE(app.state(StageKind::Lowered), DifferenceState::None);
    }

    void textsShowTheirDifference()
    {
        App app(kMlp);
        app.trigger("compare.noFuse");
        app.wait();
        TextView &view = app.difference("lowered").view();
        QVERIFY(view.isVisible() && !app.text("lowered").isVisible());
        const TextRows &rows = view.rows();
        int differences = 0;
        bool wasFolded = false;
        for (int row = 0; row < rows.count(); ++row) {
            const RowMark mark = rows.markAt(row);
            const bool isOld = mark == RowMark::Removed || mark == RowMark::ChangedFrom || mark == RowMark::MovedFrom;
            QCOMPARE(rows.isBefore(row), isOld);
            differences += isDifference(mark) ? 1 : 0;
            wasFolded = wasFolded || mark == RowMark::Folded;
            if (mark == RowMark::ChangedFrom)
                QVERIFY(!rows.wordsAt(row).empty() || rows.markAt(row + 1) == RowMark::ChangedTo);
        }
        QVERIFY(differences > 0);
        QVERIFY(!app.window.findChild<Panel *>("lowered")->note().isEmpty());
        // The baseline alone.
        QTest::keyClick(&view, Qt::Key_B, Qt::ControlModifier | Qt::AltModifier);
        auto &old = app.child<TextView>("loweredBefore");
        QVERIFY(old.isVisible() && !view.isVisible());
        QCOMPARE(old.rows().document(), app.baseline().before()->stage(StageKind::Lowered).document);
        QTest::keyClick(&old, Qt::Key_N, Qt::ControlModifier | Qt::AltModifier);
        QVERIFY(app.text("lowered").isVisible());
    }

    void unchangedStretchesUnfold()
    {
        App app(kMlp);
        const QString text = QString::fromUtf8(kMlp).replace("relu(x @ w)", "relu(x @ w + 1.0)");
        app.setProgram(text);
        QVERIFY(app.baseline().previous());
        app.trigger("compare.previous");
        app.wait();
        DifferenceView &lowered = app.difference("lowered");
        TextView &view = lowered.view();
        const int fold = App::firstRow(view, RowMark::Folded);
        QVERIFY(fold >= 0);
        const int count = view.rows().count();
        const auto hidden = static_cast<int>(view.rows().comparedAt(fold).folded);
        App::clickRow(view, fold);
        QCOMPARE(view.rows().count(), count + hidden - 1);
        QVERIFY(view.rows().markAt(fold) != RowMark::Folded);
        lowered.foldAll();
        QCOMPARE(view.rows().count(), count);
    }

    void anEarlierCompilationIsComparedAfterAnEdit()
    {
        App app(kSoftmax);
        QVERIFY(!app.window.action("compare.previous")->isEnabled());
        const QString edited = QString::fromUtf8(kSoftmax).replace("softmax(x,", "softmax(x * 2.0,");
        app.setProgram(edited);
        QVERIFY(app.window.action("compare.previous")->isEnabled());
        app.trigger("compare.previous");
        app.wait();
        QCOMPARE(app.state(StageKind::Program), DifferenceState::Different);
        const StageDifferencePtr program = app.baseline().differences().difference(StageKind::Program);
        QCOMPARE(program->text.count(sw::RowKind::Changed), 1U);
        const StageDifferencePtr graph = app.baseline().differences().difference(StageKind::Graph);
        QVERIFY(graph->items.count(sw::ItemKind::Added) > 0);
        QCOMPARE(graph->items.count(sw::ItemKind::Removed), 0U);
        // The editor stays, so that one can go on typing; its part of the bar leads to the difference.
        QVERIFY(app.editor().isVisible());
        QTest::mouseClick(&app.chip(StageKind::Program), Qt::LeftButton);
        QVERIFY(app.child<EditorPanel>("program").sides().difference()->isVisible());
        // It is told what the edit changed.
        const BaselineEntry &newest = app.baseline().entries().back();
        QVERIFY2(newest.changes.contains("1 line of the program"), qPrintable(newest.changes));
        QVERIFY(newest.changed[indexOf(StageKind::Program)]);
        // It stays when the program is compiled again, and the way back leads to no difference.
        const std::uint64_t id = app.baseline().current()->id;
        app.setProgram(kSoftmax);
        QCOMPARE(app.baseline().current()->id, id);
        for (const StageKind stage : {StageKind::Program, StageKind::Graph, StageKind::Lowered, StageKind::Code})
            QCOMPARE(app.state(stage), DifferenceState::Equal);
        QVERIFY(app.text("lowered").isVisible()); // what is the same is shown as it is
        QVERIFY(app.editor().isVisible());
        app.editor().document()->setModified(false);
    }

    void aVariantFollowsTheProgram()
    {
        App app(kSoftmax);
        app.trigger("compare.noOptimize");
        app.wait();
        const QString edited = QString::fromUtf8(kSoftmax).replace("f32[8, 32]", "f32[16, 32]");
        app.setProgram(edited);
        app.wait();
        QCOMPARE(app.state(StageKind::Program), DifferenceState::Equal);
        QCOMPARE(app.state(StageKind::Graph), DifferenceState::Equal);
        QVERIFY(!app.baseline().before()->report->kernels.empty());
        // A broken program leaves the last one that had no errors.
        app.setProgram("input x: f32[8\n");
        QVERIFY(app.baseline().before()->report->succeeded);
        app.setProgram(kSoftmax);
        QCOMPARE(app.state(StageKind::Graph), DifferenceState::Equal);
        app.editor().document()->setModified(false);
    }

    void aMomentIsPinned()
    {
        App app("input x: f32[64]\noutput exp(x * 1.0) + 2.0\n");
        QCOMPARE(app.window.moment().goToNamed("simplify:0"), QString());
        app.wait();
        QTest::keyClick(&app.graph(), Qt::Key_B, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(app.baseline().current());
        QVERIFY2(app.baseline().current()->name.contains("Simplify", Qt::CaseInsensitive),
                 qPrintable(app.baseline().current()->name));
        app.window.moment().goToEnd();
        app.wait();
        const StageDifferencePtr graph = app.baseline().differences().difference(StageKind::Graph);
        QVERIFY(graph && graph->items.count(sw::ItemKind::Removed) > 0); // the multiplication by one
        // The first difference is the next rewrite.
        app.trigger("compare.first");
        QVERIFY(app.baseline().first().point.has_value());
        QCOMPARE(app.baseline().first().point->passId, std::string("simplify"));
        QTest::mouseClick(&app.child<QToolButton>("firstGo"), Qt::LeftButton);
        app.wait();
        QCOMPARE(app.window.moment().place(), std::optional(sw::MomentPlace{*app.baseline().first().point->after.pass, 1}));
        // The same key unpins.
        QTest::keyClick(&app.graph(), Qt::Key_B, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(!app.baseline().current());
    }

    void aFileIsCompared()
    {
        App app(kSoftmax);
        QFile file(app.folder.filePath("other.sw"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("input x: f32[8, 32]\noutput softmax(x, axis = 0)\n");
        file.close();
        CompileVariant variant;
        variant.file = file.fileName();
        app.baseline().compareWith(variant);
        app.wait();
        QCOMPARE(app.baseline().current()->name, QString("other.sw"));
        QCOMPARE(app.state(StageKind::Program), DifferenceState::Different);
        // One that does not compile says why.
        variant.file = app.folder.filePath("none.sw");
        app.baseline().compareWith(variant);
        app.wait();
        QVERIFY(!app.baseline().problem().isEmpty());
        QVERIFY(app.child<QLabel>("compareTold").text().contains(app.baseline().problem()));
        QCOMPARE(app.state(StageKind::Graph), DifferenceState::NotBefore);
    }

    void aGraphIsOneDrawingOfBoth()
    {
        App app(kMlp);
        app.setProgram(QString::fromUtf8(kMlp).replace("relu(x @ w)", "exp(x @ w)"));
        app.trigger("compare.previous");
        app.wait();
        GraphSides &sides = app.child<GraphPanel>("graph").sides();
        GraphView *view = sides.difference();
        QVERIFY(view && view->isVisible());
        const GraphMarks &marks = view->canvas().marks();
        QVERIFY(!marks.made.empty() || !marks.changed.empty());
        QVERIFY(!marks.matched.empty() || !marks.changed.empty());
        const sw::StageDocument &both = *view->canvas().scene()->document;
        const auto isTold = [](const sw::DocumentItem &item) {
            return !item.fields.empty() && item.fields.front().name == "difference";
        };
        QVERIFY(std::ranges::any_of(both.items, isTold));
        // What was removed lights up the instructions of the baseline.
        if (!marks.matched.empty()) {
            const BoxIndex removed = marks.matched.front();
            view->canvas().fit();
            QTest::mouseClick(&view->canvas(), Qt::LeftButton, {},
                              view->canvas().toView(view->canvas().scene()->boxes[removed].rect.center()).toPoint());
            QVERIFY(!app.window.selection().hasSelection());
            QVERIFY(app.baseline().selection().hasSelection());
            QVERIFY(std::ranges::binary_search(view->canvas().marks().selected, removed));
        }
        // The key leads from one to the next.
        view->canvas().setFocus();
        QTest::keyClick(&view->canvas(), Qt::Key_F7);
        QVERIFY(!view->canvas().marks().selected.empty());
        app.editor().document()->setModified(false);
    }

    void aPaneHasAChoiceOfItsOwn()
    {
        App app(kMlp);
        auto *lowered = app.window.findChild<Panel *>("lowered");
        auto *button = lowered->tools()->findChild<QToolButton *>("sideButton");
        QVERIFY(button && !button->isVisible());
        app.trigger("compare.noFuse");
        app.wait();
        QVERIFY(button->isVisible());
        QVERIFY(app.difference("lowered").isVisible());
        const auto choose = [&](const char *text) {
            for (QAction *choice : button->menu()->actions())
                if (choice->text() == text)
                    choice->trigger();
        };
        choose("Now");
        QVERIFY(app.text("lowered").isVisible());
        QVERIFY(app.difference("code").isVisible()); // the others go on as the window
        app.trigger("compare.before");
        QVERIFY(app.text("lowered").isVisible());
        choose("As the window");
        QVERIFY(app.child<TextView>("loweredBefore").isVisible());
    }

    void keysLeadFromOneDifferenceToTheNext()
    {
        App app(kMlp);
        app.setProgram(QString::fromUtf8(kMlp).replace("relu(x @ w)", "relu(x @ w + 1.0)"));
        app.trigger("compare.previous");
        app.wait();
        DifferenceView &code = app.difference("code");
        TextView &view = code.view();
        view.setFocus();
        const int first = view.chosenRow(); // it is shown at first
        QVERIFY(first >= 0 && isDifference(view.rows().markAt(first)));
        QTest::keyClick(&view, Qt::Key_F7);
        const int second = view.chosenRow();
        if (second != first) {
            QVERIFY(second > first && isDifference(view.rows().markAt(second)));
            QVERIFY(!isDifference(view.rows().markAt(second - 1)));
            QTest::keyClick(&view, Qt::Key_F7, Qt::ShiftModifier);
            QCOMPARE(view.chosenRow(), first);
        }
        app.editor().document()->setModified(false);
    }

    void linesOfBothSidesLightUp()
    {
        App app(kMlp);
        app.trigger("compare.noFuse");
        app.wait();
        TextView &view = app.difference("lowered").view();
        int removed = -1;
        for (int row = 0; row < view.rows().count() && removed < 0; ++row)
            if (view.rows().isBefore(row) && view.rows().textAt(row).contains("store"))
                removed = row;
        QVERIFY(removed >= 0);
        App::clickRow(view, removed);
        Selection &before = app.baseline().selection();
        QVERIFY(before.hasSelection());
        QVERIFY(before.selected(StageKind::Lowered).hasLine(view.rows().lineAt(removed)));
        QVERIFY(!before.selected(StageKind::Code).firstLines().empty()); // and its source in the baseline
        // A line of both selects its counterpart, too.
        int same = -1;
        for (int row = 0; row < view.rows().count() && same < 0; ++row) {
            const sw::ItemIndex item = view.rows().itemAt(row);
            const auto &items = app.baseline().differences().difference(StageKind::Lowered)->items.items;
            if (!view.rows().isBefore(row) && item != sw::kNoIndex && items[item].before != sw::kNoIndex)
                same = row;
        }
        QVERIFY(same >= 0);
        App::clickRow(view, same);
        QVERIFY(app.window.selection().hasSelection());
        QVERIFY(before.hasSelection());
    }

    void theFirstDifferenceLeadsToItsPass()
    {
        App app(kMlp);
        app.trigger("compare.noFuse");
        app.wait();
        app.trigger("compare.first");
        app.wait();
        const FirstDifference &first = app.baseline().first();
        QVERIFY2(first.point.has_value(), qPrintable(first.text));
        QCOMPARE(first.point->passId, std::string("group-kernels"));
        auto &go = app.child<QToolButton>("firstGo");
        QVERIFY(go.isVisible());
        QTest::mouseClick(&go, Qt::LeftButton);
        app.wait();
        QVERIFY(app.window.moment().pass());
        QCOMPARE(app.window.moment().pass()->id, std::string("group-kernels"));
        QCOMPARE(app.baseline().shown(), Shown::Now);
        QVERIFY(app.window.selection().hasSelection());
    }

    void machineCodeOfBothIsReadWhenItIsLookedAt()
    {
        App app(kSoftmax);
        if (!app.hasDevice("llvm"))
            QSKIP("there is no llvm here");
        app.choose("llvm");
        app.wait();
        app.trigger("compare.noOptimize");
        app.wait();
        app.trigger("go.machine");
        QTRY_VERIFY_WITH_TIMEOUT(app.state(StageKind::Machine) == DifferenceState::Different, kPatience);
        QVERIFY(App::firstRow(app.difference("machine").view(), RowMark::Removed) >= 0 ||
                App::firstRow(app.difference("machine").view(), RowMark::ChangedFrom) >= 0);
    }

    void tablesHaveColumnsOfBoth()
    {
        App app(kMlp);
        app.trigger("compile.run");
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.snapshot().measured, kPatience);
        app.setProgram(QString::fromUtf8(kMlp).replace("f32[4, 16]", "f32[64, 16]"));
        app.trigger("compile.run");
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.snapshot().measuredCompilation == app.snapshot().compilation, kPatience);
        app.trigger("compare.previous");
        app.wait();
        app.trigger("go.timings");
        auto &table = app.child<QTableView>("timingsDifference");
        QVERIFY(table.isVisible());
        const QAbstractItemModel &model = *table.model();
        // The last kernel computes the output; a longer input may have given the weights a kernel of their own before it.
        const int last = model.rowCount() - 1;
        QVERIFY(last >= 0);
        const auto text = [&](int column) { return model.index(last, column).data().toString(); };
        QVERIFY(text(int{DifferenceModel::FirstQuantity} + DifferenceModel::Before).contains('s'));
        QVERIFY(text(int{DifferenceModel::FirstQuantity} + DifferenceModel::Now).contains('s'));
        QVERIFY(!text(int{DifferenceModel::FirstQuantity} + DifferenceModel::Change).isEmpty());
        const int bytes = int{DifferenceModel::FirstQuantity} + DifferenceModel::PartCount;
        QVERIFY2(text(bytes + DifferenceModel::Change).startsWith('+'), qPrintable(text(bytes + DifferenceModel::Change)));
        app.trigger("go.passes");
        QVERIFY(app.child<QTableView>("passesDifference").isVisible());
        app.trigger("compare.now");
        QVERIFY(!app.child<QTableView>("passesDifference").isVisible());
        app.editor().document()->setModified(false);
    }

    void theLastTwentyAreKept()
    {
        App app("input x: f32[4]\noutput x + 0.0\n");
        app.trigger("compare.pin");
        app.wait();
        const std::uint64_t pinned = app.baseline().current()->id;
        for (int i = 1; i <= 24; ++i)
            app.setProgram(QStringLiteral("input x: f32[4]\noutput x + %1.0\n").arg(i));
        app.wait();
        std::vector<std::uint64_t> compilations;
        for (const BaselineEntry &entry : app.baseline().entries())
            if (entry.kind == BaselineKind::Earlier)
                compilations.push_back(entry.compilation);
        QCOMPARE(compilations.size(), kKeptCompilations);
        QVERIFY(std::ranges::is_sorted(compilations));
        QCOMPARE(compilations.back(), app.snapshot().compilation);
        QCOMPARE(app.baseline().current()->id, pinned); // it stays
        QCOMPARE(app.state(StageKind::Graph), DifferenceState::Different);
        app.editor().document()->setModified(false);
    }

    void olderOnesAreDroppedWhereThereIsNoRoom()
    {
        const auto report = [](int lines) {
            auto document = std::make_shared<sw::StageDocument>();
            for (int i = 0; i < lines; ++i)
                document->lines.push_back({std::string(100, 'x'), sw::kNoIndex, {}});
            auto made = std::make_shared<sw::Report>();
            made->program = document;
            return sw::ReportPtr(made);
        };
        BaselineList list(100'000); // bytes: of some 600 lines
        const auto add = [&](const sw::ReportPtr &made, BaselineKind kind) {
            BaselineEntry entry;
            entry.kind = kind;
            entry.report = made;
            return list.add(std::move(entry));
        };
        const std::uint64_t first = add(report(300), BaselineKind::Earlier);
        const std::uint64_t second = add(report(300), BaselineKind::Earlier);
        const std::uint64_t pinned = add(report(300), BaselineKind::Pinned);
        const std::uint64_t third = add(report(300), BaselineKind::Earlier);
        list.trim(first); // what is compared with stays
        QVERIFY(list.find(first) && !list.find(second) && list.find(pinned) && list.find(third));
        // What is shared counts once.
        const sw::ReportPtr shared = list.find(third)->report;
        for (int i = 0; i < 8; ++i)
            add(shared, BaselineKind::Earlier);
        list.trim(0);
        QCOMPARE(list.entries().size(), std::size_t{11});
        const std::uint64_t large = add(report(2000), BaselineKind::Earlier);
        list.trim(0); // the newest stays, however large it is
        QCOMPARE(list.entries().size(), std::size_t{2});
        QVERIFY(list.find(large) && list.find(pinned));
    }

    void aBaselineThatIsNotWantedIsCancelled()
    {
        App app(kMlp);
        app.trigger("compare.noFuse");
        QVERIFY(app.baseline().isCompiling());
        app.trigger("compare.none");
        QVERIFY(!app.baseline().isCompiling() && !app.baseline().isPending());
        app.wait();
        QVERIFY(!app.baseline().before());
        // The newest wins.
        app.trigger("compare.noFuse");
        app.trigger("compare.noOptimize");
        app.wait();
        QCOMPARE(app.baseline().current()->name, QString("without optimised loops"));
        QCOMPARE(app.baseline().before()->report->kernels.size(), app.snapshot().report->kernels.size());
    }

    void theListRenamesAndRemoves()
    {
        App app(kSoftmax);
        app.trigger("compare.noFuse");
        app.wait();
        app.trigger("compare.manage");
        auto &list = app.child<QTreeWidget>("baselinesList");
        QVERIFY(list.isVisible());
        QCOMPARE(list.topLevelItemCount(), 2); // the compilation itself, and the variant
        // What was run has a time, and each compilation a picture of what it changed.
        constexpr int kRun = 3;
        constexpr int kChanged = 4;
        QCOMPARE(list.headerItem()->text(kRun), QString("Run"));
        QVERIFY(list.topLevelItem(0)->text(kRun).isEmpty() && list.topLevelItem(1)->text(kRun).isEmpty());
        app.trigger("compile.run");
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && !list.topLevelItem(1)->text(kRun).isEmpty(), kPatience);
        QVERIFY2(list.topLevelItem(1)->text(kRun).endsWith('s'), qPrintable(list.topLevelItem(1)->text(kRun)));
        QVERIFY(!list.topLevelItem(1)->icon(kChanged).isNull());
        list.topLevelItem(0)->setText(0, "one by one");
        QTRY_COMPARE_WITH_TIMEOUT(app.baseline().current()->name, QString("one by one"), kPatience);
        list.setCurrentItem(list.topLevelItem(0));
        for (QPushButton *button : app.child<QDialog>("baselinesDialog").findChildren<QPushButton *>())
            if (button->text() == "&Remove")
                QTest::mouseClick(button, Qt::LeftButton);
        QVERIFY(!app.baseline().current());
        QCOMPARE(list.topLevelItemCount(), 1);
    }

    void theCommandLineSaysWhatToCompareWith()
    {
        QString reason;
        const std::optional<AgainstWords> words = againstOf("--device c --no-fuse --show before", reason);
        QVERIFY2(words.has_value(), qPrintable(reason));
        QCOMPARE(words->variant.device, QString("c"));
        QCOMPARE(words->variant[&sw::CompileSwitches::fuse], std::optional(false));
        QCOMPARE(words->shown, Shown::Before);
        QVERIFY(againstOf("--no-fuse --both", reason)->isRun && !words->isRun);
        QCOMPARE(againstOf("\"a b.sw\" --first", reason)->variant.file, QString("a b.sw"));
        for (const char *wrong : {"", "--device", "--show all --no-fuse", "--fast", "a.sw b.sw"}) {
            reason.clear();
            QVERIFY2(!againstOf(wrong, reason), wrong);
            QVERIFY2(!reason.isEmpty(), wrong);
        }
    }
};

QTEST_MAIN(CompareTest)
#include "tst_compare.moc"
