// The window's moment: the bar that moves it and the panes that follow, on the fake engine and on the real one.

#include "tests/gui/engine_app.h"
#include "tests/gui/fake_app.h"
#include "ui/capture.h"
#include "ui/graph_view/moment_fade.h"
#include "ui/panels/passes_panel.h"
#include "ui/text_view/diff_view.h"
#include "ui/timeline_bar.h"
#include "ui/timeline_track.h"

#include <QAction>
#include <QLabel>
#include <QProxyStyle>
#include <QSignalSpy>
#include <QSlider>
#include <QTableView>
#include <QTest>
#include <QToolButton>

#include <algorithm>
#include <map>

using namespace stepwell::ui;
using sw::StageKind;

namespace {

constexpr const char *kSoftmax = "input scores: f32[128, 256]\nscaled = scores * 1.0\noutput softmax(scaled, axis = -1)\n";

struct Motion : QProxyStyle {
    int styleHint(StyleHint hint, const QStyleOption *option, const QWidget *widget, QStyleHintReturn *returned) const override
    {
        return hint == SH_Widget_Animation_Duration ? milliseconds : QProxyStyle::styleHint(hint, option, widget, returned);
    }
    int milliseconds = 0;
};

template <class App>
TimelineTrack &trackOf(App &app)
{
    return app.template child<TimelineTrack>("timelineTrack");
}

template <class App>
void clickPass(App &app, int pass)
{
    TimelineTrack &track = trackOf(app);
    QTest::mouseClick(&track, Qt::LeftButton, {}, track.slotOf(pass).center().toPoint());
}

template <class App>
int passNamed(App &app, const std::string &id)
{
    const auto &passes = app.window.moment().passes();
    return static_cast<int>(std::ranges::find(passes, id, &sw::PassEntry::id) - passes.begin());
}

} // namespace

class TimelineTest : public QObject {
    Q_OBJECT

private slots:
    void keysAndClicksMoveTheWindow()
    {
        FakeApp<> app;
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        Moment &moment = app.window.moment();
        TimelineTrack &track = trackOf(app);
        QVERIFY(moment.isAtEnd());
        QCOMPARE(moment.passes().size(), 3U);
        QCOMPARE(track.value(), 3);
        clickPass(app, 0);
        QCOMPARE(moment.place(), (sw::MomentPlace{0, sw::kNoIndex}));
        track.setFocus();
        QTest::keyClick(&track, Qt::Key_Left);
        QCOMPARE(moment.done(), 2U);
        QTest::keyClick(&track, Qt::Key_Home);
        QCOMPARE(moment.place(), (sw::MomentPlace{0, 0}));
        QTest::keyClick(&track, Qt::Key_Right);
        QCOMPARE(moment.place(), (sw::MomentPlace{0, 1}));
        QTest::keyClick(&track, Qt::Key_Right, Qt::ShiftModifier);
        QCOMPARE(moment.place()->pass, 1U);
        QTest::keyClick(&track, Qt::Key_F);
        QCOMPARE(moment.place()->pass, 2U);
        QTest::keyClick(&track, Qt::Key_R);
        QCOMPARE(moment.place()->pass, 0U); // the one in between changed nothing
        QTest::keyClick(&track, Qt::Key_Left, Qt::ShiftModifier);
        QCOMPARE(moment.place(), (sw::MomentPlace{0, 0}));
        QTest::keyClick(&track, Qt::Key_End);
        QVERIFY(moment.isAtEnd());
        clickPass(app, 2);
        QCOMPARE(moment.place()->pass, 2U);
        clickPass(app, 3);
        QVERIFY(moment.isAtEnd());
        // In a text field, letters are typed as text.
        auto &editor = app.child<QPlainTextEdit>("programEditor");
        editor.setFocus();
        QTest::keyClick(&editor, Qt::Key_F);
        QVERIFY(moment.isAtEnd());
        editor.document()->setModified(false);
    }

