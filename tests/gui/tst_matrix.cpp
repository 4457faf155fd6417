// The matrix in the window on the real engine: run, sorted, filtered, copied, opened and followed to the first wrong value.

#include "tests/gui/engine_app.h"
#include "tests/support/wrong_backend.h"
#include "ui/panels/kernel_pair.h"
#include "ui/panels/matrix_finding.h"
#include "ui/panels/matrix_panel.h"
#include "ui/panels/values_difference.h"
#include "ui/text_view/text_view.h"

#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QDoubleSpinBox>
#include <QFile>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QTableView>
#include <QTableWidget>
#include <QToolButton>

#include <algorithm>
#include <limits>

using namespace stepwell::ui;
using sw::StageKind;

namespace {

constexpr const char *kSoftmaxProgram = "input x: f32[16, 32]\noutput y = softmax(x)\n";
constexpr const char *kMaximum = "input x: f32[8, 16]\na = x * 2 + 1\nm = maximum(a, x)\noutput y = exp(m) / 3\n";

// A device that is not here.
class AbsentBackend : public sw::test::WrongBackend {
public:
    AbsentBackend() : WrongBackend("= max ", "= min ") {}
    [[nodiscard]] std::string_view id() const override { return "absent"; }
    [[nodiscard]] sw::Result<std::vector<sw::DeviceInfo>> probe() override
    {
        return sw::Diagnostic::error(sw::Code::DeviceUnavailable, {}, "there is no such card");
    }
};

struct MatrixApp : EngineApp {
    explicit MatrixApp(const char *program, std::unique_ptr<sw::Backend> more = nullptr) : EngineApp(std::move(more))
    {
        window.openText("test.sw", program);
        wait();
        window.action(QStringLiteral("go.matrix"))->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(panel().isVisible() && hasDevice("llvm"), kPatience);
    }
    void wait() { QTRY_VERIFY_WITH_TIMEOUT(isReady(), kPatience); }
    [[nodiscard]] MatrixPanel &panel() { return child<MatrixPanel>("matrix"); }
    [[nodiscard]] const sw::Matrix &matrix() { return panel().model().matrix(); }
    [[nodiscard]] QTableView &table() { return child<QTableView>("matrixTable"); }
    [[nodiscard]] QCheckBox &device(const QString &id) { return child<QCheckBox>(qPrintable("matrixDevice-" + id)); }
    // Exactly these devices, with the mouse.
    void choose(const QStringList &ids)
    {
        for (QCheckBox *box : panel().findChildren<QCheckBox *>())
            if (box->objectName().startsWith("matrixDevice-") && box->isEnabled() &&
                box->isChecked() != ids.contains(box->text()))
                QTest::mouseClick(box, Qt::LeftButton, {}, QPoint(8, box->height() / 2));
    }
    void start() { QTest::mouseClick(&child<QPushButton>("matrixRun"), Qt::LeftButton); }
    void run()
    {
        start();
        QTRY_VERIFY_WITH_TIMEOUT(panel().isSettled() && !matrix().columns.empty(), kPatience);
    }
    void click(int row, int column)
    {
        const QModelIndex index = table().model()->index(row, column);
        table().scrollTo(index);
        QTest::mouseClick(table().viewport(), Qt::LeftButton, {}, table().visualRect(index).center());
    }
    [[nodiscard]] QString told() { return child<QLabel>("matrixTold").text(); }
    [[nodiscard]] QString found() { return child<QLabel>("matrixFound").text(); }
    void follow(const char *link) { emit child<QLabel>("matrixFound").linkActivated(QLatin1String(link)); }
};

} // namespace

class TestMatrix : public QObject {
    Q_OBJECT

private slots:
    void everyKernelOnEveryDevice_data()
    {
        QTest::addColumn<QString>("example");
        for (const char *name : {"softmax", "mlp", "attention"})
            QTest::newRow(name) << name;
    }
    void everyKernelOnEveryDevice()
    {
        QFETCH(QString, example);
        MatrixApp app(kSoftmaxProgram);
        app.window.openExampleNamed(example);
        QTRY_VERIFY_WITH_TIMEOUT(app.window.session().source().fileName.contains(example) && app.isReady(), kPatience);
        QVERIFY(app.snapshot().report->succeeded);
        QStringList ids{"interpreter", "llvm", "c"};
        if (app.hasDevice("opencl"))
            ids.append("opencl");
        app.choose(ids);
        app.run();
        QCOMPARE(app.matrix().columns.size(), static_cast<std::size_t>(ids.size()));
        for (const sw::MatrixColumnResult &column : app.matrix().columns) {
            QVERIFY2(column.state == sw::ColumnState::Done, column.reason.c_str());
            QVERIFY(column.isTimed);
        }
        QVERIFY(!app.matrix().isAnyDifferent());
        QCOMPARE(app.table().model()->columnCount(), static_cast<int>(ids.size()) + 1);
        QVERIFY(app.table().model()->rowCount() > static_cast<int>(app.matrix().rows.size()));
        QVERIFY(app.panel().note().contains("columns"));
    }

