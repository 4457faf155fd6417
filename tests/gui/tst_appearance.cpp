// Themes are complete and legible; models obey Qt's rules.

#include "engine/api/tensor_files.h"
#include "tests/gui/fake_engine.h"
#include "ui/models/kernel_model.h"
#include "ui/models/message_model.h"
#include "ui/models/pass_model.h"
#include "ui/models/quantity.h"
#include "ui/models/value_model.h"
#include "ui/theme/appearance.h"

#include <QAbstractItemModelTester>
#include <QTest>

using namespace stepwell::ui;

class TestAppearance : public QObject {
    Q_OBJECT

private:
    static void everyTheme()
    {
        QTest::addColumn<QString>("name");
        for (const QString &name : Theme::names())
            QTest::addRow("%s", qPrintable(name)) << name;
    }

private slots:
    void textIsLegible_data() { everyTheme(); }
    void textIsLegible()
    {
        QFETCH(QString, name);
        const Theme theme = Theme::load(name);
        for (const Role background : {Role::Window, Role::Base, Role::Alternate, Role::Raised, Role::Hover, Role::Selection,
                                      Role::AddedFill, Role::RemovedFill, Role::CurrentLine, Role::Node})
            QVERIFY2(Theme::contrast(theme.color(Role::Text), theme.color(background)) >= 4.5,
                     qPrintable(QString::number(static_cast<int>(background))));
        for (const Role text :
             {Role::Muted, Role::Error, Role::Warning, Role::Note, Role::Added, Role::Removed, Role::NotANumber})
            QVERIFY2(Theme::contrast(theme.color(text), theme.color(Role::Base)) >= 4.5,
                     qPrintable(QString::number(static_cast<int>(text))));
        for (std::size_t i = 0; i < kSyntaxCount; ++i)
            QVERIFY2(Theme::contrast(theme.color(static_cast<Syntax>(i)), theme.color(Role::Base)) >= 4.5,
                     qPrintable(QString::number(i)));
    }

    void marksAreVisible_data() { everyTheme(); }
    void marksAreVisible()
    {
        QFETCH(QString, name);
        const Theme theme = Theme::load(name);
        QCOMPARE(theme.identityColors().size(), 12U);
        for (const QColor &color : theme.identityColors())
            QVERIFY2(Theme::contrast(color, theme.color(Role::Base)) >= 3, qPrintable(color.name()));
        for (const Role mark : {Role::Halo, Role::SelectedHalo, Role::Accent, Role::Bar})
            QVERIFY2(Theme::contrast(theme.color(mark), theme.color(Role::Base)) >= 2.4,
                     qPrintable(QString::number(static_cast<int>(mark))));
    }

    void iconsHaveTheColoursOfTheTheme()
    {
        Appearance appearance("dark");
        const auto picture = [&] { return appearance.icon("menu").pixmap(16).toImage(); };
        const QImage dark = picture();
        QCOMPARE(appearance.icon("menu").cacheKey(), appearance.icon("menu").cacheKey()); // drawn once
        appearance.setTheme("light");
        QVERIFY(picture() != dark);
        appearance.setTheme("dark");
        QCOMPARE(picture(), dark);
    }

    // Whoever comes later finds the application as its own theme wants it, whatever stood before.
    void theLastThemeStands()
    {
        const Appearance dark("dark");
        const Appearance light("light");
        QCOMPARE(QApplication::palette(), Theme::load("light").palette());
        QCOMPARE(qApp->styleSheet(), styleSheetOf(Theme::load("light")));
        QCOMPARE(QApplication::font(), light.textFont());
        const Appearance again("dark");
        QCOMPARE(QApplication::palette(), Theme::load("dark").palette());
        QCOMPARE(qApp->styleSheet(), styleSheetOf(Theme::load("dark")));
    }

    void unknownTagsAreMuted()
    {
        const Theme theme = Theme::load("dark");
        QCOMPARE(theme.tagColor({"nobody knows this"}), theme.color(Role::Muted));
        QVERIFY(theme.tagColor({"unknown", "reduce"}) != theme.color(Role::Muted));
    }

