#pragma once
// The window on the real engine, for programs that measure what a person waits for.

#include "app/explorer_service.h"
#include "tests/benchmarks/measure.h"
#include "ui/graph_view/graph_view.h"
#include "ui/main_window.h"

#include <QCoreApplication>
#include <QTemporaryDir>
#include <QTimer>

#include <algorithm>
#include <chrono>
#include <cstdlib>

namespace stepwell::ui {

struct MeasuredWindow {
    explicit MeasuredWindow(const char *host) : engine(host)
    {
        window.resize(1600, 1000);
        window.show();
        heartbeat.start(std::chrono::milliseconds(20));
    }

    // Lets the window work until that is so. It sleeps between events: a loop that spins would take the worker's processor.
    template <class Condition>
    void waitUntil(Condition condition)
    {
        constexpr std::chrono::minutes kLongest{2};
        const auto begin = std::chrono::steady_clock::now();
        while (!condition()) {
            QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
            if (std::chrono::steady_clock::now() - begin > kLongest) {
                sw::benchmark::print("the window did not get there\n");
                std::exit(1);
            }
        }
    }
    // What is there to be painted is painted.
    void paint() { QCoreApplication::processEvents(); }

    [[nodiscard]] bool shows(sw::StageKind stage, std::uint64_t after)
    {
        const SnapshotPtr &snapshot = window.session().snapshot();
        return snapshot && snapshot->compilation > after && snapshot->stage(stage).compilation == snapshot->compilation;
    }
    // The panes have what belongs to the moment; a picture of the moment before may still fade out.
    [[nodiscard]] bool showsMoment(sw::MomentPlace place)
    {
        const SnapshotPtr &shown = window.moment().snapshot();
        return shown && shown->moment && shown->moment->place == place &&
               std::ranges::none_of(window.findChildren<GraphView *>(), &GraphView::isLayingOut);
    }

    QTemporaryDir folder;
    ExplorerService engine;
    Appearance appearance{QStringLiteral("dark")};
    Settings settings{folder.filePath(QStringLiteral("settings.ini"))};
    MainWindow window{engine, appearance, settings};
    QTimer heartbeat; // a wait looks at its condition at least so often
};

// The window steps through the first kernel: from a move to all panes painted, one time for each of `count` moves. The run stands
// in the middle before.
template <class Move>
[[nodiscard]] std::vector<sw::benchmark::Nanoseconds> stepTimes(MeasuredWindow &app, int count, Move move)
{
    Debugger &debugger = app.window.debugger();
    std::vector<sw::benchmark::Nanoseconds> times;
    for (int i = 0; i < count; ++i)
        times.push_back(sw::benchmark::timeOf([&] {
            move(i);
            app.waitUntil([&] { return debugger.isSettled(); });
            app.paint();
        }));
    return times;
}

// Opens the first kernel to be stepped through and goes to the middle of its run. Returns how many steps that has.
[[nodiscard]] inline std::uint64_t beginStepping(MeasuredWindow &app)
{
    app.waitUntil([&] { return app.shows(sw::StageKind::Machine, 0) && app.window.isSettled(); });
    app.window.action(QStringLiteral("go.step"))->trigger();
    Debugger &debugger = app.window.debugger();
    if (!debugger.kernel())
        debugger.open(0);
    app.waitUntil([&] { return debugger.state() == TraceState::Open && app.window.isSettled(); });
    debugger.goToEnd();
    app.waitUntil([&] { return debugger.isSettled(); });
    const std::uint64_t end = debugger.position()->position;
    debugger.goTo(end / 2);
    app.waitUntil([&] { return debugger.isSettled(); });
    return end;
}

} // namespace stepwell::ui