    void thePanesFollow()
    {
        FakeApp<> app;
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        clickPass(app, 0);
        auto &slider = app.child<QSlider>("timelineRewrites");
        QCOMPARE(slider.maximum(), 3);
        slider.setValue(2);
        QTRY_VERIFY_WITH_TIMEOUT(!app.window.moment().isPending(), kPatience);
        QCOMPARE(app.graph().scene()->boxes[0].label, "x'");
        QCOMPARE(app.graph().scene()->boxes[2].label, "sum");
        QCOMPARE(app.graph().marks().made, std::vector<BoxIndex>{1});
        QVERIFY(app.child<QLabel>("timelineRewrite").text().contains("rule1"));
        QCOMPARE(app.child<QLabel>("timelineDoc").text(), "Says that a node was rewritten.");
        auto &kernels = app.child<GraphPanel>("kernels");
        QVERIFY(!kernels.view().canvas().scene());
        QVERIFY2(kernels.view().canvas().hint().contains("Group into kernels"), qPrintable(kernels.view().canvas().hint()));
        auto &machine = app.child<TextPanel>("machine");
        QVERIFY(machine.view().rows().count() > 0);
        QVERIFY(machine.tools()->findChild<QLabel *>("paneEndBadge")->isVisibleTo(machine.tools()));
        auto &back = app.child<QToolButton>("timelineEnd");
        QVERIFY(back.isVisible());
        QTest::mouseClick(&back, Qt::LeftButton);
        QVERIFY(app.window.moment().isAtEnd());
        QVERIFY(!back.isVisible());
        QCOMPARE(app.graph().scene()->boxes[0].label, "x");
        QVERIFY(app.graph().marks().made.empty());
        QVERIFY(kernels.view().canvas().scene());
        QVERIFY(!machine.tools()->findChild<QLabel *>("paneEndBadge")->isVisibleTo(machine.tools()));
    }

    void thePassesPanelIsAtTheSameMoment()
    {
        FakeApp<> app;
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        app.window.action("go.passes")->trigger();
        auto &passes = app.child<PassesPanel>("passes");
        auto &table = app.child<QTableView>("passesTable");
        QCOMPARE(passes.currentPass(), -1);
        table.selectRow(2);
        QCOMPARE(app.window.moment().place()->pass, 2U);
        clickPass(app, 0);
        QCOMPARE(table.currentIndex().row(), 0);
        QTRY_COMPARE_WITH_TIMEOUT(passes.diff().addedLines(), 3, kPatience);
        app.child<QSlider>("timelineRewrites").setValue(1);
        QTRY_COMPARE_WITH_TIMEOUT(passes.diff().addedLines(), 1, kPatience);
        app.window.action("step.end")->trigger();
        QVERIFY(!table.currentIndex().isValid());
        QCOMPARE(passes.diff().addedLines(), 0);
    }

    void playingGoesToTheEndByItself()
    {
        FakeApp<> app;
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        auto &bar = app.child<TimelineBar>("timelineBar");
        auto &speed = app.child<QComboBox>("timelineSpeed");
        speed.setCurrentIndex(speed.count() - 1);
        QTest::mouseClick(&app.child<QToolButton>("timelinePlay"), Qt::LeftButton);
        QVERIFY(bar.isPlaying());
        QCOMPARE(app.window.moment().place(), (sw::MomentPlace{0, 0}));
        QTRY_VERIFY_WITH_TIMEOUT(app.window.moment().isAtEnd(), kPatience);
        QVERIFY(!bar.isPlaying());
    }

    void movingFadesForAMomentOrNotAtAll()
    {
        Motion motion; // outlives the window
        FakeApp<> app;
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        Moment &moment = app.window.moment();
        app.graph().setStyle(&motion);
        bool hasFaded = false;
        connect(&moment, &Moment::snapshotChanged, &app.graph(), [&] { hasFaded = hasFaded || app.graph().isFading(); });
        const auto step = [&](sw::MomentPlace place) {
            hasFaded = false;
            moment.goTo(place);
            QTRY_VERIFY_WITH_TIMEOUT(!moment.isPending(), kPatience);
        };
        step({0, 1});
        step({0, 2});
        QVERIFY(!hasFaded); // the system asks for no motion
        motion.milliseconds = 5000;
        step({0, 3});
        QVERIFY(hasFaded);
        QVERIFY(app.graph().findChild<MomentFade *>()->duration() <= 120);
        QTRY_VERIFY_WITH_TIMEOUT(!app.graph().isFading(), kPatience);
    }