    void modelsKeepTheRules()
    {
        FakeEngine engine;
        sw::ExploreRequest request;
        request.text = fakeProgram(2);
        QVERIFY(engine.compile(request, [](const sw::ReportPtr &) {}, {})->succeeded);
        const SnapshotPtr snapshot = makeSnapshot(nullptr, engine.run({}, {}), 1, true);
        Appearance appearance("dark");

        KernelModel kernels(appearance);
        const QAbstractItemModelTester kernelTester(&kernels, QAbstractItemModelTester::FailureReportingMode::QtTest);
        kernels.setSnapshot(snapshot);
        QCOMPARE(kernels.rowCount(), 4);
        QVERIFY(kernels.isMeasured());

        // What runs once is no part of a run's time.
        auto loaded = std::make_shared<sw::Report>(*snapshot->timed());
        for (std::size_t i = 0; i < 4; ++i)
            loaded->kernels[i].medianNanoseconds = i == 0 ? 1000 : 100;
        loaded->kernels[0].isOfLoad = true;
        Snapshot changed = *snapshot;
        changed.measured = loaded;
        kernels.setSnapshot(std::make_shared<const Snapshot>(changed));
        QVERIFY(!kernels.index(0, KernelModel::Share).data(KernelModel::ShareRole).isValid());
        QCOMPARE(kernels.index(0, KernelModel::Spread).data().toString(), QString("once, when loading"));
        QCOMPARE(kernels.index(1, KernelModel::Share).data(KernelModel::ShareRole).toDouble(), 1.0 / 3);

        kernels.setSnapshot(nullptr);
        QCOMPARE(kernels.rowCount(), 0);

        PassModel passes(appearance);
        const QAbstractItemModelTester passTester(&passes, QAbstractItemModelTester::FailureReportingMode::QtTest);
        passes.setPasses(snapshot->report->passes);
        QCOMPARE(passes.nextChanged(-1, 1), 0);
        QCOMPARE(passes.nextChanged(0, 1), 2);
        QCOMPARE(passes.nextChanged(2, 1), -1);
        QCOMPARE(passes.nextChanged(2, -1), 0);

        ValueModel values(appearance);
        const QAbstractItemModelTester valueTester(&values, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const sw::TensorViewPtr view = FakeEngine::value("x");
        values.setView(view, sw::TensorSlice::usual(view->shape()));
        QCOMPARE(values.rowCount(), 16);
        QCOMPARE(values.columnCount(), 8);
        QCOMPARE(values.index(1, 2).data().toString(), "2.5");
        QCOMPARE(values.index(1, 1).data().toString(), "nan");
        QVERIFY(!values.isPaged());

        MessageModel messages(appearance);
        const QAbstractItemModelTester messageTester(&messages, QAbstractItemModelTester::FailureReportingMode::QtTest);
        request.text = "a = exp(?)";
        messages.setMessages(engine.compile(request, [](const sw::ReportPtr &) {}, {})->messages);
        QCOMPARE(messages.index(0, MessageModel::Place).data().toString(), "1:9");
    }

    void valuesOfScalarsAndLongTensors()
    {
        Appearance appearance("dark");
        ValueModel values(appearance);
        const auto show = [&](const std::vector<std::int64_t> &shape, const sw::SliceChoice *choice = nullptr) {
            std::size_t elements = 1;
            for (const std::int64_t extent : shape)
                elements *= static_cast<std::size_t>(extent);
            std::vector<double> numbers;
            for (std::size_t i = 0; i < elements; ++i)
                numbers.push_back(static_cast<double>(i));
            const sw::TensorViewPtr view = sw::tensorOfNumbers("x", "i32", shape, numbers);
            values.setView(view, choice ? *choice : sw::TensorSlice::usual(shape));
        };
        show({});
        QCOMPARE(values.rowCount(), 1);
        QCOMPARE(values.columnCount(), 1);
        // A vector is laid out in rows; its last row may end early.
        show({20});
        QCOMPARE(values.rowCount(), 2);
        QCOMPARE(values.columnCount(), 16);
        QCOMPARE(values.headerData(1, Qt::Vertical, Qt::DisplayRole).toString(), "16");
        QCOMPARE(values.index(1, 3).data().toString(), "19");
        QVERIFY(!values.index(1, 4).data().isValid());
        // Any two axes can be chosen.
        const sw::SliceChoice choice{.rowAxis = 2, .columnAxis = 0, .fixed = {0, 1, 0}};
        show({2, 3, 5}, &choice);
        QCOMPARE(values.rowCount(), 5);
        QCOMPARE(values.columnCount(), 2);
        QCOMPARE(values.index(4, 1).data().toString(), QString::number(1 * 15 + 1 * 5 + 4));
        // A long one comes in pages.
        show({50'000, 2});
        QVERIFY(values.isPaged());
        QCOMPARE(values.rowCount(), ValueModel::kPageRows);
        const QModelIndex last = values.indexOf(99'999);
        QCOMPARE(last.data().toString(), "99999");
        QCOMPARE(values.headerData(last.row(), Qt::Vertical, Qt::DisplayRole).toString(), "49999");
        QCOMPARE(values.rowCount(), 10'000);
    }

    void quantitiesReadWell()
    {
        QCOMPARE(timeText(850), "850 ns");
        QCOMPARE(timeText(12'340), QString::fromUtf8("12.3 µs"));
        QCOMPARE(timeText(4'560'000), "4.56 ms");
        QCOMPARE(timeText(1'200'000'000), "1.20 s");
        QCOMPARE(rateText(152e9, "FLOP/s"), "152 GFLOP/s");
        QCOMPARE(countText(999), "999");
        QCOMPARE(countText(2'097'152), "2.10 M");
    }
};

QTEST_MAIN(TestAppearance)
#include "tst_appearance.moc"
