// What a picture of the window is asked to show is there when it is taken. On the real engine.

#include "tests/gui/engine_app.h"
#include "ui/capture.h"
#include "ui/panels/access_panel.h"
#include "ui/panels/health_panel.h"
#include "ui/panels/why_panel.h"

#include <QImage>
#include <QSignalSpy>

#include <functional>
#include <utility>

using namespace stepwell::ui;
using sw::StageKind;

namespace {

constexpr const char *kProgram = "input x: f32[16, 64]\nh = exp(x)\ns = sum(h, axis = 1, keepdims = true)\noutput y = h / s\n";

struct Camera : EngineApp {
    // Why there is no good picture; empty: there is one.
    QString take(CaptureRequest request)
    {
        request.path = folder.filePath("picture.png");
        Capture capture(window, std::move(request));
        QSignalSpy finished(&capture, &Capture::finished);
        window.openText("test.sw", kProgram);
        if (!QTest::qWaitFor([&] { return finished.count() > 0; }, kPatience))
            return QStringLiteral("no answer");
        return finished[0][0].toString();
    }
    [[nodiscard]] bool isInFront(const char *panel) { return child<Panel>(panel).isVisible(); }
};

struct Case {
    const char *name;
    CaptureRequest request;
    std::function<bool(Camera &)> isShown;
};

const std::array kCases{
    Case{"panels", {.panels = {"inputs", "life"}}, [](Camera &app) { return app.isInFront("inputs") && app.isInFront("life"); }},
    Case{"node", {.select = "exp"}, [](Camera &app) { return !app.window.selection().selected(StageKind::Graph).items.empty(); }},
    Case{"decision",
         {.select = " -> ", .panels = {"why"}},
         [](Camera &app) { return app.isInFront("why") && app.child<WhyPanel>("why").card().has_value(); }},
    Case{"moment", {.moment = "group-kernels:1"}, [](Camera &app) { return app.window.moment().done() == 1U; }},
    Case{"step",
         {.step = "k0:40"},
         [](Camera &app) { return app.isInFront("step") && app.window.debugger().position()->position == 40U; }},
    Case{"both sides of accesses",
         {.step = "k0:40", .panels = {"access"}, .showsBeside = true},
         [](Camera &app) {
             auto &access = app.child<AccessPanel>("access");
             return access.isVisible() && access.twin().isOpen() && access.canvasBeside().isVisible();
         }},
    Case{"override",
         {.panels = {"whatIf"}, .tried = "apart s -> y"},
         [](Camera &app) { return app.window.whatIf().lines().size() == 1 && app.window.whatIf().effect().has_value(); }},
    Case{"watch list",
         {.panels = {"watch"}, .watched = {"exp", "reduce"}},
         [](Camera &app) { return app.window.watched().values().size() == 2 && app.window.watched().isSettled(); }},
    Case{"health", {.panels = {"health"}, .showsHealth = true}, [](Camera &app) { return app.window.health().examined() > 0; }},
};

} // namespace

class TestCapture : public QObject {
    Q_OBJECT

private slots:
    void showsWhatWasAskedFor_data()
    {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < kCases.size(); ++i)
            QTest::newRow(kCases.at(i).name) << static_cast<int>(i);
    }
    void showsWhatWasAskedFor()
    {
        QFETCH(int, index);
        const Case &wanted = kCases.at(static_cast<std::size_t>(index));
        Camera app;
        QCOMPARE(app.take(wanted.request), QString());
        QVERIFY(wanted.isShown(app));
        QCOMPARE(QImage(app.folder.filePath("picture.png")).size(), app.window.size());
    }

    void saysWhatIsNotThere()
    {
        QVERIFY(Camera().take({.panels = {"cellar"}}).contains("no panel is called cellar"));
        QVERIFY(Camera().take({.select = "nothing like it"}).contains("nothing like it"));
        QVERIFY(Camera().take({.step = "k9:1"}).contains("k9:1"));
        QVERIFY(Camera().take({.watched = {"nobody"}}).contains("nobody"));
    }
};

QTEST_MAIN(TestCapture)
#include "tst_capture.moc"
