// The timeline narrowed to some rewrites, and moved by keys from anywhere in the window; on the real engine.

#include "tests/gui/engine_app.h"
#include "ui/timeline_bar.h"
#include "ui/timeline_track.h"

#include <QAction>
#include <QLabel>
#include <QMenu>
#include <QTest>
#include <QToolButton>

#include <algorithm>
#include <vector>

using namespace stepwell::ui;
using sw::StageKind;

namespace {

constexpr const char *kProgram = "input x: f32[4, 8]\ninput y: f32[16]\n"
                                 "output softmax(x * 1.0, axis = -1)\noutput exp(y * 1.0) + log(y)\n";

TimelineTrack &trackOf(EngineApp &app)
{
    return app.child<TimelineTrack>("timelineTrack");
}

// Opens the filter's menu and triggers the entry that begins with the text; in a submenu when one is named.
void choose(EngineApp &app, const QString &text, const char *submenu = nullptr)
{
    auto &menu = app.child<QMenu>("timelineFilterMenu");
    emit menu.aboutToShow();
    const auto *from = submenu ? menu.findChild<QMenu *>(QLatin1String(submenu)) : &menu;
    QVERIFY(from);
    const QList<QAction *> actions = from->actions();
    const auto found =
        std::ranges::find_if(actions, [&](const QAction *each) { return QString(each->text()).remove(u'&').startsWith(text); });
    QVERIFY2(found != actions.end(), qPrintable(text));
    QVERIFY((*found)->isEnabled());
    (*found)->trigger();
}

// How many moments Right visits before the end.
int countSteps(EngineApp &app)
{
    Moment &moment = app.window.moment();
    moment.goToStart();
    int steps = 0;
    for (QTest::keyClick(&trackOf(app), Qt::Key_Right); !moment.isAtEnd(); QTest::keyClick(&trackOf(app), Qt::Key_Right))
        ++steps;
    return steps;
}

} // namespace

