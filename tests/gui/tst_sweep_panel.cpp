// The panel that sweeps, on the real engine with kernels in processes of their own: dimensions, threads and tiles, points as they
// come, Stop, keys and clicks, and what is saved. No times are tested.

#include "tests/gui/what_if_app.h"
#include "ui/panels/sweep_panel.h"

#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QTableView>
#include <QXmlStreamReader>

using namespace stepwell::ui;

namespace {

constexpr const char *kProgram = "n: dim[1, 64] = 8\ninput x: f32[n, 64]\noutput y = softmax(x, axis = -1)\n";

struct App : WhatIfApp {
    explicit App(const char *program = kProgram) : WhatIfApp(QString::fromLatin1(program)) {}
    [[nodiscard]] SweepPanel &panel() { return child<SweepPanel>("sweep"); }
    [[nodiscard]] SweepPlot &plot() { return child<SweepPlot>("sweepPlot"); }
    [[nodiscard]] QTableView &table() { return child<QTableView>("sweepTable"); }
    [[nodiscard]] QComboBox &what() { return child<QComboBox>("sweepWhat"); }
    [[nodiscard]] QPushButton &button() { return child<QPushButton>("sweepRun"); }
    void open()
    {
        QTRY_VERIFY_WITH_TIMEOUT(isReady(), kPatience);
        show("sweep");
        QTRY_VERIFY_WITH_TIMEOUT(button().isEnabled(), kPatience);
    }
    void set(const char *box, int value)
    {
        auto &number = child<QSpinBox>(box);
        number.setFocus();
        number.selectAll();
        QTest::keyClicks(&number, QString::number(value));
        QTest::keyClick(&number, Qt::Key_Return);
        QCOMPARE(number.value(), value);
    }
    void sweep()
    {
        QTest::mouseClick(&button(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(panel().isSettled(), kPatience);
    }
    [[nodiscard]] QStringList values()
    {
        QStringList all;
        for (int row = 0; row < table().model()->rowCount(); ++row)
            all << table().model()->index(row, SweepModel::Value).data().toString();
        return all;
    }
};

} // namespace

class TestSweepPanel : public QObject {
    Q_OBJECT

private slots:
    void aDimensionIsSwept()
    {
        App app;
        app.open();
        QCOMPARE(app.what().currentText(), QStringLiteral("dimension n"));
        QCOMPARE(app.child<QSpinBox>("sweepLow").value(), 1);
        QCOMPARE(app.child<QSpinBox>("sweepHigh").value(), 64);
        app.set("sweepSteps", 3);
        app.sweep();
        QCOMPARE(app.values(), (QStringList{QStringLiteral("1"), QStringLiteral("8"), QStringLiteral("64")}));
        QVERIFY(app.plot().isVisible());
        // Values go to the right, times upwards.
        const QPointF first = app.plot().timeAt(0);
        const QPointF last = app.plot().timeAt(2);
        QVERIFY(first.x() < last.x());
        // A loop over one row is another one than over 64.
        QVERIFY(app.plot().markCount() >= 1);
        QTest::mouseClick(&app.plot(), Qt::LeftButton, {}, last.toPoint());
        QCOMPARE(app.table().currentIndex().row(), 2);
        QVERIFY(app.plot().toolTipOf(2).startsWith(QStringLiteral("n = 64\n")));
        app.plot().setFocus();
        QTest::keyClick(&app.plot(), Qt::Key_Left);
        QCOMPARE(app.table().currentIndex().row(), 1);
        if (const QByteArray folder = qgetenv("STEPWELL_PICTURES"); !folder.isEmpty())
            for (const char *theme : {"light", "dark"}) {
                app.appearance.setTheme(QLatin1String(theme));
                app.window.grab().save(QString::fromUtf8(folder) + QStringLiteral("/sweep_%1.png").arg(QLatin1String(theme)));
            }
    }

    void whatIsSavedCanBeRead()
    {
        App app;
        app.open();
        app.set("sweepHigh", 2);
        app.sweep();
        QCOMPARE(app.values().size(), 2);
        const QString table = app.folder.filePath(QStringLiteral("sweep.csv"));
        QCOMPARE(app.panel().saveAs(table), QString());
        QFile csv(table);
        QVERIFY(csv.open(QIODevice::ReadOnly));
        QVERIFY(csv.readLine().startsWith("n,median_ns,"));
        const QString picture = app.folder.filePath(QStringLiteral("sweep.svg"));
        QCOMPARE(app.panel().saveAs(picture), QString());
        QFile svg(picture);
        QVERIFY(svg.open(QIODevice::ReadOnly));
        QXmlStreamReader reader(&svg);
        QVERIFY(reader.readNextStartElement());
        QCOMPARE(reader.name().toString(), QStringLiteral("svg"));
        QVERIFY(app.plot().markCount() > 0); // one row is no loop
        QString texts;
        while (!reader.atEnd())
            if (reader.readNext() == QXmlStreamReader::Characters)
                texts += reader.text();
        QVERIFY2(texts.contains(QStringLiteral("1  from n = 2: ")), qPrintable(texts));
        QVERIFY(!app.panel().saveAs(app.folder.filePath(QStringLiteral("nowhere/sweep.csv"))).isEmpty());
    }

    void aTileIsSwept()
    {
        App app("input x: f32[64, 96]\ninput w: f32[96, 128]\noutput y = x @ w\n");
        app.open();
        const auto tile = [&] {
            for (int i = 0; i < app.what().count(); ++i)
                if (app.what().itemText(i).startsWith(QStringLiteral("split ")))
                    return i;
            return -1;
        };
        QTRY_VERIFY_WITH_TIMEOUT(tile() >= 0, kPatience);
        app.what().setFocus();
        for (int i = app.what().currentIndex(); i < tile(); ++i)
            QTest::keyClick(&app.what(), Qt::Key_Down);
        QCOMPARE(app.what().currentIndex(), tile());
        const int size = app.child<QSpinBox>("sweepHigh").value() / 4;
        app.set("sweepLow", size);
        app.set("sweepHigh", size);
        app.sweep();
        QCOMPARE(app.values(), QStringList{QString::number(size)});
    }

    void stopKeepsWhatIsThere()
    {
        App app("n: dim[1, 4096] = 8\ninput x: f32[n, 4096]\noutput y = softmax(x, axis = -1)\n");
        app.open();
        app.set("sweepSteps", 500); // so many that it is not done before it is stopped
        QTest::mouseClick(&app.button(), Qt::LeftButton);
        QCOMPARE(app.button().text(), QStringLiteral("Stop"));
        QTRY_VERIFY_WITH_TIMEOUT(app.values().size() >= 1, kPatience);
        QTest::mouseClick(&app.button(), Qt::LeftButton);
        QVERIFY(app.panel().isSettled());
        QVERIFY(!app.values().isEmpty());
        QCOMPARE(app.button().text(), QStringLiteral("Sweep"));
        // A range that is none is refused before anything runs.
        app.set("sweepLow", 9);
        app.set("sweepHigh", 3);
        QTest::mouseClick(&app.button(), Qt::LeftButton);
        QVERIFY(app.panel().isSettled());
        QCOMPARE(app.panel().note(), QStringLiteral("from is larger than to"));
    }
};

QTEST_MAIN(TestSweepPanel)
#include "tst_sweep_panel.moc"
