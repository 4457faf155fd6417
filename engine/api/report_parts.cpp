#include "engine/api/report_parts.h"

#include "engine/api/describe.h"
#include "engine/base/readable_text.h"
#include "engine/execute/dimensions.h"
#include "engine/lowered/work.h"
#include "engine/ops/tensor_instructions.h"
#include "engine/passes/rule_order.h"
#include "engine/schedule/item_walk.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace sw {

namespace {

MessageSeverity severityOf(Severity severity)
{
    switch (severity) {
    case Severity::Error:
        return MessageSeverity::Error;
    case Severity::Warning:
        return MessageSeverity::Warning;
    case Severity::Note:
        return MessageSeverity::Note;
    }
    SW_UNREACHABLE();
}

class MessageWriter {
public:
    explicit MessageWriter(const std::string &programFile) : m_programFile(programFile) {}

    // call: the place in the program of the diagnostic that this one is a note of.
    void add(const Diagnostic &diagnostic, const DocumentPlace &call)
    {
        const SourceRange &where = diagnostic.where;
        const bool isInProgram = where.isKnown() && where.file == m_programFile;
        messages.push_back({severityOf(diagnostic.severity), std::string(nameOf(diagnostic.code)),
                            readableText(diagnostic.message), diagnostic.hint, where.file, where.line, where.column,
                            where.endLine, where.endColumn, isInProgram, isInProgram ? DocumentPlace{} : call});
        const DocumentPlace own{where.line, where.column, where.endLine, where.endColumn};
        for (const Diagnostic &note : diagnostic.notes)
            add(note, isInProgram ? own : call);
    }

    std::vector<Message> messages;

private:
    const std::string &m_programFile;
};

} // namespace

std::vector<Message> messagesOf(const Diagnostics &diagnostics, const std::string &programFile)
{
    MessageWriter writer(programFile);
    for (const Diagnostic &diagnostic : diagnostics)
        writer.add(diagnostic, {});
    return std::move(writer.messages);
}

std::string programFileOf(const Compilation &compilation)
{
    if (compilation.sources == nullptr || compilation.sources->files().empty())
        return {};
    return compilation.sources->file(SourceMap::programFile()).name;
}

PassEntry entryOf(const PassStep &step)
{
    PassEntry entry;
    entry.id = step.pass->id;
    entry.title = step.pass->title;
    entry.doc = step.pass->doc;
    entry.input = kindOf(step.pass->input);
    entry.output = kindOf(step.pass->output);
    entry.changed = step.changed;
    entry.rewrites = static_cast<std::uint32_t>(step.rewrites.size());
    for (const RuleCount &count : byFrequency(step.rewrites.rules()))
        entry.rules.push_back({count.rule, count.rewrites});
    entry.nanoseconds = step.time.count();
    entry.failed = step.failed;
    return entry;
}

namespace {

// Stages have none.
std::string tensorInstructionOf(const Compilation &compilation, std::size_t kernel)
{
    if (compilation.loops == nullptr)
        return {};
    for (const Reduction &reduction : compilation.loops->nests.at(kernel)->reductions)
        if (reduction.instruction)
            return std::string(infoOf(*reduction.instruction).name);
    return {};
}

} // namespace

std::vector<KernelEntry> kernelEntries(const Compilation &compilation)
{
    std::vector<KernelEntry> entries;
    if (compilation.schedule == nullptr)
        return entries;
    const Result<SymbolicBindings> dimensions = dimensionsOf(*compilation.graph, {}, compilation.runDimensions);
    const std::vector<KernelWork> works =
        executedWorks(*compilation.schedule, compilation.lowered.get(), dimensions ? *dimensions : SymbolicBindings{});
    const std::vector<bool> isOfLoad = loadKernelsOf(*compilation.schedule);
    for (std::size_t i = 0; i < compilation.schedule->kernels.size(); ++i) {
        const ScheduledKernel &kernel = compilation.schedule->kernels[i];
        const KernelWork &work = works[i];
        KernelEntry entry;
        entry.name = kernel.name;
        entry.flops = work.flops;
        entry.mathFlops = kernel.estimate.flops;
        entry.bytes = work.bytes();
        entry.nodes = static_cast<std::uint32_t>(kernel.members.size());
        entry.isOfLoad = isOfLoad[i];
        entry.tensorInstruction = tensorInstructionOf(compilation, i);
        if (compilation.program != nullptr)
            entry.compileNanoseconds = compilation.program->artifacts.at(i)->compileTime.count();
        entries.push_back(std::move(entry));
    }
    return entries;
}

std::vector<StageTime> stageTimes(const Compilation &compilation)
{
    std::vector<StageTime> times;
    for (const NamedTime &stage : compilation.times)
        times.push_back({stage.name, stage.time.count()});
    return times;
}

std::vector<RunPart> runParts(const RunParts &parts)
{
    std::vector<RunPart> list;
    for (const NamedPart &part : runPartNames())
        list.push_back({std::string(part.name), (parts.*part.time).count()});
    return list;
}

std::vector<DimensionEntry> dimensionEntries(const Graph &graph)
{
    std::vector<DimensionEntry> entries;
    for (const NodeId id : graph.placeholders()) {
        const auto &attributes = attributesOf<PlaceholderAttributes>(graph.node(id));
        if (!attributes.dimension)
            continue;
        const SymbolicVariable &variable = *attributes.dimension;
        entries.push_back({variable.name, variable.low, variable.high, attributes.bound.value_or(variable.high)});
    }
    return entries;
}

} // namespace sw