    void keysAndMouseLeadToTheKernelAndItsTexts()
    {
        MatrixApp app(kSoftmaxProgram);
        app.choose({"llvm", "c"});
        app.run();
        const std::size_t kernels = app.matrix().rows.size();
        QVERIFY(kernels >= 1);
        const int llvm = app.matrix().columns[0].column.device == "llvm" ? 1 : 2;
        app.click(0, llvm);
        QVERIFY2(app.told().contains("on llvm"), qPrintable(app.told()));
        QVERIFY(app.told().contains("values "));
        QCOMPARE(app.window.selection().selected(StageKind::Schedule).items.size(), std::size_t{1});
        app.table().setFocus();
        QTest::keyClick(&app.table(), Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(app.window.findChild<KernelPair *>() && app.window.findChild<KernelPair *>()->isVisible(),
                                 kPatience);
        KernelPair &pair = *app.window.findChild<KernelPair *>();
        QVERIFY(pair.differentRows() > 0);
        for (const char *view : {"codeBefore", "codeAfter", "machineBefore", "machineAfter"})
            QVERIFY2(!app.child<TextView>(view).rows().isEmpty(), view);
        pair.close();
        QTest::keyClick(&app.table(), Qt::Key_Down);
        QVERIFY(app.table().currentIndex().row() == 1);
        QTest::keyClick(&app.table(), Qt::Key_C, Qt::ControlModifier);
        QVERIFY2(QApplication::clipboard()->text().startsWith("kernel"), qPrintable(QApplication::clipboard()->text()));
        const QList<QAction *> formats = app.child<QToolButton>("matrixCopy").menu()->actions();
        formats[1]->trigger();
        QVERIFY(QApplication::clipboard()->text().startsWith("| kernel | "));
        formats[2]->trigger();
        QVERIFY(QApplication::clipboard()->text().startsWith("what,name,column,"));
    }

    void sortsAndFilters()
    {
        MatrixApp app("input x: f32[64, 64]\noutput y = softmax(x @ x) + 1\n");
        app.choose({"interpreter", "llvm"});
        QTest::mouseClick(&app.child<QCheckBox>("matrixUnfused"), Qt::LeftButton, {}, QPoint(8, 8));
        app.run();
        QCOMPARE(app.matrix().columns.size(), std::size_t{4});
        const QAbstractItemModel &model = *app.table().model();
        const int all = model.rowCount();
        QHeaderView &header = *app.table().horizontalHeader();
        for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
            app.table().sortByColumn(2, order);
            QCOMPARE(header.sortIndicatorOrder(), order);
            double before = order == Qt::AscendingOrder ? 0 : std::numeric_limits<double>::infinity();
            for (int row = 0; row < static_cast<int>(app.matrix().rows.size()); ++row) {
                const double time = model.index(row, 2).data(MatrixModel::SortRole).toDouble();
                QVERIFY(order == Qt::AscendingOrder ? time >= before : time <= before);
                before = time;
            }
            QVERIFY(model.index(all - 1, 0).data().toString().startsWith("Output")); // stays below
        }
        auto &show = app.child<QComboBox>("matrixShow");
        const auto choose = [&](int index) {
            show.setCurrentIndex(index);
            emit show.activated(index);
        };
        choose(1);
        QCOMPARE(model.rowCount(), all - static_cast<int>(app.matrix().rows.size())); // none is different
        choose(2);
        for (const double factor : {1.0, 1.5, 1000.0}) { // the interpreter is slower than the rest by far
            app.child<QDoubleSpinBox>("matrixFactor").setValue(factor);
            const std::size_t rows = app.matrix().rows.size();
            int slower = 0;
            for (std::size_t row = 0; row < rows; ++row) {
                double longest = 0;
                for (std::size_t column = 0; column < app.matrix().columns.size(); ++column)
                    longest = std::max(longest, app.matrix().ratio(row, column).value_or(0));
                slower += longest > factor ? 1 : 0;
            }
            QCOMPARE(model.rowCount(), all - static_cast<int>(rows) + slower);
        }
        choose(0);
        QCOMPARE(model.rowCount(), all);
    }

