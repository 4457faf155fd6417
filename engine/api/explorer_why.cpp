// Why the items of the last compilation are as they are, and what the program costs.

#include "engine/api/describe.h"
#include "engine/api/device_figures.h"
#include "engine/api/effect.h"
#include "engine/api/explanation.h"
#include "engine/api/explorer_implementation.h"
#include "engine/api/instruction_card.h"
#include "engine/api/kernel_variant.h"
#include "engine/api/program_figures.h"
#include "engine/api/trial.h"
#include "engine/loops/printer.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <set>

namespace sw {

namespace {

StageDocumentPtr documentOf(const Report &report, StageKind stage)
{
    switch (stage) {
    case StageKind::Program:
        return report.program;
    case StageKind::Graph:
        return report.graph;
    case StageKind::Schedule:
        return report.schedule;
    case StageKind::Loops:
        return report.loops;
    case StageKind::Lowered:
        return report.lowered;
    case StageKind::Code:
        return report.code;
    case StageKind::Machine:
        return report.machine;
    }
    SW_UNREACHABLE();
}

// A line of the loops' document: its kernel, and the transformation that it shows.
std::optional<std::pair<KernelId, std::uint32_t>> transformOf(const LoopProgram &program, ItemIndex item)
{
    for (const auto &nest : program.nests) {
        const std::vector<LoopLine> lines = linesOf(*nest, *program.schedule);
        if (item < lines.size())
            return lines[item].kind == LoopLineKind::Transform ? std::optional(std::pair(nest->kernel, lines[item].index))
                                                               : std::nullopt;
        item -= static_cast<ItemIndex>(lines.size());
    }
    return std::nullopt;
}

std::optional<WhyCard> scheduleCard(const Explained &of, const DocumentItem &shown, ItemIndex item)
{
    const ScheduleItems items(of.schedule);
    if (item < items.buffer(BufferId(0U)))
        return kernelCard(of, KernelId(item));
    if (item < items.decision(0))
        return bufferCard(of, BufferId(item - items.buffer(BufferId(0U))));
    if (item < items.decision(of.schedule.decisions.size()))
        return edgeCard(of, item - items.decision(0));
    return shown.node == kNoIndex ? std::nullopt : std::optional(valueCard(of, NodeId(shown.node))); // of a join: the whole
}

// A view has no decisions of its own: they are about the values on both of its sides.
void addDecisionsThrough(WhyCard &card, const Explained &of, const StageDocument &graph, ItemIndex item)
{
    const ItemIndex first = ScheduleItems(of.schedule).decision(0);
    std::set<std::uint32_t> decisions;
    for (const DocumentEdge &edge : graph.edges)
        if ((edge.from == item || edge.to == item) && edge.decision != kNoIndex)
            decisions.insert(edge.decision - first);
    for (const std::uint32_t decision : decisions)
        card.parts.push_back(edgeCard(of, decision));
    if (!card.parts.empty())
        card.parts.front().heading = "is read through it";
}

// The kernel and the instruction that an item of a document is, or was made from: a line of code, a machine instruction.
std::optional<std::pair<KernelId, InstructionId>> instructionOf(const LoweredProgram &program, const DocumentItem &shown)
{
    if (shown.instruction == kNoIndex)
        return std::nullopt;
    std::size_t at = shown.instruction;
    for (std::size_t kernel = 0; kernel < program.kernels.size(); ++kernel) {
        const std::size_t count = program.kernels[kernel].instructions.size();
        if (at < count)
            return std::pair(KernelId(kernel), InstructionId(at));
        at -= count;
    }
    return std::nullopt;
}

// A trial takes as long as the passes did, and nothing else is answered meanwhile.
constexpr std::chrono::milliseconds kLongestTrial{200};

bool isWorthATrial(const Compilation &compilation)
{
    std::chrono::nanoseconds passes{0};
    for (const PassStep &step : compilation.pipeline.steps)
        passes += step.time;
    return passes <= kLongestTrial;
}

} // namespace

void Explorer::Implementation::forget()
{
    compilation = {};
    forgetParts();
}

void Explorer::Implementation::forgetParts()
{
    listings.clear();
    moments.forget();
}

ProgramFigures Explorer::Implementation::programFigures(const Compilation &of, const Timing &run) const
{
    ProgramFigures made = sw::programFigures(*of.schedule, of.lowered.get(), figuresOf(of.target, figures));
    made.medianNanoseconds = run.median.count();
    made.minNanoseconds = run.min.count();
    made.maxNanoseconds = run.max.count();
    return made;
}

std::optional<WhyCard> Explorer::Implementation::cardOf(StageKind stage, ItemIndex item, const std::stop_token &stop) const
{
    const ValuePaths paths(*compilation.schedule->graph);
    const std::vector<DeviceFigures> rates = figuresOf(compilation.target, figures);
    const Explained of{*compilation.schedule, paths, compilation.loops.get(), rates};
    const StageDocumentPtr document = documentOf(*report, stage);
    if (document == nullptr || item >= document->items.size())
        return std::nullopt;
    const DocumentItem &shown = document->items[item];
    std::optional<WhyCard> card;
    const auto instruction = compilation.lowered == nullptr ? std::nullopt : instructionOf(*compilation.lowered, shown);
    if (stage == StageKind::Schedule)
        card = scheduleCard(of, shown, item);
    else if (const auto transform =
                 stage == StageKind::Loops && of.loops != nullptr ? transformOf(*of.loops, item) : std::nullopt)
        card = transformCard(of, transform->first, transform->second);
    else if (shown.node != kNoIndex && stage != StageKind::Program)
        card = valueCard(of, NodeId(shown.node));
    else if (instruction)
        card = instructionCard(of, compilation.lowered->kernels[instruction->first.value], instruction->second);
    else if (shown.kernel != kNoIndex)
        card = kernelCard(of, KernelId(shown.kernel));
    if (card && stage == StageKind::Graph && card->parts.empty())
        addDecisionsThrough(*card, of, *document, item);
    if (card && card->subject == WhySubject::Instruction && isWorthATrial(compilation) && report->lowered != nullptr)
        addMaker(*card, compilation, *report->lowered, shown.instruction, stop);
    if (card && isWorthATrial(compilation))
        addAlternative(*card, compilation, rates, stop);
    return card;
}

std::optional<WhyCard> Explorer::why(StageKind stage, ItemIndex item, std::stop_token stop)
{
    const Implementation &own = *m_implementation;
    if (own.report == nullptr || own.compilation.schedule == nullptr)
        return std::nullopt;
    try {
        return own.cardOf(stage, item, stop);
    } catch (const std::exception &exception) {
        WhyCard card;
        card.obstacles = {toText(diagnosticOf(exception))};
        return card;
    }
}

KernelCode Explorer::kernelCode(std::uint32_t kernel, StageKind stage) const
{
    return kernelCodeOf(m_implementation->compilation, kernel,
                        stage == StageKind::Lowered ? CodeForm::Lowered : CodeForm::Source);
}

LoopCheck Explorer::checkLoops(const std::string &value, const std::vector<std::string> &transforms) const
{
    const Compilation &compilation = m_implementation->compilation;
    LoopCheck check;
    if (compilation.schedule == nullptr) {
        check.error = "there are no kernels";
        return check;
    }
    const NodeId node = ValuePaths(*compilation.schedule->graph).find(value);
    const KernelId kernel = node.isValid() ? compilation.schedule->kernelOf(node) : KernelId();
    const LoopNest *nest = kernel.isValid() ? plainNest(compilation, kernel) : nullptr;
    if (nest == nullptr) {
        check.error = format("no kernel computes {}", sw::quoted(value));
        return check;
    }
    return sw::checkLoops(*nest, *compilation.schedule, transforms);
}

} // namespace sw
