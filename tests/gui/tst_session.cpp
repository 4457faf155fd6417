// Requests go to one thread, the newest wins, and the last good result is kept.

#include "tests/gui/fake_engine.h"
#include "tests/gui/patience.h"
#include "ui/session/session.h"
#include "ui/session/settings.h"
#include "ui/session/watch_list.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <memory>
#include <semaphore>
#include <stop_token>
#include <utility>
#include <vector>

using namespace stepwell::ui;
using sw::StageKind;

namespace {

constexpr const char *kGood = "x = input()\na = exp(x)\nb = sum(a)\n";
constexpr const char *kBroken = "x = input()\na = exp(?)\n";

// Compiles only when told to, so that requests pile up.
class SlowEngine : public FakeEngine {
public:
    sw::ReportPtr compile(const sw::ExploreRequest &request, const sw::ReportCallback &progress, std::stop_token stop) override
    {
        started.release();
        go.acquire();
        if (stop.stop_requested()) {
            ++cancelled;
            return nullptr;
        }
        return FakeEngine::compile(request, progress, stop);
    }

    std::counting_semaphore<> started{0};
    std::counting_semaphore<> go{0};
    std::atomic<int> cancelled = 0;
};

// Runs until it is stopped, the first time.
class BusyEngine : public FakeEngine {
public:
    sw::ReportPtr run(const sw::RunRequest &request, std::stop_token stop) override
    {
        if (++runs > 1)
            return FakeEngine::run(request, stop);
        std::binary_semaphore stopped{0};
        const std::stop_callback onStop(stop, [&] { stopped.release(); });
        begun.release();
        stopped.acquire();
        return nullptr;
    }

    std::counting_semaphore<> begun{0};
    std::atomic<int> runs = 0;
};

} // namespace

class TestSession : public QObject {
    Q_OBJECT

private slots:
    void workDoneAheadGivesWay()
    {
        std::counting_semaphore<> begun{0};
        std::counting_semaphore<> ended{0};
        std::vector<QString> done; // of the worker thread, until it has ended
        RequestQueue queue;
        queue.post(RequestTag::Ahead, [&, isFirst = true](const std::stop_token &stop) mutable {
            if (!std::exchange(isFirst, false)) {
                done.push_back("ahead again");
                ended.release();
                return;
            }
            std::binary_semaphore stopped{0};
            const std::stop_callback onStop(stop, [&] { stopped.release(); });
            begun.release();
            stopped.acquire();
            done.push_back("ahead stopped");
        });
        begun.acquire();
        queue.post(RequestTag::Value, [&](const std::stop_token &stop) {
            done.push_back(stop.stop_requested() ? "stopped" : "value");
            queue.post(RequestTag::Why, [&](const std::stop_token &) { done.push_back("why"); });
        });
        ended.acquire();
        QCOMPARE(done, (std::vector<QString>{"ahead stopped", "value", "why", "ahead again"}));
    }

    // What is asked while a search goes on is done between two of its candidates, and a newer search waits for the end.
    void longWorkLetsOthers()
    {
        std::counting_semaphore<> begun{0};
        std::counting_semaphore<> asked{0};
        std::counting_semaphore<> ended{0};
        std::vector<QString> done; // of the worker thread, until it has ended
        RequestQueue queue;
        queue.post(RequestTag::Tuning, [&](const std::stop_token &stop) {
            begun.release();
            asked.acquire();
            queue.letOthers();
            done.push_back(stop.stop_requested() ? "search stopped" : "search");
            begun.release();
            asked.acquire();
            queue.letOthers();
            done.push_back(stop.stop_requested() ? "search stopped" : "search");
        });
        begun.acquire();
        queue.post(RequestTag::Ahead, [&](const std::stop_token &) {
            done.push_back("ahead");
            ended.release();
        });
        queue.post(RequestTag::Why, [&](const std::stop_token &) { done.push_back("why"); });
        // Stopped while another request runs in between.
        queue.post(RequestTag::Value,
                   [&](const std::stop_token &stop) { done.push_back(stop.stop_requested() ? "value stopped" : "value"); });
        asked.release();
        begun.acquire();
        queue.post(RequestTag::Tuning, [&](const std::stop_token &) { done.push_back("new search"); });
        asked.release();
        ended.acquire();
        QCOMPARE(done, (std::vector<QString>{"why", "value", "search", "search stopped", "new search", "ahead"}));
    }

