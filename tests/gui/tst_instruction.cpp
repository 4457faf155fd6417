// Lowered instructions, and what was made from them, answer on the same card as everything else, on the real engine.

#include "tests/gui/what_if_app.h"

#include <QTest>

using namespace stepwell::ui;

namespace {

void clickLine(TextView &view, const QString &text)
{
    const int row = EngineApp::rowWith(view, text);
    QVERIFY2(row >= 0, qPrintable(text));
    view.scrollToRow(row);
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, view.rowRect(row).center());
}

bool hasInstructionCard(WhatIfApp &app, const std::string &rule)
{
    return app.isReady() && app.why().isSettled() && app.why().card() &&
           app.why().card()->subject == sw::WhySubject::Instruction && app.why().card()->rule == rule;
}

} // namespace

class InstructionTest : public QObject {
    Q_OBJECT

private slots:
    void aLoweredLineSaysWhatMadeItSo()
    {
        WhatIfApp app(QStringLiteral("input x: f32[64, 64]\noutput y = exp(x) * 2\n"));
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        app.show("lowered");
        app.show("why");
        clickLine(app.text("lowered"), QStringLiteral("load f32x"));
        QTRY_VERIFY_WITH_TIMEOUT(hasInstructionCard(app, "vector-access"), kPatience);
        for (const char *part : {"Neighbours at once", "made so by", "set_type", "lanes", "work items x rounds", "made by"})
            QVERIFY2(app.whyText().contains(part), qPrintable(app.whyText()));
        QVERIFY2(app.whyText().contains("instructions"), "what it would cost otherwise");
        // Its button leaves the transformation out.
        app.press("whyTry0");
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.whatIf().lines().size() == 1, kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && EngineApp::rowWith(app.text("lowered"), QStringLiteral("load f32 ")) >= 0,
                                 kPatience);
        QCOMPARE(EngineApp::rowWith(app.text("lowered"), QStringLiteral("load f32x")), -1);
        clickLine(app.text("lowered"), QStringLiteral("load f32 "));
        QTRY_VERIFY_WITH_TIMEOUT(hasInstructionCard(app, "scalar-access"), kPatience);
    }

    // A line of generated code answers as the instruction that it was made from.
    void aLineOfCodeAnswersToo()
    {
        WhatIfApp app(QStringLiteral("input x: f32[64, 64]\noutput y = exp(x) * 2\n"));
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        app.show("code");
        app.show("why");
        clickLine(app.text("code"), QStringLiteral("x float>, ptr"));
        QTRY_VERIFY_WITH_TIMEOUT(hasInstructionCard(app, "vector-access"), kPatience);
    }
};

QTEST_MAIN(InstructionTest)
#include "tst_instruction.moc"
