// Values and inputs in the window on the real engine: what a person types and clicks changes what is computed and shown.

#include "engine/api/tensor_files.h"
#include "tests/gui/engine_app.h"
#include "ui/models/image_tensor.h"
#include "ui/panels/health_panel.h"
#include "ui/panels/inputs_panel.h"
#include "ui/panels/values_heat_map.h"
#include "ui/panels/values_panel.h"
#include "ui/panels/watch_panel.h"

#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QDialog>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSlider>
#include <QTableView>
#include <QTimer>
#include <QToolButton>

using namespace stepwell::ui;

namespace {

constexpr const char *kProgram = "input x: f32[4, 6]\n"
                                 "param w: f32[6] = random(1)\n"
                                 "h = sqrt(x) * w\n"
                                 "output y = h + 1.0\n";

struct App : EngineApp {
    explicit App(const char *program = kProgram) : EngineApp(program) {}

    void wait() { QTRY_VERIFY_WITH_TIMEOUT(isReady(), kPatience); }
    void run()
    {
        wait();
        window.action("compile.run")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(snapshot().measured && isReady(), kPatience);
    }
    void go(const char *panel)
    {
        window.action(QStringLiteral("go.") + QLatin1String(panel))->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(window.findChild<QWidget *>(panel)->isVisible(), kPatience);
    }
    // Chooses the entry of a box as a person does.
    void choose(const char *name, const QString &text)
    {
        auto &box = child<QComboBox>(name);
        const int index = box.findText(text, Qt::MatchStartsWith);
        QVERIFY2(index >= 0, qPrintable(text));
        box.setCurrentIndex(index);
        emit box.activated(index);
    }
    void type(const char *field, const QString &text)
    {
        auto &edit = child<QLineEdit>(field);
        edit.setFocus();
        edit.selectAll();
        QTest::keyClicks(&edit, text);
        QTest::keyClick(&edit, Qt::Key_Return);
    }
    [[nodiscard]] QAbstractItemModel &cells() { return *child<QTableView>("valuesTable").model(); }
    [[nodiscard]] QString cell(int row, int column) { return cells().index(row, column).data().toString(); }
    [[nodiscard]] QString statistics() { return child<QLabel>("statistics").text(); }
    void typeCell(int row, int column, const QString &text)
    {
        auto &table = child<QTableView>("valuesTable");
        table.setFocus();
        table.setCurrentIndex(cells().index(row, column));
        table.edit(table.currentIndex());
        auto *editor = table.viewport()->findChild<QLineEdit *>();
        QVERIFY(editor);
        editor->selectAll();
        QTest::keyClicks(editor, text);
        QTest::keyClick(editor, Qt::Key_Return);
    }
};

} // namespace

class TestValues : public QObject {
    Q_OBJECT

private slots:
    void anInputsFillChangesTheOutput()
    {
        App app;
        app.run();
        app.go("inputs");
        QTRY_COMPARE_WITH_TIMEOUT(app.child<QTableView>("inputsTable").model()->rowCount(), 2, kPatience);
        app.choose("inputFill", "Constant");
        app.type("inputFirst", "4");
        const auto isFour = [&] {
            const auto &measured = app.snapshot().measured;
            return measured && !measured->outputs.empty() && app.isReady() &&
                   app.child<QTableView>("inputsTable").model()->index(0, InputModel::Fill).data() == "all 4";
        };
        QTRY_VERIFY_WITH_TIMEOUT(isFour(), kPatience);
        app.go("values");
        app.choose("outputsBox", "param w");
        QTRY_VERIFY_WITH_TIMEOUT(app.statistics().contains("w</b> f32[6]"), kPatience);
        QStringList weights;
        for (int i = 0; i < 6; ++i)
            weights << app.cell(0, i);
        app.choose("outputsBox", "output y");
        for (int i = 0; i < 6; ++i)
            QTRY_COMPARE_WITH_TIMEOUT(app.cell(3, i).toFloat(), 2 * weights[i].toFloat() + 1, kPatience);
    }

