// Values in the window on the real engine: found, laid out, compared, watched and saved.

#include "engine/api/tensor_files.h"
#include "tests/gui/dialogs.h"
#include "tests/gui/values_app.h"
#include "ui/panels/health_panel.h"
#include "ui/panels/values_heat_map.h"
#include "ui/panels/values_panel.h"
#include "ui/panels/watch_panel.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QPushButton>
#include <QSlider>

using namespace stepwell::ui;

namespace {

using App = ValuesApp;
constexpr const char *kProgram = kValuesProgram;

} // namespace

class TestValues : public QObject {
    Q_OBJECT

private slots:
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
        QTRY_VERIFY_WITH_TIMEOUT(app.window.findChild<QWidget *>("values")->isVisible() && app.cell(0, 1) == "1.0", kPatience);
        app.type("valuesPlace", "4, 3, 2");
        QCOMPARE(app.child<QTableView>("valuesTable").currentIndex().data().toString(), "116.0");
        QCOMPARE(app.child<QSlider>("valuesSlice0").value(), 4);
        app.type("valuesPlace", "5, 0, 0");
        QVERIFY(app.child<QLabel>("valuesTold").text().contains("there is no element"));
        app.type("valuesPlace", "=77");
        QTRY_COMPARE_WITH_TIMEOUT(app.child<QLabel>("valuesTold").text(), "[3, 0, 5]", kPatience);
        app.type("valuesPlace", "=0.5");
        QTRY_COMPARE_WITH_TIMEOUT(app.child<QLabel>("valuesTold").text(), "There is none.", kPatience);
        app.type("valuesPlace", "=x");
        QTRY_VERIFY_WITH_TIMEOUT(app.child<QLabel>("valuesTold").text().contains("x"), kPatience);
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
        QCOMPARE(order.model()->index(0, ValueOrderModel::Value).data().toString(), "119.0");
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
                const bool isNan = app.cell(row, column).startsWith("nan");
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
        App::click(app.graph(), "reduce_axis add");
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
        whenAsked<QFileDialog>(&app.window, [&](QFileDialog &dialog) {
            dialog.selectFile(path);
            QTest::keyClick(&dialog, Qt::Key_Return);
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
        QVERIFY(table.model()->index(0, HealthModel::Node).data().toString().startsWith("sub (%"));
        QVERIFY(table.model()->index(0, HealthModel::Node).data().toString().endsWith(") f32[4]"));
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
        QTRY_VERIFY_WITH_TIMEOUT(app.cell(0, 0) == "3.0", kPatience);
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
};

QTEST_MAIN(TestValues)
#include "tst_values.moc"