    // A search is stopped at once while what it let in between is running.
    void longWorkIsStoppedWhileItLetsOthers()
    {
        std::counting_semaphore<> begun{0};
        std::counting_semaphore<> ended{0};
        bool isStopped = false;
        RequestQueue queue;
        queue.post(RequestTag::Tuning, [&](const std::stop_token &stop) {
            queue.post(RequestTag::Why, [&](const std::stop_token &own) {
                begun.release();
                std::binary_semaphore seen{0};
                const std::stop_callback onStop(stop, [&] { seen.release(); });
                seen.acquire();
                isStopped = stop.stop_requested() && !own.stop_requested();
            });
            queue.letOthers();
            ended.release();
        });
        begun.acquire();
        QCOMPARE(queue.cancel(RequestTag::Tuning), Cancelled::Running);
        ended.acquire();
        QVERIFY(isStopped);
    }

    void workDoneAheadThatIsDroppedDoesNotComeBack()
    {
        std::counting_semaphore<> begun{0};
        std::counting_semaphore<> ended{0};
        int runs = 0; // of the worker thread, until it has ended
        RequestQueue queue;
        queue.post(RequestTag::Ahead, [&](const std::stop_token &stop) {
            ++runs;
            std::binary_semaphore stopped{0};
            const std::stop_callback onStop(stop, [&] { stopped.release(); });
            begun.release();
            stopped.acquire();
        });
        begun.acquire();
        std::counting_semaphore<> isCancelled{0};
        queue.post(RequestTag::Value, [&](const std::stop_token &) { isCancelled.acquire(); }); // it would go on after this one
        (void)queue.cancel(RequestTag::Ahead);
        isCancelled.release();
        queue.post(RequestTag::Ahead, [&](const std::stop_token &) { ended.release(); });
        ended.acquire();
        QCOMPARE(runs, 1);
    }

    void everyStageArrives()
    {
        FakeEngine engine;
        Session session(engine);
        QSignalSpy finished(&session, &Session::compileFinished);
        QSignalSpy snapshots(&session, &Session::snapshotChanged);
        session.openProgram({"a.sw", kGood, false});
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
        QVERIFY(finished[0][0].toBool());
        QVERIFY(snapshots.count() >= 3); // the empty one, a growing one, the last
        for (const StageKind stage : kStages)
            QVERIFY(session.snapshot()->stage(stage).document);
        QCOMPARE(session.activity(), Activity::Idle);
        QVERIFY(session.isCompiledText(kGood));
    }

    void theNewestRequestWins()
    {
        SlowEngine engine;
        Session session(engine);
        QSignalSpy finished(&session, &Session::compileFinished);
        session.openProgram({"a.sw", kGood, false});
        engine.started.acquire();
        // While the first is being compiled, two more are asked for: the first is stopped, the second never starts.
        session.editProgram("x = input()\n");
        session.compileNow();
        session.editProgram("x = input()\ny = exp(x)\n");
        session.compileNow();
        engine.go.release(2);
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
        QCOMPARE(engine.cancelled.load(), 1);
        QCOMPARE(engine.compilations.load(), 1);
        QCOMPARE(session.snapshot()->stage(StageKind::Graph).document->items.size(), 2U);
    }

