// The stages of the last compilation before and after a pass, and in the middle of one.

#include "engine/api/describe.h"
#include "engine/api/explorer_implementation.h"
#include "engine/api/item_history.h"
#include "engine/api/life_story.h"
#include "engine/api/rewrite_filter.h"

#include <exception>

namespace sw {

namespace {

const StageDocumentPtr &documentOf(const Report &report, StageKind stage)
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
        break;
    }
    return report.machine;
}

// Null: the moment has no such stage.
StageDocumentPtr documentOf(const MomentDocuments &documents, StageKind stage)
{
    switch (stage) {
    case StageKind::Graph:
        return documents.graph.document;
    case StageKind::Schedule:
        return documents.schedule.document;
    case StageKind::Loops:
        return documents.loops.document;
    case StageKind::Lowered:
        return documents.lowered.document;
    case StageKind::Program:
    case StageKind::Code:
    case StageKind::Machine:
        break;
    }
    return nullptr;
}

} // namespace

PassDocuments Explorer::passDocuments(std::uint32_t index, std::uint32_t afterRewrites)
{
    const Compilation &compilation = m_implementation->compilation;
    if (index >= compilation.pipeline.steps.size())
        return {};
    const PassStep &step = compilation.pipeline.steps[index];
    PassDocuments documents;
    try {
        const bool isPartial = afterRewrites < step.rewrites.size();
        Stage after = step.after;
        std::vector<RewriteEvent> last;
        if (isPartial) {
            const std::uint32_t first = afterRewrites == 0 ? 0 : afterRewrites - 1;
            PassStep part = runPass(step.before, *step.pass, compilation.target, {}, afterRewrites, {first, 1});
            after = std::move(part.after);
            last = part.rewrites.events();
        } else if (!step.rewrites.empty()) {
            last = rewritesOf(step, compilation.target, {static_cast<std::uint32_t>(step.rewrites.size() - 1), 1}, {});
        }
        for (const RewriteEvent &event : last)
            documents.rewrite = event.rule + ": " + event.detail;
        documents.before = describeStage(step.before);
        documents.after = after == step.before ? documents.before : describeStage(after);
    } catch (const std::exception &exception) {
        documents.rewrite = toText(diagnosticOf(exception));
    }
    return documents;
}

std::vector<RewriteEntry> Explorer::rewrites(std::uint32_t pass, std::uint32_t first, std::uint32_t count, std::stop_token stop)
{
    const Compilation &compilation = m_implementation->compilation;
    if (pass >= compilation.pipeline.steps.size())
        return {};
    return rewriteEntries(compilation.pipeline.steps[pass], compilation.target, {first, count}, stop);
}

std::vector<PassMatches> Explorer::matchingRewrites(const RewriteFilter &filter, std::stop_token stop)
{
    return sw::matchingRewrites(m_implementation->compilation, filter, stop);
}

MomentDocuments Explorer::documentsAt(MomentPlace place, std::stop_token stop)
{
    Implementation &own = *m_implementation;
    if (own.report == nullptr)
        return {};
    try {
        return own.moments.at(own.compilation, *own.report, place, stop);
    } catch (const std::exception &) {
        return {}; // an error that the pass's own step reports
    }
}

void Explorer::keepMoments(std::size_t mostBytes)
{
    m_implementation->moments.keepAtMost(mostBytes);
}

ItemLife Explorer::lifeOf(const MomentItem &item, std::stop_token stop)
{
    Implementation &own = *m_implementation;
    if (own.report == nullptr)
        return {};
    try {
        StageDocumentPtr document = documentOf(*own.report, item.stage);
        if (item.place.pass != kNoIndex) // below the lowered stage, and above the graph, there is only the end
            if (const StageDocumentPtr then =
                    documentOf(own.moments.at(own.compilation, *own.report, item.place, stop), item.stage))
                document = then;
        if (document == nullptr || item.item >= document->items.size() || stop.stop_requested())
            return {};
        ItemLife life;
        const bool isCode = item.stage == StageKind::Code || item.stage == StageKind::Machine;
        const ItemIndex instruction = document->items[item.item].instruction;
        if (!isCode)
            life.history = historyOf(own.compilation, item, *document, stop);
        else if (instruction < own.report->lowered->items.size()) // of the instruction behind it
            life.history = historyOf(own.compilation, {{kNoIndex}, StageKind::Lowered, instruction}, *own.report->lowered, stop);
        const std::uint32_t node = nodeBehind(*own.report, *document, item.item);
        life.story = node == kNoIndex ? LifeStory{{}, {}, "it was made for no value of the program"}
                                      : lifeOfNode(own.compilation, *own.report, node, stop);
        return life;
    } catch (const std::exception &) {
        return {}; // an error that a pass's own step reports
    }
}

} // namespace sw
