#include "engine/api/report_documents.h"

#include "engine/api/describe.h"
#include "engine/api/device_figures.h"
#include "engine/api/override_notes.h"
#include "engine/api/program_figures.h"
#include "engine/api/report_parts.h"
#include "engine/base/parallel.h"

#include <algorithm>
#include <functional>
#include <future>
#include <memory>
#include <utility>
#include <vector>

namespace sw {

namespace {

// True when there is a `made` that `described` does not hold yet; it does then.
template <class Pointer>
bool isNew(Pointer &described, const Pointer &made)
{
    if (made == nullptr || described == made)
        return false;
    described = made;
    return true;
}

// What follows a smaller graph follows at once, and its document says more with it.
constexpr std::size_t kWorthShowing = 2000; // nodes

using Work = std::function<void()>;

bool isReplacedSoon(const Compilation &compilation, Expected expected)
{
    return expected == Expected::More && compilation.graph != nullptr && compilation.graph->size() < kWorthShowing;
}

// Adds what makes the documents down to the loops that there are none of yet. The schedule's document says what became of its
// axes, so it waits for the loops while they may still come. The work needs nothing of the compilation, which may go on
// meanwhile.
void addUpperStages(std::vector<Work> &wanted, UpperDocuments &to, Described &described, const Compilation &compilation,
                    Expected expected, const std::stop_token &stop)
{
    const GraphPtr &graph = compilation.graph;
    const SchedulePtr &schedule = compilation.schedule;
    const LoopProgramPtr &loops = compilation.loops;
    const bool isSettled = loops != nullptr || compilation.lowered != nullptr || expected == Expected::Nothing;
    const bool isNewSchedule = isSettled && isNew(described.schedule, schedule);
    const bool isLater = isReplacedSoon(compilation, expected) && !isNewSchedule;
    const bool isNewGraph = !isLater && isNew(described.graph, graph);
    if (isNew(described.loops, loops)) // the longest first
        wanted.emplace_back([&to, loops, stop] { to.loops = describeLoops(loops, stop); });
    if (isNewSchedule)
        wanted.emplace_back([&to, schedule, loops, figures = figuresOf(compilation.target, described.figures), stop] {
            to.schedule = describeSchedule(schedule, loops, figures, stop);
        });
    if (isNewGraph || (isNewSchedule && graph != nullptr))
        wanted.emplace_back([&to, graph, schedule, stop] { to.graph = describeGraph(graph, schedule, stop); });
}

void addLowerStages(std::vector<Work> &wanted, Report &report, Described &described, const Compilation &compilation,
                    const std::stop_token &stop)
{
    if (isNew(described.lowered, compilation.lowered))
        wanted.emplace_back([&] { report.lowered = describeLowered(*compilation.lowered, stop); });
    if (isNew(described.code, compilation.code))
        wanted.emplace_back([&] { report.code = describeCode(*compilation.lowered, *compilation.code, stop); });
    if (isNew(described.program, compilation.program))
        wanted.emplace_back([&] {
            report.machine = describeMachine(*compilation.lowered, *compilation.code,
                                             std::vector<MachineListing>(compilation.program->artifacts.size()));
        });
}

void doTogether(const std::vector<Work> &wanted)
{
    inParallel(wanted.size(), [&](std::size_t i) { wanted[i](); });
}

void take(Report &report, UpperDocuments documents)
{
    if (documents.graph != nullptr)
        report.graph = std::move(documents.graph);
    if (documents.schedule != nullptr)
        report.schedule = std::move(documents.schedule);
    if (documents.loops != nullptr)
        report.loops = std::move(documents.loops);
}

// The documents down to the loops come later: one thread makes them while the program is lowered, where not all threads have
// work.
void beginUpperStages(Described &described, const Compilation &compilation, const std::stop_token &stop)
{
    described.toCome = std::make_unique<DocumentsToCome>();
    std::vector<Work> wanted;
    addUpperStages(wanted, described.toCome->documents, described, compilation, Expected::More, stop);
    described.toCome->done = std::async(std::launch::async, [wanted = std::move(wanted)] {
        for (const Work &work : wanted)
            work();
    });
}

// Makes the documents of the stages that have none yet, side by side: a person waits for them.
void addDocuments(Report &report, Described &described, const Compilation &compilation, Expected expected,
                  const std::stop_token &stop)
{
    const bool isLoweredSoon = isReplacedSoon(compilation, expected) && compilation.lowered == nullptr;
    std::vector<Work> wanted;
    UpperDocuments upper;
    std::unique_ptr<DocumentsToCome> known = std::move(described.toCome);
    if (report.program == nullptr && compilation.sources != nullptr)
        wanted.emplace_back([&] { report.program = describeProgram(*compilation.sources); });
    if (isLoweredSoon && compilation.loops != nullptr)
        beginUpperStages(described, compilation, stop);
    else
        addUpperStages(wanted, upper, described, compilation, expected, stop);
    addLowerStages(wanted, report, described, compilation, stop);
    doTogether(wanted);
    if (known != nullptr) {
        known->done.get();
        take(report, std::move(known->documents));
    }
    take(report, std::move(upper)); // newer ones
}

} // namespace

void fillReport(Report &report, Described &described, const Compilation &compilation, Expected expected,
                const std::stop_token &stop)
{
    addDocuments(report, described, compilation, expected, stop);
    if (stop.stop_requested())
        return;
    report.messages = messagesOf(compilation.diagnostics, programFileOf(compilation));
    report.passes.clear();
    for (const PassStep &step : compilation.pipeline.steps)
        report.passes.push_back(entryOf(step));
    report.dimensions = compilation.graph ? dimensionEntries(*compilation.graph) : std::vector<DimensionEntry>();
    report.modelDimensions = compilation.modelDimensions;
    report.inputs = compilation.graph ? inputEntries(*compilation.graph) : std::vector<InputEntry>();
    report.kernels = kernelEntries(compilation);
    report.compileTimes = stageTimes(compilation);
    if (compilation.schedule != nullptr) {
        report.overrides = overrideEntries(compilation);
        const std::vector<DeviceFigures> figures = figuresOf(compilation.target, described.figures);
        report.figures = programFigures(*compilation.schedule, compilation.lowered.get(), figures);
        addEstimates(report.kernels, *compilation.schedule, figures);
    }
    report.succeeded =
        std::ranges::none_of(report.messages, [](const Message &message) { return message.severity == MessageSeverity::Error; });
}

} // namespace sw