    void aTypedCellIsComputedWithAndSurvivesAnEdit()
    {
        App app;
        app.run();
        app.go("values");
        app.choose("outputsBox", "input x");
        QTRY_VERIFY_WITH_TIMEOUT(app.statistics().contains("x</b> f32[4, 6]"), kPatience);
        app.typeCell(1, 2, "-1");
        QTRY_COMPARE_WITH_TIMEOUT(app.cell(1, 2), "-1", kPatience);
        app.wait();
        app.choose("outputsBox", "output y");
        QTRY_COMPARE_WITH_TIMEOUT(app.cell(1, 2), "nan", kPatience);
        // What is no number is refused, and says so.
        app.choose("outputsBox", "input x");
        QTRY_COMPARE_WITH_TIMEOUT(app.cell(1, 2), "-1", kPatience);
        app.typeCell(0, 0, "one");
        QVERIFY(app.child<QLabel>("valuesTold").text().contains("\"one\" is not a value of type f32"));
        QVERIFY(app.cell(0, 0) != "one");
        QTest::keyClick(app.child<QTableView>("valuesTable").viewport()->findChild<QLineEdit *>(), Qt::Key_Escape);
        // Another expression: the cell is still -1.
        app.editor().setPlainText(QString(kProgram).replace("+ 1.0", "+ 2.0"));
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && !app.window.session().isEdited(), kPatience);
        app.run();
        app.choose("outputsBox", "output y");
        QTRY_COMPARE_WITH_TIMEOUT(app.cell(1, 2), "nan", kPatience);
        // Another shape: it does not fit, and the panel says what was dropped.
        app.editor().setPlainText(QString(kProgram).replace("x: f32[4, 6]", "x: f32[1, 6]"));
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && !app.window.session().isEdited(), kPatience);
        app.go("inputs");
        const QString told = app.child<QLabel>("inputTold").text();
        QVERIFY2(told.contains("The choice for x") && told.contains("it is f32[1, 6], and has no element [1, 2]"),
                 qPrintable(told));
        app.editor().document()->setModified(false);
    }

    void theNextNanIsFoundOnAnotherSlice()
    {
        App app("input x: f32[5, 4, 6]\noutput y = x\n");
        app.run();
        app.go("values");
        app.choose("outputsBox", "input x");
        QTRY_VERIFY_WITH_TIMEOUT(app.statistics().contains("x</b> f32[5, 4, 6]"), kPatience);
        auto &slider = app.child<QSlider>("valuesSlice0");
        slider.setValue(3);
        app.typeCell(2, 5, "nan");
        QTRY_VERIFY_WITH_TIMEOUT(
            app.statistics().contains("NaN</td><td style='color:" + app.appearance.color(Role::NotANumber).name()), kPatience);
        app.wait();
        app.child<QSlider>("valuesSlice0").setValue(0);
        QVERIFY(app.cell(2, 5) != "nan");
        QTest::mouseClick(&app.child<QToolButton>("valuesNext"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(app.child<QLabel>("valuesTold").text(), "[3, 2, 5]", kPatience);
        QCOMPARE(app.child<QSlider>("valuesSlice0").value(), 3);
        QCOMPARE(app.child<QTableView>("valuesTable").currentIndex().data().toString(), "nan");
        // There is no other: it comes round to the same one.
        QTest::mouseClick(&app.child<QToolButton>("valuesNext"), Qt::LeftButton);
        app.wait();
        QCOMPARE(app.child<QLabel>("valuesTold").text(), "[3, 2, 5]");
        app.choose("valuesWhat", "Infinite");
        QTest::mouseClick(&app.child<QToolButton>("valuesNext"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(app.child<QLabel>("valuesTold").text(), "There is none.", kPatience);
    }

    void placesAxesFormatsAndOrder()
    {
        App app("input x: f32[5, 4, 6]\noutput y = x\n");
        app.wait();
        app.go("inputs");
        QTRY_COMPARE_WITH_TIMEOUT(app.child<QTableView>("inputsTable").model()->rowCount(), 1, kPatience);
        app.choose("inputFill", "Range");
        app.wait();
        QTest::mouseClick(&app.child<QPushButton>("inputCells"), Qt::LeftButton); // leads to the values
        QTRY_VERIFY_WITH_TIMEOUT(app.window.findChild<QWidget *>("values")->isVisible() && app.cell(0, 1) == "1", kPatience);
        app.type("valuesPlace", "4, 3, 2");
        QCOMPARE(app.child<QTableView>("valuesTable").currentIndex().data().toString(), "116");
        QCOMPARE(app.child<QSlider>("valuesSlice0").value(), 4);
        app.type("valuesPlace", "5, 0, 0");
        QVERIFY(app.child<QLabel>("valuesTold").text().contains("there is no element"));
        // The first axis across, at coordinate 0 of the second.
        app.choose("valuesColumns", "axis 0");
        QCOMPARE(app.cells().columnCount(), 5);
        QCOMPARE(app.cells().rowCount(), 4);
        app.choose("valuesRows", "axis 2");
        QCOMPARE(app.cells().rowCount(), 6);
        app.choose("valuesFormat", "Hex");
        app.child<QSlider>("valuesSlice1").setValue(0);
        QCOMPARE(app.cell(1, 0), "0x3f800000");
        app.choose("valuesFormat", "Bits");
        QCOMPARE(app.cell(1, 0), "0 01111111 00000000000000000000000");
        app.choose("valuesFormat", "Decimal");
        app.choose("valuesMode", "Largest first");
        auto &order = app.child<QTableView>("valuesOrder");
        QTRY_VERIFY_WITH_TIMEOUT(order.isVisible() && order.model()->rowCount() == 120, kPatience);
        QCOMPARE(order.model()->index(0, ValueOrderModel::Value).data().toString(), "119");
        QCOMPARE(order.model()->index(0, ValueOrderModel::Place).data().toString(), "4, 3, 5");
    }

    void theHeatMapShowsWhatTheGridShows()
    {
        App app("input x: f32[8, 8]\noutput y = sqrt(x)\n");
        app.run();
        app.go("values");
        app.choose("outputsBox", "output y");
        auto &map = app.child<ValuesHeatMap>("valuesMap");
        QTRY_VERIFY_WITH_TIMEOUT(map.isVisible() && map.tiles().tiles.size() == 64, kPatience);
        const auto tile = [&](int row, int column) { return map.tiles().tiles[static_cast<std::size_t>(row * 8 + column)]; };
        const QImage image = map.grab().toImage();
        bool hasNan = false;
        for (int row = 0; row < 8; ++row)
            for (int column = 0; column < 8; ++column) {
                const bool isNan = app.cell(row, column) == "nan";
                QCOMPARE(tile(row, column).nans, isNan ? 1 : 0);
                if (!isNan)
                    QCOMPARE(static_cast<float>(tile(row, column).mean), app.cell(row, column).toFloat());
                hasNan = hasNan || isNan;
                const QColor wanted = isNan ? app.appearance.color(Role::NotANumber) : map.colorOfTile(tile(row, column));
                const QPointF corner = map.rectOf(row, column).topLeft() + QPointF(1.5, 1.5);
                QCOMPARE(image.pixelColor((corner * image.devicePixelRatio()).toPoint()).rgb(), wanted.rgb());
            }
        QVERIFY(hasNan);
        QTest::mouseClick(&map, Qt::LeftButton, {}, map.rectOf(6, 3).center().toPoint());
        QCOMPARE(app.child<QTableView>("valuesTable").currentIndex(), app.cells().index(6, 3));
    }

    void aNodeIsShownAsTheReferenceAndAsTheDeviceHasIt()
    {
        App app("input x: f32[16, 8]\nh = relu(x)\noutput y = sum(h, axis = 1)\n");
        app.wait();
        app.go("values");
        App::click(app.graph(), "relu");
        QTRY_VERIFY_WITH_TIMEOUT(app.statistics().contains("f32[16, 8]"), kPatience);
        QCOMPARE(app.child<QComboBox>("valuesBy").currentText(), "Reference");
        app.choose("valuesBy", "Device");
        const auto hint = [&] {
            for (const QLabel *label : app.window.findChild<QWidget *>("values")->findChildren<QLabel *>("emptyHint"))
                if (label->isVisible())
                    return label->text();
            return QString();
        };
        QTRY_VERIFY_WITH_TIMEOUT(hint().contains("is not stored: the kernel k0"), kPatience);
        App::click(app.graph(), "sum");
        QTRY_COMPARE_WITH_TIMEOUT(app.cells().rowCount() * app.cells().columnCount(), 16, kPatience);
        const float byDevice = app.cell(0, 3).toFloat();
        app.choose("valuesBy", "Reference");
        app.wait();
        QVERIFY(std::abs(app.cell(0, 3).toFloat() - byDevice) < 1e-5F);
    }

    void savedValuesReadBack()
    {
        App app;
        app.run();
        app.go("values");
        app.choose("outputsBox", "output y");
        QTRY_VERIFY_WITH_TIMEOUT(app.statistics().contains("y</b> f32[4, 6]"), kPatience);
        const QString path = app.folder.filePath("y.npy");
        QTimer::singleShot(0, &app.window, [&] {
            auto *dialog = qobject_cast<QFileDialog *>(QApplication::activeModalWidget());
            QVERIFY(dialog);
            dialog->selectFile(path);
            QTest::keyClick(dialog, Qt::Key_Return);
        });
        for (QToolButton *button : app.window.findChild<Panel *>("values")->tools()->findChildren<QToolButton *>())
            if (button->toolTip().startsWith("Save"))
                QTest::mouseClick(button, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(app.child<QLabel>("valuesTold").text().startsWith("Saved"), kPatience);
        const sw::Result<sw::TensorViewPtr> read = sw::loadNpy(path.toStdString());
        QVERIFY(read);
        QCOMPARE(QString::fromStdString((*read)->type()), "f32[4, 6]");
        for (int i = 0; i < 24; ++i)
            QCOMPARE(QString::fromStdString((*read)->text(i, sw::ValueFormat::Decimal)), app.cell(i / 6, i % 6));
        // Text and a picture.
        auto &panel = app.child<ValuesPanel>("values");
        panel.saveTo(app.folder.filePath("y.csv"));
        QTRY_VERIFY_WITH_TIMEOUT(app.child<QLabel>("valuesTold").text().endsWith("y.csv"), kPatience);
        QFile csv(app.folder.filePath("y.csv"));
        QVERIFY(csv.open(QIODevice::ReadOnly));
        QCOMPARE(QString(csv.readAll()).split('\n').first().split(',').last(), app.cell(0, 5));
        panel.saveTo(app.folder.filePath("y.png"));
        QTRY_VERIFY_WITH_TIMEOUT(app.child<QLabel>("valuesTold").text().endsWith("y.png"), kPatience);
        QCOMPARE(QImage(app.folder.filePath("y.png")).size(), QSize(6, 4));
    }

    void selectedValuesAreCopied()
    {
        App app;
        app.run();
        app.go("values");
        app.choose("outputsBox", "output y");
        QTRY_COMPARE_WITH_TIMEOUT(app.cells().rowCount(), 4, kPatience);
        auto &table = app.child<QTableView>("valuesTable");
        table.selectionModel()->select(QItemSelection(app.cells().index(1, 2), app.cells().index(2, 3)),
                                       QItemSelectionModel::ClearAndSelect);
        for (QToolButton *button : app.window.findChild<Panel *>("values")->tools()->findChildren<QToolButton *>())
            if (button->toolTip().startsWith("Copy"))
                QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(QApplication::clipboard()->text(),
                 QStringLiteral("%1\t%2\n%3\t%4").arg(app.cell(1, 2), app.cell(1, 3), app.cell(2, 2), app.cell(2, 3)));
    }

    void inputsAreLoadedFromFiles()
    {
        App app;
        app.run();
        app.go("inputs");
        QTRY_COMPARE_WITH_TIMEOUT(app.child<QTableView>("inputsTable").model()->rowCount(), 2, kPatience);
        auto &panel = app.child<InputsPanel>("inputs");
        const auto fill = [&] {
            return app.child<QTableView>("inputsTable").model()->index(0, InputModel::Fill).data().toString();
        };
        // A file of another shape is refused, with both types.
        const std::vector<double> numbers(24, 9);
        const auto wrong = sw::tensorOfNumbers("x", "f32", std::array<std::int64_t, 2>{6, 4}, numbers);
        QVERIFY(sw::saveNpy(*wrong, app.folder.filePath("wrong.npy").toStdString()));
        panel.load(app.folder.filePath("wrong.npy"));
        QTRY_VERIFY_WITH_TIMEOUT(app.child<QLabel>("inputTold").text().contains("it is f32[4, 6], but wrong.npy is f32[6, 4]"),
                                 kPatience);
        QVERIFY(!fill().contains("wrong"));
        const auto right = sw::tensorOfNumbers("x", "f32", std::array<std::int64_t, 2>{4, 6}, numbers);
        QVERIFY(sw::saveCsv(*right, app.folder.filePath("right.csv").toStdString(), {}));
        panel.load(app.folder.filePath("right.csv"));
        QTRY_COMPARE_WITH_TIMEOUT(fill(), "right.csv", kPatience);
        app.wait();
        const auto &mean = app.child<QTableView>("inputsTable").model()->index(0, InputModel::Mean);
        QTRY_COMPARE_WITH_TIMEOUT(mean.data().toString(), "9", kPatience);
        QTest::mouseClick(&app.child<QPushButton>("inputReset"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(fill(), "random, seed 1", kPatience);
    }

    void aPictureFillsAnInput()
    {
        App app("input x: f32[1, 3, 4, 5]\noutput y = x * 255.0\n");
        app.wait();
        QImage image(5, 4, QImage::Format_RGB32);
        for (int y = 0; y < 4; ++y)
            for (int x = 0; x < 5; ++x)
                image.setPixel(x, y, qRgb(10 * x, 20 * y, 100 + x + y));
        const QString path = app.folder.filePath("picture.png");
        QVERIFY(image.save(path));
        app.go("inputs");
        QTRY_COMPARE_WITH_TIMEOUT(app.child<QTableView>("inputsTable").model()->rowCount(), 1, kPatience);
        app.child<InputsPanel>("inputs").load(path);
        QTRY_VERIFY_WITH_TIMEOUT(app.window.findChild<QDialog *>("imageDialog"), kPatience);
        auto &dialog = app.child<QDialog>("imageDialog");
        QVERIFY(app.child<QComboBox>("imageLayout").currentText().contains("CHW"));
        // The other layout does not fit, and cannot be accepted.
        app.child<QComboBox>("imageLayout").setCurrentIndex(1);
        auto *accept = dialog.findChild<QDialogButtonBox *>()->button(QDialogButtonBox::Ok);
        QVERIFY(!accept->isEnabled());
        app.child<QComboBox>("imageLayout").setCurrentIndex(0);
        QTest::mouseClick(accept, Qt::LeftButton);
        app.run();
        const sw::TensorViewPtr output = app.snapshot().measured->outputs.front();
        for (int y = 0; y < 4; ++y)
            for (int x = 0; x < 5; ++x) {
                QCOMPARE(std::lround(output->number(y * 5 + x)), 10 * x);
                QCOMPARE(std::lround(output->number(20 + y * 5 + x)), 20 * y);
                QCOMPARE(std::lround(output->number(40 + y * 5 + x)), 100 + x + y);
            }
    }

    void theGraphMarksWhereNumbersGoWrong()
    {
        App app("input large: f32[4]\ninput x: f32[4]\ns = large + x\noutput y = s - large\n");
        app.wait();
        app.go("inputs");
        QTRY_COMPARE_WITH_TIMEOUT(app.child<QTableView>("inputsTable").model()->rowCount(), 2, kPatience);
        app.choose("inputFill", "Constant");
        app.type("inputFirst", "1e8");
        app.wait();
        app.go("health");
        QTest::mouseClick(&app.child<QCheckBox>("healthSwitch"), Qt::LeftButton, {}, QPoint(8, 8));
        auto &table = app.child<QTableView>("healthTable");
        QTRY_COMPARE_WITH_TIMEOUT(table.model()->rowCount(), 1, kPatience);
        QVERIFY(table.model()->index(0, HealthModel::What).data().toString().contains("bits lost"));
        QCOMPARE(app.graph().marks().flags.size(), 1U);
        QCOMPARE(app.graph().scene()->boxes[app.graph().marks().flags[0].box].label, "sub");
        QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, table.visualRect(table.model()->index(0, 0)).center());
        QVERIFY(app.window.selection().selectedItem());
        QCOMPARE(app.window.selection().selectedItem()->label, std::string("sub"));
        // More bits are allowed: nothing is left to say. Then the switch takes all marks away.
        app.child<QDoubleSpinBox>("healthBits").setValue(24);
        QCOMPARE(table.model()->rowCount(), 0);
        QVERIFY(app.graph().marks().flags.empty());
        app.child<QDoubleSpinBox>("healthBits").setValue(12);
        QCOMPARE(app.graph().marks().flags.size(), 1U);
        // Another input: it is examined again.
        app.go("inputs");
        QTest::mouseClick(&app.child<QPushButton>("inputReset"), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.graph().marks().flags.empty(), kPatience);
        app.go("health");
        QTest::mouseClick(&app.child<QCheckBox>("healthSwitch"), Qt::LeftButton, {}, QPoint(8, 8));
        QVERIFY(!app.window.findChild<Panel *>("health")->isMarkedOutOfDate());
    }

    void watchedValuesShowWhatChanged()
    {
        App app;
        app.run();
        app.go("values");
        app.choose("outputsBox", "output y");
        QTRY_COMPARE_WITH_TIMEOUT(app.cells().rowCount(), 4, kPatience);
        const auto pin = [&] {
            for (QToolButton *button : app.window.findChild<Panel *>("values")->tools()->findChildren<QToolButton *>())
                if (button->toolTip().startsWith("Watch"))
                    QTest::mouseClick(button, Qt::LeftButton);
        };
        pin();
        App::click(app.graph(), "sqrt");
        QTRY_VERIFY_WITH_TIMEOUT(app.statistics().contains("sqrt"), kPatience);
        pin();
        app.go("watch");
        auto &table = app.child<QTableView>("watchTable");
        QTRY_VERIFY_WITH_TIMEOUT(table.model()->rowCount() == 2 && app.isReady(), kPatience);
        const auto text = [&](int row, WatchModel::Column column) { return table.model()->index(row, column).data().toString(); };
        QCOMPARE(text(0, WatchModel::Name), "y");
        QCOMPARE(text(1, WatchModel::Type), "f32[4, 6]");
        QCOMPARE(text(0, WatchModel::Changed), QString::fromUtf8("\u2013"));
        // All elements are 3 now, and their roots the root of 3.
        app.go("inputs");
        app.choose("inputFill", "Constant");
        app.type("inputFirst", "3");
        app.wait();
        app.go("watch");
        QTRY_COMPARE_WITH_TIMEOUT(text(1, WatchModel::Maximum), "1.73205", kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(text(1, WatchModel::Changed).endsWith("of 24"), kPatience);
        // One more than 3 in one place.
        app.go("values");
        app.choose("outputsBox", "input x");
        QTRY_VERIFY_WITH_TIMEOUT(app.cell(0, 0) == "3", kPatience);
        app.typeCell(2, 4, "4");
        app.go("watch");
        QTRY_COMPARE_WITH_TIMEOUT(text(1, WatchModel::Changed), "1 of 24", kPatience);
        QTRY_COMPARE_WITH_TIMEOUT(text(1, WatchModel::Largest), "0.267949", kPatience);
        QTRY_COMPARE_WITH_TIMEOUT(text(0, WatchModel::Changed), "1 of 24", kPatience);
        // It is known by its name, and survives an edit that renumbers it.
        app.wait();
        app.editor().setPlainText(QString(kProgram).replace("h = ", "k = exp(w)\noutput k\nh = "));
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && !app.window.session().isEdited(), kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(text(1, WatchModel::Changed) == "0 of 24", kPatience);
        table.setFocus();
        table.setCurrentIndex(table.model()->index(0, 0));
        QTest::keyClick(&table, Qt::Key_Delete);
        QCOMPARE(table.model()->rowCount(), 1);
        app.editor().document()->setModified(false);
    }

    void picturesFitShapesOfBothLayouts()
    {
        const auto entry = [](std::vector<std::int64_t> shape) {
            sw::InputEntry made;
            made.name = "x";
            made.elementType = "f32";
            made.shape = std::move(shape);
            return made;
        };
        QCOMPARE(likelyLayout(entry({1, 3, 224, 200})), ImageLayout::ChannelsFirst);
        QCOMPARE(likelyLayout(entry({224, 200, 3})), ImageLayout::ChannelsLast);
        const ImagePlan last = imagePlan(entry({224, 200, 3}), ImageLayout::ChannelsLast);
        QCOMPARE(QSize(last.width, last.height), QSize(200, 224));
        QCOMPARE(imagePlan(entry({784}), ImageLayout::ChannelsFirst).width, 28);
        QVERIFY(!imagePlan(entry({10}), ImageLayout::ChannelsFirst).error.isEmpty());
        QVERIFY(!imagePlan(entry({2, 5, 6, 7}), ImageLayout::ChannelsFirst).error.isEmpty());
        QImage grey(2, 1, QImage::Format_RGB32);
        grey.setPixel(0, 0, qRgb(0, 0, 0));
        grey.setPixel(1, 0, qRgb(255, 255, 255));
        const ImagePlan plan = imagePlan(entry({1, 2}), ImageLayout::ChannelsFirst);
        QCOMPARE(imageNumbers(grey, plan, ImageLayout::ChannelsFirst, ImageScale::MinusOneToOne), (std::vector<double>{-1, 1}));
    }
};

QTEST_MAIN(TestValues)
#include "tst_values.moc"