    // The picture of the moment before lies over the new one, and does not hide it.
    void theFirstPictureShowsTheNewMoment()
    {
        Motion motion; // outlives the window
        FakeApp<> app;
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        Moment &moment = app.window.moment();
        app.graph().setStyle(&motion);
        moment.goTo({0, 1});
        QTRY_VERIFY_WITH_TIMEOUT(!moment.isPending(), kPatience);
        motion.milliseconds = 5000;
        QImage before;
        QImage first;
        connect(&moment, &Moment::placeChanged, &app.graph(), [&] {
            if (moment.isPending())
                before = app.graph().grab().toImage();
            else if (app.graph().isFading())
                first = app.graph().grab().toImage(); // no time has passed
        });
        moment.goTo({0, 3});
        QTRY_VERIFY_WITH_TIMEOUT(!first.isNull(), kPatience);
        QVERIFY(!before.isNull());
        QVERIFY(first != before);
        QTRY_VERIFY_WITH_TIMEOUT(!app.graph().isFading(), kPatience);
        QVERIFY(first != app.graph().grab().toImage());
    }

    void howMuchToKeepIsChosenInTheMenuAndRemembered()
    {
        FakeApp<> app;
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        const auto go = [&](sw::MomentPlace place) {
            app.window.moment().goTo(place);
            QTRY_VERIFY_WITH_TIMEOUT(!app.window.moment().isPending(), kPatience);
        };
        QVERIFY(app.window.action("view.memory.64")->isChecked());
        go({0, 1});
        QTRY_COMPARE_WITH_TIMEOUT(app.engine.keptMoments.load(), std::size_t{64} << 20, kPatience);
        app.window.action("view.memory.256")->trigger();
        QVERIFY(!app.window.action("view.memory.64")->isChecked());
        go({0, 2});
        QTRY_COMPARE_WITH_TIMEOUT(app.engine.keptMoments.load(), std::size_t{256} << 20, kPatience);
        QCOMPARE(Settings(app.folder.filePath("settings.ini")).momentMebibytes(), 256);
        // A size that a person wrote into the file stands in the menu too.
        app.settings.setMomentMebibytes(40);
        MainWindow other(app.engine, app.appearance, app.settings);
        QVERIFY(other.action("view.memory.40")->isChecked());
    }

    void theBarSaysWhatItShows()
    {
        FakeApp<> app;
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        TimelineTrack &track = trackOf(app);
        QVERIFY(!track.accessibleName().isEmpty());
        clickPass(app, 0);
        QCOMPARE(track.value(), 0);
        QVERIFY2(track.accessibleDescription().contains("Fold constants"), qPrintable(track.accessibleDescription()));
        for (const QToolButton *button : app.child<TimelineBar>("timelineBar").findChildren<QToolButton *>()) {
            QVERIFY(!button->accessibleName().isEmpty());
            QVERIFY(!button->toolTip().isEmpty());
        }
    }

    void aPictureIsTakenOfAMoment()
    {
        const auto reasonOf = [](const QString &moment) {
            FakeApp<> app;
            Capture capture(app.window, {app.folder.filePath("picture.png"), {}, false, kPatience, moment});
            QSignalSpy finished(&capture, &Capture::finished);
            while (finished.isEmpty())
                QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
            return finished.front().front().toString();
        };
        QCOMPARE(reasonOf("fold-constants:2"), QString());
        QVERIFY(reasonOf("fold-constants:4").contains("has 3 rewrites"));
        QVERIFY(reasonOf("nothing").contains("nothing"));
    }

    void everyMomentOfARealProgramIsShown()
    {
        EngineApp app(kSoftmax);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        Moment &moment = app.window.moment();
        const std::size_t boxes = app.graph().scene()->boxes.size();
        const int lines = app.text("lowered").rows().count();
        moment.goToStart();
        int seen = 0;
        for (; !moment.isAtEnd(); moment.stepRewrite(1)) {
            QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
            const StageKind worked = moment.pass()->output;
            QVERIFY(app.graph().scene());
            QCOMPARE(app.kernels().scene() != nullptr, worked >= StageKind::Schedule);
            QCOMPARE(app.text("loops").rows().count() > 0, worked >= StageKind::Loops);
            QCOMPARE(app.text("lowered").rows().count() > 0, worked >= StageKind::Lowered);
            QVERIFY(app.text("machine").rows().count() > 0);
            ++seen;
        }
        QVERIFY2(seen > 20, qPrintable(QString::number(seen)));
        QCOMPARE(app.graph().scene()->boxes.size(), boxes);
        QCOMPARE(app.text("lowered").rows().count(), lines);
    }

