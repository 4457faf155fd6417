// The life of a value in its panel, on the real engine: steps that lead to their moments, and the rewrites that made and end an
// item.

#include "tests/gui/engine_app.h"
#include "ui/models/life_model.h"
#include "ui/panels/life_panel.h"

#include <QAction>
#include <QTableView>
#include <QTest>
#include <QToolButton>

#include <algorithm>

using namespace stepwell::ui;
using sw::StageKind;

namespace {

constexpr const char *kProgram = "input x: f32[64]\noutput exp(x * 1.0) + 2.0\n";

const LifeModel &modelOf(EngineApp &app)
{
    return app.child<LifePanel>("life").model();
}

// The first step of the stage; -1: there is none.
int rowOf(EngineApp &app, StageKind stage)
{
    for (int row = 0; row < modelOf(app).rowCount(); ++row)
        if (modelOf(app).step(row).stage == stage)
            return row;
    return -1;
}

void clickRow(EngineApp &app, int row)
{
    auto &table = app.child<QTableView>("lifeTable");
    const QModelIndex index = table.model()->index(row, LifeModel::Title);
    table.scrollTo(index);
    QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, table.visualRect(index).center());
}

} // namespace

class LifeTest : public QObject {
    Q_OBJECT

private slots:
    void eachStepLeadsToItsMoment()
    {
        EngineApp app(kProgram);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        app.window.action("go.life")->trigger();
        QCOMPARE(modelOf(app).rowCount(), 0);
        app.click(app.graph(), QStringLiteral("exp"));
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && modelOf(app).rowCount() > 0, kPatience);
        const int rows = modelOf(app).rowCount();
        for (const StageKind stage :
             {StageKind::Program, StageKind::Graph, StageKind::Schedule, StageKind::Loops, StageKind::Lowered, StageKind::Code})
            QVERIFY2(rowOf(app, stage) >= 0, qPrintable(QString::number(static_cast<int>(stage))));
        Moment &moment = app.window.moment();
        for (int row = 0; row < rows; ++row) {
            const sw::LifeStep step = modelOf(app).step(row);
            clickRow(app, row);
            QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
            if (step.place.pass == sw::kNoIndex)
                QVERIFY(moment.isAtEnd());
            else
                QCOMPARE(moment.place(), std::optional(step.place));
            if (!step.items.empty()) {
                const std::optional<StageItem> selected = app.window.selection().firstSelected();
                QVERIFY(selected.has_value());
                QCOMPARE(selected->stage, step.stage);
                QCOMPARE(selected->item, step.items.front());
            }
            QCOMPARE(modelOf(app).rowCount(), rows); // the same life goes on being told
        }
        // Without a selection there is no life to tell.
        moment.goToEnd();
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        app.window.selection().clear();
        QTRY_COMPARE_WITH_TIMEOUT(modelOf(app).rowCount(), 0, kPatience);
    }

    void buttonsLeadToWhatMadeAndWhatEndsAnItem()
    {
        EngineApp app(kProgram);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        app.window.action("go.life")->trigger();
        Moment &moment = app.window.moment();
        QCOMPARE(moment.goToNamed("simplify:0"), QString());
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        app.click(app.graph(), QStringLiteral("mul"));
        auto &ended = app.child<QToolButton>("lifeEnded");
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && ended.isVisible(), kPatience);
        QVERIFY(!app.child<QToolButton>("lifeMade").isVisible()); // the program has it
        QVERIFY2(ended.text().contains("drop-neutral"), qPrintable(ended.text()));
        QTest::mouseClick(&ended, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        QCOMPARE(moment.pass()->id, "simplify");
        QCOMPARE(moment.rewrite()->rule, "drop-neutral");
        // An instruction was made by a statement of a pass.
        moment.goToEnd();
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        const auto &lowered = *app.snapshot().stage(StageKind::Lowered).document;
        const auto store = std::ranges::find_if(
            lowered.items, [](const sw::DocumentItem &item) { return std::ranges::find(item.tags, "store") != item.tags.end(); });
        QVERIFY(store != lowered.items.end());
        app.window.selection().select(StageKind::Lowered, {static_cast<sw::ItemIndex>(store - lowered.items.begin())});
        auto &made = app.child<QToolButton>("lifeMade");
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && made.isVisible(), kPatience);
        QTest::mouseClick(&made, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        QVERIFY(moment.rewrite());
        QVERIFY(moment.pass()->output == StageKind::Lowered);
    }
};

QTEST_MAIN(LifeTest)
#include "tst_life.moc"