    void aWrongDeviceIsFoundExplainedAndMadeSmall()
    {
        MatrixApp app(kMaximum, sw::test::makeWrongBackend());
        app.choose({"interpreter", "wrong"});
        app.run();
        QVERIFY(app.matrix().isAnyDifferent());
        QCOMPARE(app.panel().note(), "some values differ");
        for (const sw::MatrixKernel &kernel : app.matrix().columns[0].kernels)
            QVERIFY(kernel.verdict.conformance != sw::Conformance::Different);
        QTest::mouseClick(&app.child<QPushButton>("matrixSearch"), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(app.panel().isSettled() && app.found().contains("instead of"), kPatience);
        QVERIFY2(app.found().contains("on wrong"), qPrintable(app.found()));
        QVERIFY2(app.found().contains("the device makes something else of right instructions"), qPrintable(app.found()));

        const QString path = app.folder.filePath("minimal.sw");
        app.panel().findChild<MatrixFinding *>()->makeMinimal(path);
        auto &told = app.child<QLabel>("matrixMinimalTold");
        QTRY_VERIFY_WITH_TIMEOUT(app.panel().isSettled() && told.text().contains("href"), kPatience);
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(file.readAll());
        QVERIFY2(text.contains("maximum("), qPrintable(text));
        QVERIFY2(!text.contains("exp("), qPrintable(text));
        emit told.linkActivated("open");
        QTRY_COMPARE_WITH_TIMEOUT(app.editor().toPlainText(), text, kPatience);
    }

    // The window shows another device: following a link goes there.
    void aLinkLeadsToTheNodeOnTheDeviceThatIsWrong()
    {
        MatrixApp app(kMaximum, sw::test::makeWrongBackend());
        QCOMPARE(app.window.session().device(), "llvm");
        app.choose({"interpreter", "wrong"});
        app.run();
        QTest::mouseClick(&app.child<QPushButton>("matrixSearch"), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(app.panel().isSettled() && app.found().contains("instead of"), kPatience);
        app.follow("value");
        QTRY_COMPARE_WITH_TIMEOUT(app.window.session().device(), "wrong", kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(app.window.findChild<QWidget *>("values")->isVisible(), kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(app.window.selection().hasSelection() && app.isReady(), kPatience);
        // The difference of the two shows where it is wrong.
        auto &by = app.child<QComboBox>("valuesBy");
        by.setCurrentIndex(by.findText("Difference"));
        emit by.activated(by.currentIndex());
        auto &difference = app.child<ValuesDifference>("valuesDifference");
        QTRY_VERIFY_WITH_TIMEOUT(
            app.isReady() && difference.isVisible() && difference.difference() && !difference.difference()->isEqual(), kPatience);
        QVERIFY(app.child<QLabel>("differenceSummary").text().contains("elements differ"));
        auto &worst = app.child<QTableWidget>("differenceWorst");
        QVERIFY(worst.rowCount() > 1);
        worst.setFocus();
        worst.setCurrentCell(0, 0);
        QTest::keyClick(&worst, Qt::Key_Down);
        const std::int64_t element = difference.difference()->worst[1].index;
        const QModelIndex current = app.child<QTableView>("valuesTable").currentIndex();
        QCOMPARE(current.row() * 16 + current.column(), static_cast<int>(element));
        // A click on the map goes to the first element of the tile.
        auto &map = app.child<DifferenceMapView>("differenceMap");
        QTest::mouseClick(&map, Qt::LeftButton, {}, map.tileRect(2, 3).center().toPoint());
        const QModelIndex clicked = app.child<QTableView>("valuesTable").currentIndex();
        QCOMPARE(clicked.row(), 2);
        QCOMPARE(clicked.column(), 3);
        QVERIFY(app.child<UlpHistogram>("ulpHistogram").tipAt(1).startsWith("equal"));
    }

    void aDeviceThatIsNotHereSaysWhy()
    {
        MatrixApp app(kSoftmaxProgram, std::make_unique<AbsentBackend>());
        const QCheckBox &box = app.device("absent");
        QVERIFY(!box.isEnabled());
        QVERIFY2(box.toolTip().contains("there is no such card"), qPrintable(box.toolTip()));
        app.choose({});
        QVERIFY(!app.child<QPushButton>("matrixRun").isEnabled());
    }

    void stoppingKeepsWhatIsKnown()
    {
        MatrixApp app("input x: f32[192, 192]\noutput y = x @ x @ x\n");
        app.choose({"interpreter", "llvm", "c"});
        app.start();
        auto &run = app.child<QPushButton>("matrixRun");
        QTRY_VERIFY_WITH_TIMEOUT(!app.matrix().columns.empty(), kPatience);
        QCOMPARE(run.text(), "Stop");
        QTest::mouseClick(&run, Qt::LeftButton);
        QCOMPARE(run.text(), "Run");
        QCOMPARE(app.matrix().columns.size(), std::size_t{3});
        QVERIFY(app.matrix().columns.back().state == sw::ColumnState::Stopped);
        app.wait();
        QCOMPARE(app.matrix().columns.size(), std::size_t{3}); // what comes late changes nothing
        // An edit stops it as well.
        app.start();
        QTRY_VERIFY_WITH_TIMEOUT(run.text() == "Stop", kPatience);
        app.window.session().compileNow();
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && run.text() == "Run", kPatience);
        QVERIFY(app.matrix().columns.back().state == sw::ColumnState::Stopped);
    }
};

QTEST_MAIN(TestMatrix)
#include "tst_matrix.moc"
