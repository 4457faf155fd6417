// What the window says of a compilation that takes long: step by step, and nothing of one that is short.

#include "tests/gui/fake_app.h"
#include "tests/gui/patience.h"

#include "engine/base/work_progress.h"
#include <QLabel>

#include <semaphore>

using namespace stepwell::ui;

namespace {

// Waits until the test lets it compile, or somebody stops it.
class WaitingEngine : public FakeEngine {
public:
    sw::ReportPtr compile(const sw::ExploreRequest &request, const sw::ReportCallback &progress, std::stop_token stop) override
    {
        const std::stop_callback stopped(stop, [this] { go.release(); });
        go.acquire();
        return stop.stop_requested() ? nullptr : FakeEngine::compile(request, progress, stop);
    }
    const sw::WorkProgress *compileProgress() const override { return &told; }

    sw::WorkProgress told;
    std::counting_semaphore<> go{0};
};

struct App : FakeApp<WaitingEngine> {
    [[nodiscard]] QString said() { return child<QLabel>("stateLabel").text(); }
};

} // namespace

class TestProgress : public QObject {
    Q_OBJECT

private slots:
    void theStepsGoBy()
    {
        App app;
        app.engine.told.begin("Import");
        app.engine.told.expect(900, "nodes");
        app.engine.told.advance(120);
        QTRY_VERIFY_WITH_TIMEOUT(app.said().startsWith("Compiling: Import, 120 of 900 nodes, "), kPatience);
        app.engine.told.advance();
        QTRY_VERIFY_WITH_TIMEOUT(app.said().startsWith("Compiling: Import, 121 of 900 nodes, "), kPatience);
        if (const QByteArray pictures = qgetenv("STEPWELL_PICTURES"); !pictures.isEmpty())
            for (const char *theme : {"light", "dark"}) {
                app.appearance.setTheme(QLatin1String(theme));
                app.window.grab().save(QString::fromUtf8(pictures) +
                                       QStringLiteral("/progress_%1.png").arg(QLatin1String(theme)));
            }
        app.engine.told.begin("Lower loops");
        QTRY_VERIFY_WITH_TIMEOUT(app.said().startsWith("Compiling: Lower loops, "), kPatience);
        app.engine.go.release();
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        QCOMPARE(app.said(), "");
    }

    void aStepEndsWhenItIsStopped()
    {
        App app;
        app.engine.told.begin("Compile");
        QTRY_VERIFY_WITH_TIMEOUT(app.said().startsWith("Compiling: Compile, "), kPatience);
        QTest::keyClick(&app.window, Qt::Key_Period, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(app.window.session().isStopped(), kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(app.said().startsWith("Stopped"), kPatience);
    }

    // Whatever is said in the first moments would be taken back at once.
    void shortWorkIsNotMentioned()
    {
        App app;
        app.engine.told.begin("Import");
        QCOMPARE(app.window.session().activity(), Activity::Compiling);
        if (app.window.session().activityMilliseconds() < 200) // else the machine is busy
            QCOMPARE(app.said(), "");
        app.engine.go.release();
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady(), kPatience);
        QCOMPARE(app.said(), "");
    }
};

QTEST_MAIN(TestProgress)
#include "tst_progress.moc"
