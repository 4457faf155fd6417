// The panel that says what bounds kernels, on the real engine: the machine is measured, dots are where their numbers say, and
// pointing, clicking and keys reach the kernels.

#include "tests/gui/what_if_app.h"
#include "ui/panels/roofline_panel.h"

#include <QPushButton>
#include <QTableView>
#include <QToolButton>

#include <cmath>

using namespace stepwell::ui;

namespace {

constexpr const char *kProgram = "input x: f32[256, 256]\ninput w: f32[256, 256]\n"
                                 "output y = softmax(x @ w, axis = -1)\noutput z = x @ x\n";

struct App : WhatIfApp {
    App() : WhatIfApp(QString::fromLatin1(kProgram)) {}
    [[nodiscard]] RooflinePlot &plot() { return child<RooflinePlot>("rooflinePlot"); }
    [[nodiscard]] QTableView &table() { return child<QTableView>("rooflineTable"); }
    void run()
    {
        window.action("compile.run")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(isReady() && snapshot().report->totalMedianNanoseconds, kPatience);
    }
    void measure()
    {
        press("rooflineMeasure");
        QTRY_VERIFY_WITH_TIMEOUT(plot().isVisible() && plot().hasDots(), kPatience);
    }
};

} // namespace

class TestRoofline : public QObject {
    Q_OBJECT

private slots:
    void kernelsStandUnderMeasuredRoofs()
    {
        App app;
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        app.show("roofline");
        QVERIFY(!app.plot().isVisible()); // nothing is measured without being asked for
        app.run();
        QVERIFY(app.child<QPushButton>("rooflineMeasure").isVisible());
        app.measure();
        const sw::Roofline &roofline = app.plot().roofline();
        QVERIFY(roofline.roofs.size() >= 3);
        const auto &kernels = app.snapshot().report->kernels;
        QCOMPARE(roofline.points.size(), kernels.size());
        QCOMPARE(app.table().model()->rowCount(), static_cast<int>(kernels.size()));
        for (const sw::RooflinePoint &point : roofline.points) {
            QCOMPARE(point.flops, kernels[point.kernel].flops);
            QVERIFY(!point.text.empty());
            QVERIFY(point.estimateError);
        }
        // A dot that is to the right of another has more operations per byte, and a higher one a higher rate.
        for (const sw::RooflinePoint &a : roofline.points)
            for (const sw::RooflinePoint &b : roofline.points) {
                const auto from = app.plot().positionOf(a.kernel);
                const auto to = app.plot().positionOf(b.kernel);
                if (!from || !to)
                    continue;
                QCOMPARE(from->x() < to->x(), a.intensity < b.intensity);
                QCOMPARE(from->y() > to->y(), a.rate < b.rate);
            }
        if (const QByteArray folder = qgetenv("STEPWELL_PICTURES"); !folder.isEmpty())
            app.window.grab().save(QString::fromUtf8(folder) + QStringLiteral("/roofline.png"));
    }

    void aDotLeadsToItsKernel()
    {
        App app;
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        app.show("roofline");
        app.run();
        app.measure();
        const sw::RooflinePoint point = app.plot().roofline().points.back();
        const auto at = app.plot().positionOf(point.kernel);
        QVERIFY(at);
        const auto hit = app.plot().kernelAt(*at);
        QVERIFY(hit);
        QVERIFY(app.plot().toolTipOf(*hit).contains(QString::fromStdString(app.plot().roofline().points[*hit].text)));
        QTest::mouseMove(&app.plot(), at->toPoint());
        QTest::mouseClick(&app.plot(), Qt::LeftButton, {}, at->toPoint());
        const auto selected = [&]() -> std::optional<std::uint32_t> {
            const sw::DocumentItem *item = app.window.selection().selectedItem();
            return item ? std::optional(item->kernel) : std::nullopt;
        };
        QCOMPARE(selected(), hit);
        QVERIFY(app.table().selectionModel()->hasSelection());
        // Left to the first dot, and on to the next one.
        app.plot().setFocus();
        for (std::size_t i = 0; i < app.plot().roofline().points.size(); ++i)
            QTest::keyClick(&app.plot(), Qt::Key_Left);
        const auto first = selected();
        QVERIFY(first);
        QTest::keyClick(&app.plot(), Qt::Key_Right);
        QVERIFY(selected() && selected() != first);
        // And from the table.
        app.table().sortByColumn(RooflineModel::Error, Qt::DescendingOrder);
        const QModelIndex top = app.table().model()->index(0, RooflineModel::Name);
        QTest::mouseClick(app.table().viewport(), Qt::LeftButton, {}, app.table().visualRect(top).center());
        QVERIFY(selected());
        QCOMPARE(QString::fromStdString(app.snapshot().report->kernels[*selected()].name), top.data().toString());
        // The kernel whose estimate is furthest off is first, too short or too long.
        double before = 1e9;
        for (int row = 0; row < app.table().model()->rowCount(); ++row) {
            const double off = app.table().model()->index(row, RooflineModel::Error).data(RooflineModel::SortRole).toDouble();
            QVERIFY(off <= before);
            before = off;
        }
    }

    void arrowsLeadFromTheRunBefore()
    {
        App app;
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        app.show("roofline");
        app.run();
        app.measure();
        QCOMPARE(app.plot().arrowCount(), std::size_t{0});
        const auto outputs = app.snapshot().report->runOutputs;
        app.window.action("compile.run")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.snapshot().report->runOutputs != outputs, kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(app.plot().arrowCount() > 0, kPatience);
        for (const char *theme : {"light", "dark"}) {
            app.appearance.setTheme(QLatin1String(theme));
            QVERIFY(!app.plot().grab().isNull());
        }
    }
};

QTEST_MAIN(TestRoofline)
#include "tst_roofline.moc"