class TimelineFilterTest : public QObject {
    Q_OBJECT

private slots:
    void onlyTheRewritesOfOneRule()
    {
        EngineApp app(kProgram);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        Moment &moment = app.window.moment();
        QVERIFY(!app.child<QWidget>("timelineChips").isVisible());
        choose(app, QStringLiteral("drop-neutral"), "timelineRules");
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        const std::uint32_t matches = moment.filter().matches();
        QVERIFY(matches >= 2);
        QCOMPARE(app.child<QToolButton>("chipRule").text(), QStringLiteral("rule drop-neutral"));
        QVERIFY2(app.child<QLabel>("timelineMatches").text().startsWith(QString::number(matches) + " of "),
                 qPrintable(app.child<QLabel>("timelineMatches").text()));
        trackOf(app).setFocus();
        QCOMPARE(countSteps(app), static_cast<int>(matches));
        // Backwards from the end, and each step is the rule.
        for (std::uint32_t i = 0; i < matches; ++i) {
            QTest::keyClick(&trackOf(app), Qt::Key_Left);
            QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && moment.rewrite(), kPatience);
            QCOMPARE(moment.rewrite()->rule, "drop-neutral");
        }
        QTest::keyClick(&trackOf(app), Qt::Key_Left);
        QCOMPARE(moment.place(), (sw::MomentPlace{0, 0}));
        // F goes to the passes that have matches.
        QTest::keyClick(&trackOf(app), Qt::Key_F);
        QCOMPARE(moment.pass()->id, "simplify");
        QTest::mouseClick(&app.child<QToolButton>("chipRule"), Qt::LeftButton);
        QVERIFY(!moment.filter().isActive());
        QVERIFY(!app.child<QWidget>("timelineChips").isVisible());
        QVERIFY(countSteps(app) > 50);
    }

    void onlyOneKernelAlsoAfterAnEdit()
    {
        EngineApp app(kProgram);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        Moment &moment = app.window.moment();
        const std::string name = moment.kernels().at(1).name;
        choose(app, QString::fromStdString(name), "timelineKernels");
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        QVERIFY(moment.filter().matches() > 0);
        moment.goToStart();
        QTest::keyClick(&trackOf(app), Qt::Key_Right);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && moment.rewrite(), kPatience);
        QCOMPARE(moment.pass()->id, "build-loops"); // before, there are no kernels
        QCOMPARE(moment.rewrite()->kernel, 1U);
        // A kernel in front of it gives it another number.
        moment.goToEnd();
        app.window.session().editProgram(QStringLiteral("input z: f32[3, 5]\noutput sum(z * z)\n") + QLatin1String(kProgram));
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && moment.kernels().size() == 3, kPatience);
        QCOMPARE(withoutKernelNumber(moment.kernels().at(moment.filter().kernel()).name), withoutKernelNumber(name));
        QVERIFY(moment.filter().matches() > 0);
        app.editor().document()->setModified(false);
    }

    void onlyWhatTouchesTheSelection()
    {
        EngineApp app(kProgram);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        Moment &moment = app.window.moment();
        MomentFilter &filter = moment.filter();
        QVERIFY(!filter.canTouchSelection());
        app.click(app.graph(), QStringLiteral("log"));
        choose(app, QStringLiteral("Only what touches the selection"));
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        const std::uint32_t ofLogarithm = filter.matches();
        const auto byPass = [&] {
            std::vector<std::uint32_t> matches;
            for (std::size_t pass = 0; pass < moment.passes().size(); ++pass)
                matches.push_back(filter.matchesIn(pass));
            return matches;
        };
        const std::vector<std::uint32_t> before = byPass();
        QVERIFY(ofLogarithm > 0);
        QVERIFY(app.child<QToolButton>("chipSelection").isVisible());
        // Moving through the matches keeps them.
        moment.goToStart();
        for (int i = 0; i < 5; ++i) {
            QTest::keyClick(&trackOf(app), Qt::Key_Right);
            QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
            QCOMPARE(filter.matches(), ofLogarithm);
        }
        moment.goToEnd();
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        app.click(app.graph(), QStringLiteral("x")); // of the other kernel
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && byPass() != before, kPatience);
        app.window.selection().clear();
        QVERIFY(!filter.isActive());
    }

    void passesThatChangeNothingAreHidden()
    {
        EngineApp app(kProgram);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        Moment &moment = app.window.moment();
        const auto shown = [&] {
            int count = 0;
            for (int pass = 0; pass < static_cast<int>(moment.passes().size()); ++pass)
                count += trackOf(app).slotOf(pass).isEmpty() ? 0 : 1;
            return count;
        };
        QCOMPARE(shown(), static_cast<int>(moment.passes().size()));
        choose(app, QStringLiteral("Hide passes that change nothing"));
        const auto changed = std::ranges::count_if(moment.passes(), &sw::PassEntry::changed);
        QVERIFY(changed < std::ssize(moment.passes()));
        QCOMPARE(shown(), static_cast<int>(changed));
        moment.goToStart();
        for (QTest::keyClick(&trackOf(app), Qt::Key_Right, Qt::ShiftModifier); !moment.isAtEnd();
             QTest::keyClick(&trackOf(app), Qt::Key_Right, Qt::ShiftModifier))
            QVERIFY(moment.pass()->changed);
        QTest::mouseClick(&app.child<QToolButton>("chipUnchanged"), Qt::LeftButton);
        QCOMPARE(shown(), static_cast<int>(moment.passes().size()));
    }

    void keysMoveOverStagesAndPassesFromAnyPane()
    {
        EngineApp app(kProgram);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        Moment &moment = app.window.moment();
        app.graph().setFocus();
        moment.goToStart();
        for (const StageKind stage : {StageKind::Graph, StageKind::Schedule, StageKind::Loops, StageKind::Lowered}) {
            QTest::keyClick(&app.graph(), Qt::Key_J);
            QVERIFY(moment.pass());
            QCOMPARE(moment.pass()->output, stage);
            const std::size_t next = moment.place()->pass + 1;
            QVERIFY(next == moment.passes().size() || moment.passes()[next].output != stage);
        }
        QTest::keyClick(&app.graph(), Qt::Key_J);
        QVERIFY(moment.isAtEnd());
        QTest::keyClick(&app.graph(), Qt::Key_K);
        QTest::keyClick(&app.graph(), Qt::Key_K);
        QCOMPARE(moment.pass()->output, StageKind::Loops);
        const std::uint32_t pass = moment.place()->pass;
        QTest::keyClick(&app.graph(), Qt::Key_Right, Qt::ShiftModifier);
        QCOMPARE(moment.place()->pass, pass + 1);
        QTest::keyClick(&app.graph(), Qt::Key_Left, Qt::ShiftModifier);
        QCOMPARE(moment.place()->pass, pass);
        // In the program they select text.
        app.editor().setFocus();
        app.editor().moveCursor(QTextCursor::Start);
        QTest::keyClick(&app.editor(), Qt::Key_Right, Qt::ShiftModifier);
        QCOMPARE(app.editor().textCursor().selectedText(), QStringLiteral("i"));
        QCOMPARE(moment.place()->pass, pass);
    }

    void lettersLeadToAPass()
    {
        EngineApp app(kProgram);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        Moment &moment = app.window.moment();
        TimelineTrack &track = trackOf(app);
        const int interval = QApplication::keyboardInputInterval();
        QApplication::setKeyboardInputInterval(kPatience); // however slow the machine is
        track.setFocus();
        moment.goToStart();
        QTest::keyClick(&track, Qt::Key_L);
        QCOMPARE(moment.pass()->id, "choose-layouts"); // "Choose layouts"
        QTest::keyClick(&track, Qt::Key_L);
        QCOMPARE(moment.pass()->id, "lay-out-constants"); // "Lay out constants"
        QTest::keyClick(&track, Qt::Key_L);
        QCOMPARE(moment.pass()->id, "build-loops"); // the same letter goes on: "Build loops"
        QTest::keyClick(&track, Qt::Key_L);
        QCOMPARE(moment.pass()->id, "choose-transforms"); // "Choose loop transformations"
        QTest::keyClick(&track, Qt::Key_O);
        QCOMPARE(moment.pass()->id, "choose-transforms");
        // The word is over when the keys go elsewhere.
        app.graph().setFocus();
        track.setFocus();
        QTest::keyClick(&track, Qt::Key_G);
        QCOMPARE(moment.pass()->id, "serialize-groups");
        app.graph().setFocus();
        moment.goToStart();
        track.setFocus();
        QTest::keyClicks(&track, QStringLiteral("simp"));
        QCOMPARE(moment.pass()->id, "simplify");
        QApplication::setKeyboardInputInterval(interval);
    }
};

QTEST_MAIN(TimelineFilterTest)
#include "tst_timeline_filter.moc"