    void aRewriteIsLitInTwoColours()
    {
        EngineApp app(kSoftmax);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        Moment &moment = app.window.moment();
        QCOMPARE(moment.goToNamed("simplify:1"), QString());
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        const GraphMarks &marks = app.graph().marks();
        QCOMPARE(marks.matched.size(), 1U);
        QCOMPARE(app.graph().scene()->boxes[marks.matched.front()].label, "mul");
        QCOMPARE(marks.made.size(), 1U);
        QCOMPARE(app.graph().scene()->boxes[marks.made.front()].label, "scores");
        QVERIFY(app.child<QLabel>("timelineRewrite").text().startsWith("drop-neutral"));
        // What is pointed at lights up in the program at every moment.
        app.window.selection().select(StageKind::Graph, {app.graph().scene()->boxes[marks.made.front()].item});
        QVERIFY(!app.window.selection().selected(StageKind::Program).isEmpty());
        QVERIFY(!moment.goToNamed("simplify:1000").isEmpty());
        QVERIFY(!moment.goToNamed("nothing").isEmpty());
    }

    void whatStaysTheSameStaysInItsPlace()
    {
        EngineApp app;
        app.window.openExampleNamed(QStringLiteral("attention"));
        QTRY_VERIFY_WITH_TIMEOUT(app.window.session().snapshot() && app.isReady(), kPatience);
        Moment &moment = app.window.moment();
        QCOMPARE(moment.goToNamed("simplify:0"), QString());
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        const double zoom = app.graph().zoom();
        for (std::uint32_t done = 1; done <= moment.pass()->rewrites; ++done) {
            const GraphScenePtr before = app.graph().scene();
            std::multimap<std::pair<QString, QString>, QPointF> places;
            for (const SceneBox &box : before->boxes)
                places.emplace(std::pair(box.label, box.detail), box.rect.center());
            moment.stepRewrite(1);
            QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.graph().scene() != before, kPatience);
            QCOMPARE(app.graph().zoom(), zoom);
            std::size_t kept = 0;
            for (const SceneBox &box : app.graph().scene()->boxes) {
                const auto [first, last] = places.equal_range({box.label, box.detail});
                const QPointF now = box.rect.center();
                const bool isKept = std::any_of(first, last, [&](const auto &place) { return place.second == now; });
                kept += isKept ? 1 : 0;
            }
            QVERIFY2(kept + 4 >= before->boxes.size(), qPrintable(QString::number(kept)));
        }
    }

    void compilingAnewKeepsTheMoment()
    {
        EngineApp app(kSoftmax);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        Moment &moment = app.window.moment();
        clickPass(app, passNamed(app, "simplify"));
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        const std::size_t boxes = app.graph().scene()->boxes.size();
        app.editor().moveCursor(QTextCursor::End);
        app.type("output exp(scores)");
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.window.session().isCompiledText(app.editor().toPlainText()) &&
                                     app.graph().scene()->boxes.size() > boxes,
                                 kPatience);
        QCOMPARE(moment.pass()->id, "simplify");
        QVERIFY(!app.kernels().scene());
        // If the program has errors, the moment of the last good result stays and is marked as out of date.
        app.type("\noutput exp(nothing)");
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.snapshot().report->messages.size() == 1, kPatience);
        QVERIFY(!moment.isAtEnd());
        QVERIFY(app.child<GraphPanel>("graph").isMarkedOutOfDate());
        for (int i = 0; i < 20; ++i)
            QTest::keyClick(&app.editor(), Qt::Key_Backspace);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.snapshot().report->succeeded, kPatience);
        QCOMPARE(moment.pass()->id, "simplify");
        QVERIFY(!app.child<GraphPanel>("graph").isMarkedOutOfDate());
        // Another program starts at the end.
        app.window.openText("other.sw", "input x: f32[4]\noutput exp(x)\n");
        QVERIFY(moment.isAtEnd());
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        QVERIFY(app.kernels().scene());
        app.editor().document()->setModified(false);
    }
};

QTEST_MAIN(TimelineTest)
#include "tst_timeline.moc"
