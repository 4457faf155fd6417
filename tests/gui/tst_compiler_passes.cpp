// The passes of LLVM over one kernel: listed on demand, stepped through by keys and mouse, shown as differences. On the real
// engine.

#include "tests/gui/pictures.h"

#include "ui/panels/compiler_passes_panel.h"
#include "ui/text_view/diff_view.h"

#include <QTableView>
#include <QToolButton>

using namespace stepwell::ui;

namespace {

constexpr const char *kSoftmax = "input scores: f32[128, 256]\noutput probabilities = softmax(scores, axis = -1)\n";
constexpr const char *kMlp = "input x: f32[64, 96]\nparam w1: f32[96, 80] = random(1)\nparam w2: f32[80, 10] = random(2)\n"
                             "hidden = relu(x @ w1)\noutput softmax(hidden @ w2, axis = -1)\n";

struct App : EngineApp {
    explicit App(const char *program = kSoftmax) : EngineApp(program)
    {
        if (!QTest::qWaitFor([this] { return isReady(); }, kPatience))
            qFatal("the program was not compiled");
    }
    CompilerPassesPanel &panel() { return child<CompilerPassesPanel>("compilerPasses"); }
    QTableView &table() { return child<QTableView>("compilerPassesTable"); }
    CompilerPassModel &model() { return *qobject_cast<CompilerPassModel *>(table().model()); }
    void open()
    {
        window.action("go.compilerPasses")->trigger();
        if (!QTest::qWaitFor([this] { return model().rowCount() > 0; }, kPatience))
            qFatal("there are no passes: %s", qPrintable(panel().hint()));
    }
    [[nodiscard]] int row() { return table().currentIndex().row(); }
    [[nodiscard]] bool isChanged(int row) { return !model().index(row, CompilerPassModel::Lines).data().toString().isEmpty(); }
    // The line that names the function in the text after the chosen pass.
    [[nodiscard]] QString definition()
    {
        const TextView &view = panel().diff().after();
        const int row = rowWith(view, "define");
        return row < 0 ? QString() : view.rows().textAt(row);
    }
    void clickRow(int row)
    {
        table().scrollTo(model().index(row, 0));
        QTest::mouseClick(table().viewport(), Qt::LeftButton, {}, table().visualRect(model().index(row, 1)).center());
    }
};

} // namespace

class TestCompilerPasses : public QObject {
    Q_OBJECT

private slots:
    void theyAreRecordedWhenSomebodyLooks()
    {
        App app;
        QCOMPARE(app.model().rowCount(), 0);
        app.open();
        QVERIFY(app.model().rowCount() > 5);
        QVERIFY(app.model().changedCount() > 3);
        QVERIFY(app.model().changedCount() < static_cast<std::size_t>(app.model().rowCount()));
        QVERIFY(app.panel().note().contains("changed something"));
        // The first that changed something is shown, as a difference.
        QVERIFY(app.row() >= 0);
        QVERIFY(app.isChanged(app.row()));
        QVERIFY(app.panel().diff().addedLines() + app.panel().diff().removedLines() > 0);
        QVERIFY(app.definition().contains("define void"));
        takePictures(app, QStringLiteral("passes"));
    }

    void keysStepThroughThem()
    {
        App app;
        app.open();
        app.table().setFocus();
        const int first = app.row();
        QTest::keyClick(&app.table(), Qt::Key_F);
        const int second = app.row();
        QVERIFY(second > first);
        QVERIFY(app.isChanged(second));
        for (int between = first + 1; between < second; ++between)
            QVERIFY(!app.isChanged(between));
        QTest::keyClick(&app.panel().diff().after(), Qt::Key_R); // from the text, too
        QCOMPARE(app.row(), first);
        QTest::keyClick(&app.table(), Qt::Key_R);
        QCOMPARE(app.row(), first); // there is none before it
        QTest::keyClick(&app.table(), Qt::Key_Down);
        QCOMPARE(app.row(), first + 1);
        QVERIFY(app.window.moment().isAtEnd()); // the keys are those of the panel
    }

    void onlyThoseThatChangedSomething()
    {
        App app;
        app.open();
        const int all = app.model().rowCount();
        QTest::keyClick(&app.table(), Qt::Key_F);
        const QString name = app.model().index(app.row(), CompilerPassModel::Number).data().toString();
        QTest::keyClick(&app.table(), Qt::Key_C);
        QCOMPARE(app.model().rowCount(), static_cast<int>(app.model().changedCount()));
        QCOMPARE(app.model().index(app.row(), CompilerPassModel::Number).data().toString(), name); // the same one is chosen
        QTest::mouseClick(&app.child<QToolButton>("compilerPassesChanged"), Qt::LeftButton);
        QCOMPARE(app.model().rowCount(), all);
        QCOMPARE(app.model().index(app.row(), CompilerPassModel::Number).data().toString(), name);
    }

    void aPassThatChangedNothingSaysSo()
    {
        App app;
        app.open();
        int row = 0;
        while (app.isChanged(row))
            ++row;
        app.clickRow(row);
        QCOMPARE(app.row(), row);
        QVERIFY(app.panel().diff().after().rows().isEmpty());
        app.clickRow(app.model().nextChanged(row, 1));
        QVERIFY(!app.panel().diff().after().rows().isEmpty());
    }

    void eachKernelHasItsOwn()
    {
        App app(kMlp);
        app.open();
        auto &kernels = app.child<QComboBox>("compilerPassesKernel");
        QCOMPARE(kernels.count(), static_cast<int>(app.snapshot().report->kernels.size()));
        QVERIFY(kernels.count() > 1);
        const int first = kernels.currentIndex();
        const int other = first == 0 ? 1 : 0;
        const QString definition = app.definition();
        QVERIFY(definition.contains("define void"));
        kernels.setCurrentIndex(other);
        emit kernels.activated(other);
        QTRY_VERIFY_WITH_TIMEOUT(app.model().rowCount() > 0 && app.panel().isSettled(), kPatience);
        QVERIFY(app.definition() != definition);
        // It follows the selection, and what was recorded is kept.
        const auto &lowered = app.snapshot().stage(sw::StageKind::Lowered).document->items;
        const auto item = std::ranges::find(lowered, static_cast<std::uint32_t>(first), &sw::DocumentItem::kernel);
        app.window.selection().select(sw::StageKind::Lowered, {static_cast<sw::ItemIndex>(item - lowered.begin())});
        QCOMPARE(app.panel().kernel(), static_cast<std::uint32_t>(first));
        QCOMPARE(kernels.currentIndex(), first);
        QVERIFY(app.model().rowCount() > 0); // at once
        QCOMPARE(app.definition(), definition);
    }

    void recordingIsStoppedAndBegunAgain()
    {
        App app;
        app.window.action("go.compilerPasses")->trigger();
        auto &work = app.child<QToolButton>("compilerPassesWork");
        QVERIFY(app.panel().hint().contains("Recording"));
        QTest::mouseClick(&work, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        QCOMPARE(app.panel().hint(), "Stopped.");
        QCOMPARE(app.model().rowCount(), 0);
        QTest::mouseClick(&work, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(app.model().rowCount() > 0, kPatience);
    }

    void aDeviceWithoutThemSaysWhy()
    {
        App app;
        app.open();
        app.choose("interpreter");
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.model().rowCount() == 0 && !app.panel().hint().isEmpty() &&
                                     !app.panel().hint().contains("Recording"),
                                 kPatience);
        app.choose("llvm");
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.model().rowCount() > 0, kPatience);
    }
};

QTEST_MAIN(TestCompilerPasses)
#include "tst_compiler_passes.moc"
