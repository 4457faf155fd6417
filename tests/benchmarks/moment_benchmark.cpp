// What it takes to look at a moment of a compilation: to its documents, and to the first picture of all panes; at a random place,
// and at the one beside it. What a step of a kernel takes to the panes. And what recording the rewrites costs a compilation.
// stepwell_moment_benchmark HOST [MODEL...]; HOST is the path of stepwell-host.

#include "engine/api/compilation.h"
#include "engine/backend/native_backends.h"
#include "engine/pipeline/pipeline.h"
#include "tests/benchmarks/measured_window.h"

#include <QApplication>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace stepwell::ui {
namespace {

using sw::benchmark::Nanoseconds;
using sw::benchmark::print;

constexpr int kMoments = 40;

struct Pair {
    sw::MomentPlace place;
    sw::MomentPlace neighbour; // one rewrite on
};

// A key that is held repeats 30 times a second.
constexpr std::chrono::milliseconds kKeyRepeat{33};
constexpr int kRepeats = 4;

// The same places in every run. A pass with rewrites is as likely as any other, however many it has.
std::vector<Pair> randomPlaces(const std::vector<sw::PassEntry> &passes)
{
    std::mt19937 random(7);
    std::vector<std::uint32_t> changed;
    for (std::uint32_t i = 0; i < passes.size(); ++i)
        if (passes[i].rewrites > 1)
            changed.push_back(i);
    std::vector<Pair> places;
    for (int i = 0; i < kMoments && !changed.empty(); ++i) {
        const std::uint32_t pass = changed[random() % changed.size()];
        const auto done = static_cast<std::uint32_t>(random() % (passes[pass].rewrites - 1)) + 1;
        places.push_back({{pass, done}, {pass, done + 1}});
    }
    return places;
}

void report(const QString &name, std::string_view what, const std::vector<Nanoseconds> &times)
{
    const sw::Timing timing = sw::timingOf(times);
    print(sw::format("{:<28} {:<36} {:>12}  (longest {})\n", name.toStdString(), what,
                     sw::benchmark::millisecondsText(timing.median), sw::benchmark::millisecondsText(timing.max)));
}

// Without the window.
void measureDocuments(const QString &name, const std::string &file)
{
    sw::BackendRegistry registry;
    sw::addNativeBackends(registry);
    sw::Explorer explorer(registry, sw::findResourceFolder());
    sw::ExploreRequest request;
    request.fileName = file;
    request.isFile = true;
    request.compileMachineCode = false;
    const sw::ReportPtr compiled = explorer.compile(request, {}, {});
    if (!compiled || !compiled->succeeded)
        std::exit(1);
    std::vector<Nanoseconds> random;
    std::vector<Nanoseconds> neighbour;
    for (const Pair &pair : randomPlaces(compiled->passes)) {
        random.push_back(sw::benchmark::timeOf([&] { (void)explorer.documentsAt(pair.place, {}); }));
        neighbour.push_back(sw::benchmark::timeOf([&] { (void)explorer.documentsAt(pair.neighbour, {}); }));
    }
    report(name, "documents of a random moment", random);
    report(name, "documents of the one beside it", neighbour);
}

void measurePanes(const QString &name, const char *host, const QString &file)
{
    MeasuredWindow app(host);
    if (!app.window.openFile(file))
        std::exit(1);
    app.waitUntil([&] {
        const SnapshotPtr &snapshot = app.window.session().snapshot();
        return snapshot && snapshot->isFinal && app.window.isSettled();
    });
    Moment &moment = app.window.moment();
    const auto goTo = [&](sw::MomentPlace place) {
        const Nanoseconds time = sw::benchmark::timeOf([&] {
            moment.goTo(place);
            app.waitUntil([&] { return app.showsMoment(place); });
            app.paint();
        });
        app.waitUntil([&] { return app.window.isSettled(); }); // the moment before has faded out
        return time;
    };
    std::vector<Nanoseconds> random;
    std::vector<Nanoseconds> neighbour; // at once: often it is still being made ahead
    std::vector<Nanoseconds> held;
    for (const Pair &pair : randomPlaces(moment.passes())) {
        random.push_back(goTo(pair.place));
        neighbour.push_back(goTo(pair.neighbour));
        for (int i = 0; i < kRepeats && moment.place(); ++i) {
            const auto next = std::chrono::steady_clock::now() + kKeyRepeat;
            app.waitUntil([&] { return std::chrono::steady_clock::now() > next; });
            held.push_back(sw::benchmark::timeOf([&] {
                moment.stepRewrite(1);
                app.waitUntil([&] { return !moment.place() || app.showsMoment(*moment.place()); });
                app.paint();
            }));
        }
    }
    report(name, "panes at a random moment", random);
    report(name, "panes at the one beside it, at once", neighbour);
    report(name, "panes after a step, the key held", held);
    moment.goToEnd();
    app.waitUntil([&] { return app.window.isSettled(); });
    const std::uint64_t steps = beginStepping(app);
    const auto stepping = [&](sw::TraceDirection direction) {
        return stepTimes(app, kMoments, [&, direction](int) { app.window.debugger().step(direction); });
    };
    report(name, "panes after a step", stepping(sw::TraceDirection::Forward));
    report(name, sw::format("panes after a step back, of {}", steps), stepping(sw::TraceDirection::Backward));
}

// Writing the same marks again is what recording adds to the passes.
void measureRecording(const QString &name, const std::string &file)
{
    sw::BackendRegistry registry;
    sw::addNativeBackends(registry);
    sw::ProgramCompiler compiler(registry);
    sw::CompileRequest request;
    request.program.fileName = file;
    request.program.isText = false;
    request.program.resourceFolder = sw::findResourceFolder();
    request.until = sw::CompileUntil::Lowered;
    const sw::Compilation compilation = compiler.compile(request, {});
    if (!compilation.succeeded)
        std::exit(1);
    const auto passes = sw::standardPipeline();
    std::size_t rewrites = 0;
    std::vector<Nanoseconds> whole;
    std::vector<Nanoseconds> recording;
    for (int round = 0; round < 5; ++round) {
        sw::PipelineRun run;
        whole.push_back(sw::benchmark::timeOf(
            [&] { run = sw::runPipeline(compilation.pipeline.steps.front().before, passes, compilation.target, {}); }));
        rewrites = 0;
        recording.push_back(sw::benchmark::timeOf([&] {
            for (const sw::PassStep &step : run.steps) {
                sw::RewriteLog log;
                for (std::size_t i = 0; i < step.rewrites.size(); ++i)
                    log.add(step.rewrites.rule(i), step.rewrites.kernel(i), [] { return sw::RewriteDetail{}; });
                rewrites += log.size();
            }
        }));
    }
    const Nanoseconds all = sw::timingOf(whole).median;
    const Nanoseconds part = sw::timingOf(recording).median;
    print(sw::format("{:<28} recording {} rewrites {} of {}: {:.3f} x\n", name.toStdString(), rewrites,
                     sw::benchmark::millisecondsText(part), sw::benchmark::millisecondsText(all),
                     static_cast<double>(all.count()) / static_cast<double>((all - part).count())));
}

} // namespace
} // namespace stepwell::ui

int main(int argumentCount, char **arguments)
{
    if (argumentCount < 2) {
        sw::benchmark::print("stepwell_moment_benchmark HOST [MODEL...]\n");
        return 2;
    }
    std::array<double, 1> load{};
    if (getloadavg(load.data(), 1) == 1)
        sw::benchmark::print(sw::format("{} processors, load {:.1f}\n", std::thread::hardware_concurrency(), load[0]));
    qputenv("QT_QPA_PLATFORM", "offscreen");
    const QApplication application(argumentCount, arguments);
    std::vector<QString> files;
    for (const char *example : {"mlp", "attention"})
        files.push_back(QString::fromStdString(sw::findResourceFolder() + "/examples/" + example + ".sw"));
    for (int i = 2; i < argumentCount; ++i)
        files.push_back(QString::fromLocal8Bit(arguments[i]));
    for (const QString &file : files) {
        const QString name = file.section(u'/', -2);
        stepwell::ui::measureDocuments(name, file.toStdString());
        stepwell::ui::measurePanes(name, arguments[1], file);
        stepwell::ui::measureRecording(name, file.toStdString());
    }
    return 0;
}
