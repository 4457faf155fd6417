// Inputs in the window on the real engine: what is typed, chosen and loaded changes what is computed.

#include "engine/api/tensor_files.h"
#include "tests/gui/values_app.h"
#include "ui/models/image_tensor.h"
#include "ui/panels/inputs_panel.h"

#include <QDialog>
#include <QDialogButtonBox>
#include <QPushButton>

#include <array>

using namespace stepwell::ui;

namespace {

using App = ValuesApp;
constexpr const char *kProgram = kValuesProgram;

} // namespace

class TestInputs : public QObject {
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
        QTRY_COMPARE_WITH_TIMEOUT(app.cell(1, 2), "-1.0", kPatience);
        app.wait();
        app.choose("outputsBox", "output y");
        QTRY_VERIFY_WITH_TIMEOUT(app.cell(1, 2).startsWith("nan"), kPatience);
        // What is no number is refused, and says so.
        app.choose("outputsBox", "input x");
        QTRY_COMPARE_WITH_TIMEOUT(app.cell(1, 2), "-1.0", kPatience);
        app.typeCell(0, 0, "one");
        QTRY_VERIFY_WITH_TIMEOUT(app.child<QLabel>("valuesTold").text().contains("\"one\" is not a value of type f32"),
                                 kPatience);
        QVERIFY(app.cell(0, 0) != "one");
        // Another expression: the cell is still -1.
        app.editor().setPlainText(QString(kProgram).replace("+ 1.0", "+ 2.0"));
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && !app.window.session().isEdited(), kPatience);
        app.run();
        app.choose("outputsBox", "output y");
        QTRY_VERIFY_WITH_TIMEOUT(app.cell(1, 2).startsWith("nan"), kPatience);
        // Another shape: it does not fit, and the panel says what was dropped.
        app.editor().setPlainText(QString(kProgram).replace("x: f32[4, 6]", "x: f32[1, 6]"));
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && !app.window.session().isEdited(), kPatience);
        app.go("inputs");
        const QString told = app.child<QLabel>("inputTold").text();
        QVERIFY2(told.contains("The choice for x") && told.contains("it is f32[1, 6], and has no element [1, 2]"),
                 qPrintable(told));
        app.editor().document()->setModified(false);
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

QTEST_MAIN(TestInputs)
#include "tst_inputs.moc"