    void aCompilationIsStopped()
    {
        SlowEngine engine;
        Session session(engine);
        QSignalSpy finished(&session, &Session::compileFinished);
        session.openProgram({"a.sw", kGood, false});
        engine.started.acquire();
        QCOMPARE(session.activity(), Activity::Compiling);
        session.stop();
        engine.go.release();
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
        QVERIFY(!finished[0][0].toBool());
        QVERIFY(session.isStopped());
        QCOMPARE(session.activity(), Activity::Idle);
        QCOMPARE(session.activityMilliseconds(), 0);
        QVERIFY(!session.isCompiledText(kGood));
        // It continues with the next text.
        engine.go.release();
        session.editProgram("x = input()\n");
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 2, kPatience);
        QVERIFY(finished[1][0].toBool());
        QVERIFY(!session.isStopped());
    }

    void aCompilationThatHasNotBegunIsStoppedAtOnce()
    {
        SlowEngine engine;
        Session session(engine);
        session.openProgram({"a.sw", kGood, false});
        engine.started.acquire();
        session.editProgram("x = input()\n");
        session.compileNow(); // waits for the first to give way
        session.stop();
        QCOMPARE(session.activity(), Activity::Idle);
        QVERIFY(session.isStopped());
        engine.go.release();
        QTRY_COMPARE_WITH_TIMEOUT(engine.cancelled.load(), 1, kPatience);
    }

    void preparedMomentsAreThereAtOnce()
    {
        class CountingEngine : public FakeEngine {
        public:
            sw::MomentDocuments documentsAt(sw::MomentPlace place, std::stop_token stop) override
            {
                ++moments;
                return FakeEngine::documentsAt(place, stop);
            }
            std::atomic<int> moments = 0;
        } engine;
        Session session(engine);
        QSignalSpy finished(&session, &Session::compileFinished);
        std::vector<MomentStagesPtr> stages;
        connect(&session, &Session::momentReady, this, [&](const MomentStagesPtr &made) { stages.push_back(made); });
        session.openProgram({"a.sw", kGood, false});
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
        session.prepareMoments({{0, 1}, {0, 2}});
        QTRY_VERIFY_WITH_TIMEOUT(session.preparedAt({0, 1}) && session.preparedAt({0, 2}), kPatience);
        QCOMPARE(engine.moments.load(), 2);
        session.requestMoment({0, 2});
        QVERIFY(session.isAsking(RequestTag::Moment)); // it comes as every answer does, after this
        QTRY_COMPARE_WITH_TIMEOUT(stages.size(), std::size_t{1}, kPatience);
        QVERIFY(!session.isAsking(RequestTag::Moment));
        QCOMPARE(engine.moments.load(), 2);
        const sw::MomentDocuments asked = engine.FakeEngine::documentsAt({0, 2}, {});
        QCOMPARE(stages[0]->stages[indexOf(StageKind::Graph)].document->items[1].label, asked.graph.document->items[1].label);
        QCOMPARE(stages[0]->rewrite->rule, asked.rewrite->rule);
        // Those that nobody wants any more are forgotten, and so are those of an earlier compilation.
        session.prepareMoments({{0, 2}});
        session.requestMoment({0, 1});
        QTRY_COMPARE_WITH_TIMEOUT(stages.size(), std::size_t{2}, kPatience);
        QCOMPARE(engine.moments.load(), 3);
        session.compileNow();
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 2, kPatience);
        session.requestMoment({0, 2});
        QTRY_COMPARE_WITH_TIMEOUT(stages.size(), std::size_t{3}, kPatience);
        QCOMPARE(engine.moments.load(), 4);
        QCOMPARE(stages[2]->compilation, session.snapshot()->compilation);
    }

    void aRunSaysHowFarItIs()
    {
        class SlowRuns : public FakeEngine {
        public:
            sw::ReportPtr run(const sw::RunRequest &request, std::stop_token stop) override
            {
                request.onProgress(3, 12);
                halfway.release();
                go.acquire();
                return stop.stop_requested() ? nullptr : FakeEngine::run(request, stop);
            }
            std::counting_semaphore<> halfway{0};
            std::counting_semaphore<> go{0};
        } engine;
        Session session(engine);
        QSignalSpy compiled(&session, &Session::compileFinished);
        QSignalSpy ran(&session, &Session::runFinished);
        session.openProgram({"a.sw", kGood, false});
        QTRY_COMPARE_WITH_TIMEOUT(compiled.count(), 1, kPatience);
        session.run();
        engine.halfway.acquire();
        QCOMPARE(session.runProgress().done.load(), 3U);
        QCOMPARE(session.runProgress().all.load(), 12U);
        session.stop();
        engine.go.release();
        QTRY_COMPARE_WITH_TIMEOUT(ran.count(), 1, kPatience);
        QVERIFY(!ran[0][0].toBool());
        QVERIFY(!session.isStopped()); // the compiled stages are there
        session.run();
        engine.halfway.acquire();
        engine.go.release();
        QTRY_COMPARE_WITH_TIMEOUT(ran.count(), 2, kPatience);
        QVERIFY(ran[1][0].toBool());
    }

    void typingIsCompiledAfterAPause()
    {
        FakeEngine engine;
        Session session(engine);
        session.openProgram({"a.sw", kGood, false});
        QTRY_COMPARE_WITH_TIMEOUT(engine.compilations.load(), 1, kPatience);
        for (const char *text : {"x = input()\n", "x = input()\ny = e", "x = input()\ny = exp(x)\n"})
            session.editProgram(text);
        QTRY_COMPARE_WITH_TIMEOUT(engine.compilations.load(), 2, kPatience);
        QTRY_COMPARE_WITH_TIMEOUT(session.snapshot()->stage(StageKind::Graph).document->items.size(), 2U, kPatience);
    }

    void notLiveMeansOnDemand()
    {
        FakeEngine engine;
        Session session(engine);
        QSignalSpy finished(&session, &Session::compileFinished);
        session.setLive(false);
        session.openProgram({"a.sw", kGood, false});
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
        session.editProgram("x = input()\n");
        QVERIFY(!session.isCompiledText("x = input()\n"));
        session.setLive(true); // catches up
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 2, kPatience);
        QVERIFY(session.isCompiledText("x = input()\n"));
    }

    void theLastGoodResultStays()
    {
        FakeEngine engine;
        Session session(engine);
        QSignalSpy finished(&session, &Session::compileFinished);
        session.openProgram({"a.sw", kGood, false});
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
        const sw::StageDocumentPtr good = session.snapshot()->stage(StageKind::Lowered).document;
        session.editProgram(kBroken);
        session.compileNow();
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 2, kPatience);
        QVERIFY(!finished[1][0].toBool());
        const SnapshotPtr snapshot = session.snapshot();
        QCOMPARE(snapshot->report->messages.size(), 1U);
        QCOMPARE(snapshot->stage(StageKind::Lowered).document, good);
        QVERIFY(snapshot->isOutOfDate(StageKind::Lowered));
        QCOMPARE(snapshot->good->kernels.size(), 2U);
        session.editProgram(kGood);
        session.compileNow();
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 3, kPatience);
        QVERIFY(!session.snapshot()->isOutOfDate(StageKind::Lowered));
    }

    void anotherProgramStartsEmpty()
    {
        FakeEngine engine;
        Session session(engine);
        QSignalSpy finished(&session, &Session::compileFinished);
        session.openProgram({"a.sw", kGood, false});
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
        session.openProgram({"b.sw", kBroken, false});
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 2, kPatience);
        QVERIFY(!session.snapshot()->stage(StageKind::Graph).document);
    }

    void runningAddsTimes()
    {
        FakeEngine engine;
        Session session(engine);
        QSignalSpy finished(&session, &Session::compileFinished);
        QSignalSpy ran(&session, &Session::runFinished);
        session.openProgram({"a.sw", kGood, false});
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
        session.run();
        QCOMPARE(session.activity(), Activity::Running);
        QTRY_COMPARE_WITH_TIMEOUT(ran.count(), 1, kPatience);
        QVERIFY(session.snapshot()->good->totalMedianNanoseconds);
        QCOMPARE(session.snapshot()->good->outputs.size(), 1U);
    }

    void anotherDeviceRecompiles()
    {
        FakeEngine engine;
        Session session(engine);
        QSignalSpy finished(&session, &Session::compileFinished);
        session.openProgram({"a.sw", kGood, false});
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
        session.setDevice("interpreter");
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 2, kPatience);
        QCOMPARE(session.snapshot()->report->device, std::string("interpreter"));
        session.setDevice("interpreter");
        QCOMPARE(session.activity(), Activity::Idle);
    }

    void passesAndValuesOfAnOlderCompilationAreDropped()
    {
        FakeEngine engine;
        Session session(engine);
        QSignalSpy finished(&session, &Session::compileFinished);
        QSignalSpy passes(&session, &Session::passReady);
        int values = 0;
        session.openProgram({"a.sw", kGood, false});
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
        session.requestPass(0, sw::kNoIndex);
        const auto askForValue = [&] {
            session.ask(
                RequestTag::Value, &session,
                [](EngineService &service, const std::stop_token &stop) {
                    return service.nodeValues({1}, sw::ValueSource::Reference, stop);
                },
                [&](const std::vector<sw::ValueOpening> &) { ++values; });
        };
        askForValue();
        QTRY_COMPARE_WITH_TIMEOUT(passes.count() + values, 2, kPatience);
        session.requestPass(1, 0);
        askForValue();
        session.compileNow();
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 2, kPatience);
        QCOMPARE(passes.count(), 1);
        QCOMPARE(values, 1);
    }

    void onlyTheNewestQuestionIsAnswered()
    {
        FakeEngine engine;
        Session session(engine);
        QSignalSpy finished(&session, &Session::compileFinished);
        session.openProgram({"a.sw", kGood, false});
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);

        std::counting_semaphore<> go{0};
        std::vector<int> answers;
        const auto askFor = [&](QObject *receiver, int number) {
            session.ask(
                RequestTag::Story, receiver,
                [&go, number](EngineService &, const std::stop_token &) {
                    go.acquire();
                    return std::make_unique<int>(number);
                },
                [&answers](std::unique_ptr<int> answer) { answers.push_back(*answer); });
        };
        askFor(&session, 1); // is answered, but too late
        askFor(&session, 2); // never begins
        askFor(&session, 3);
        {
            QObject gone;
            session.ask(
                RequestTag::Why, &gone, [](EngineService &, const std::stop_token &) { return 4; },
                [&answers](int answer) { answers.push_back(answer); });
        }
        go.release(2);
        QTRY_COMPARE_WITH_TIMEOUT(answers, std::vector<int>{3}, kPatience);

        // A question about an older compilation is not answered.
        askFor(&session, 5);
        session.compileNow();
        go.release();
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 2, kPatience);
        QCoreApplication::processEvents();
        QCOMPARE(answers, std::vector<int>{3});
    }

    void settingsAreKept()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath("settings.ini");
        QFile program(folder.filePath("a.sw"));
        QVERIFY(program.open(QIODevice::WriteOnly));
        {
            Settings settings(path);
            settings.setTheme("light");
            settings.addRecentFile(program.fileName());
            settings.addRecentFile(folder.filePath("gone.sw"));
            settings.setLayout({"step", "row(1 graph, 2 *passes|values)"});
            settings.setPerspectives({{"Mine: the best", "row(1 graph, 2 code)"}, {"x", "graph"}});
        }
        Settings settings(path);
        QCOMPARE(settings.theme(), "light");
        QCOMPARE(settings.recentFiles(), QStringList{program.fileName()});
        QCOMPARE(settings.layout().perspective, "step");
        QCOMPARE(settings.layout().text, "row(1 graph, 2 *passes|values)");
        QCOMPARE(settings.perspectives().value("Mine: the best"), "row(1 graph, 2 code)");
        QCOMPARE(settings.perspectives().size(), 2);
        Settings read(path, Settings::Access::ReadOnly);
        read.setTheme("dark");
        read.addRecentFile(path);
        read.clearLayout();
        QCOMPARE(read.theme(), "light");
        QCOMPARE(read.draftFolder(), QString());
        read.sync();
        settings.sync();
        QCOMPARE(settings.theme(), "light");
        QCOMPARE(settings.recentFiles(), QStringList{program.fileName()});
        QCOMPARE(settings.layout().perspective, "step");
        settings.clearLayout();
        QVERIFY(settings.layout().text.isEmpty());
        QCOMPARE(settings.perspectives().size(), 2);
        QCOMPARE(settings.theme(), "light");
    }

    void aRunThatReplacesAnotherIsTheOneThatIsTold()
    {
        BusyEngine engine;
        Session session(engine);
        session.openProgram({"test.sw", kGood});
        QTRY_COMPARE_WITH_TIMEOUT(session.activity(), Activity::Idle, kPatience);
        QSignalSpy finished(&session, &Session::runFinished);
        session.run();
        engine.begun.acquire();
        session.run();
        QTRY_VERIFY_WITH_TIMEOUT(!finished.isEmpty() && session.activity() == Activity::Idle, kPatience);
        QCOMPARE(finished.size(), 1);
        QCOMPARE(finished.front().front().toBool(), true);
        QVERIFY(session.snapshot()->report->totalMedianNanoseconds);
    }

    void nodesThatAreWatchedOneAfterTheOtherAreAllWatched()
    {
        FakeEngine engine;
        Session session(engine);
        InputChoices inputs(session);
        WatchList watched(session, inputs);
        session.openProgram({"test.sw", kGood});
        QTRY_VERIFY_WITH_TIMEOUT(session.snapshot() && session.snapshot()->isFinal, kPatience);
        watched.addNode(1); // in one go: the worker has not answered yet
        watched.addNode(2);
        watched.addNode(1);
        QTRY_COMPARE_WITH_TIMEOUT(watched.values().size(), std::size_t{2}, kPatience);
        QCOMPARE(watched.values()[0].name, std::string("%1"));
        QCOMPARE(watched.values()[1].name, std::string("%2"));
    }
};

QTEST_GUILESS_MAIN(TestSession)
#include "tst_session.moc"
