// Themes are complete and legible; models obey Qt's rules.

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
        values.setSummary(engine.nodeValue(0, {}));
        QCOMPARE(values.rowCount(), 16);
        QCOMPARE(values.columnCount(), 8);
        QCOMPARE(values.index(1, 2).data().toString(), "2.500000");
        QVERIFY(!values.isTruncated());

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
        sw::TensorSummary summary;
        summary.firstValues = {"1.5"};
        values.setSummary(summary);
        QCOMPARE(values.rowCount(), 1);
        QCOMPARE(values.columnCount(), 1);
        summary.shape = {2, 3, 4096};
        summary.firstValues.assign(4096, "0");
        values.setSummary(summary);
        QCOMPARE(values.rowCount(), 1);
        QVERIFY(values.isTruncated());
        summary.shape = {2, 3, 2};
        summary.firstValues.assign(12, "0");
        values.setSummary(summary);
        QCOMPARE(values.headerData(4, Qt::Vertical, Qt::DisplayRole).toString(), "1, 1");
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
