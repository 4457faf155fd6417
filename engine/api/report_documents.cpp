#include "engine/api/report_documents.h"

#include "engine/api/describe.h"
#include "engine/api/device_figures.h"
#include "engine/api/override_notes.h"
#include "engine/api/program_figures.h"
#include "engine/api/report_parts.h"
#include "engine/base/parallel.h"

#include <algorithm>
#include <functional>
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

// The schedule of a smaller graph follows at once, and the graph's document says more with it.
constexpr std::size_t kWorthShowing = 2000; // nodes

// Makes the documents of the stages that have none yet, side by side: a person waits for them. The schedule's document says what
// became of its axes, so it waits for the loops while they may still come.
void addDocuments(Report &report, Described &described, const Compilation &compilation, Expected expected,
                  const std::stop_token &stop)
{
    std::vector<std::function<void()>> wanted;
    if (report.program == nullptr && compilation.sources != nullptr)
        wanted.emplace_back([&] { report.program = describeProgram(*compilation.sources); });
    const bool isSettled = compilation.loops != nullptr || compilation.lowered != nullptr || expected == Expected::Nothing;
    const bool isNewSchedule = isSettled && isNew(described.schedule, compilation.schedule);
    const bool isReplacedSoon =
        expected == Expected::More && !isNewSchedule && compilation.graph != nullptr && compilation.graph->size() < kWorthShowing;
    const bool isNewGraph = !isReplacedSoon && isNew(described.graph, compilation.graph);
    if (isNewGraph || (isNewSchedule && compilation.graph != nullptr))
        wanted.emplace_back([&] { report.graph = describeGraph(compilation.graph, compilation.schedule, stop); });
    if (isNewSchedule)
        wanted.emplace_back([&] {
            report.schedule =
                describeSchedule(compilation.schedule, compilation.loops, figuresOf(compilation.target, described.figures), stop);
        });
    if (isNew(described.loops, compilation.loops))
        wanted.emplace_back([&] { report.loops = describeLoops(compilation.loops, stop); });
    if (isNew(described.lowered, compilation.lowered))
        wanted.emplace_back([&] { report.lowered = describeLowered(*compilation.lowered, stop); });
    if (isNew(described.code, compilation.code))
        wanted.emplace_back([&] { report.code = describeCode(*compilation.lowered, *compilation.code, stop); });
    if (isNew(described.program, compilation.program))
        wanted.emplace_back([&] {
            report.machine = describeMachine(*compilation.lowered, *compilation.code,
                                             std::vector<MachineListing>(compilation.program->artifacts.size()));
        });
    inParallel(wanted.size(), [&](std::size_t i) { wanted[i](); });
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
