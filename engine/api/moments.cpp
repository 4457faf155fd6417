#include "engine/api/moments.h"

#include "engine/api/describe.h"
#include "engine/api/describe_common.h"
#include "engine/api/document_change.h"
#include "engine/api/rule_docs.h"

#include <algorithm>
#include <utility>

namespace sw {

namespace {

constexpr std::size_t kMostMoments = 6;
constexpr std::size_t kMostStages = 4;

void add(std::vector<ItemIndex> &items, ItemIndex item)
{
    const auto place = std::ranges::lower_bound(items, item);
    if (place == items.end() || *place != item)
        items.insert(place, item);
}

// Removes what is only true at the end: the nodes whose values are known, and the instructions that code was made from.
StageDocumentPtr withoutLinks(const StageDocumentPtr &document)
{
    StageDocument copy = *document;
    for (DocumentItem &item : copy.items)
        item.node = item.instruction = kNoIndex;
    return std::make_shared<const StageDocument>(std::move(copy));
}

MomentStage MomentDocuments::*stageOf(StageLevel level)
{
    switch (level) {
    case StageLevel::Graph:
        return &MomentDocuments::graph;
    case StageLevel::Schedule:
        return &MomentDocuments::schedule;
    case StageLevel::Loops:
        return &MomentDocuments::loops;
    case StageLevel::Lowered:
        return &MomentDocuments::lowered;
    }
    SW_UNREACHABLE();
}

// The documents while passes work on `made`: the stages above it are finished, those below do not exist yet.
MomentDocuments documentsOf(const Stage &made, const Report &report, const std::stop_token &stop)
{
    MomentDocuments all;
    const StageLevel level = levelOf(made);
    if (level > StageLevel::Schedule) {
        all.graph.document = report.graph;
        all.schedule.document = report.schedule;
    }
    switch (level) {
    case StageLevel::Graph:
        all.graph.document = withoutLinks(describeGraph(*std::get<GraphPtr>(made), nullptr, stop));
        break;
    case StageLevel::Schedule: {
        const Schedule &schedule = *std::get<SchedulePtr>(made);
        all.graph.document = describeGraph(*schedule.graph, &schedule, stop);
        all.schedule.document = describeSchedule(schedule, nullptr, {}, stop);
        break;
    }
    case StageLevel::Loops:
        all.loops.document = describeLoops(*std::get<LoopProgramPtr>(made), stop);
        break;
    case StageLevel::Lowered:
        all.loops.document = report.loops;
        all.lowered.document = withoutLinks(describeLowered(*std::get<LoweredProgramPtr>(made), stop));
        break;
    }
    return all;
}

// The document's item that an id in a rewrite refers to; kNoIndex: none.
ItemIndex itemOf(const Stage &stage, std::uint32_t kernel, std::uint32_t id)
{
    if (const auto *graph = std::get_if<GraphPtr>(&stage))
        return id < (*graph)->size() ? id : kNoIndex;
    const auto *lowered = std::get_if<LoweredProgramPtr>(&stage);
    if (lowered == nullptr || kernel >= (*lowered)->kernels.size() || id >= (*lowered)->kernels[kernel].instructions.size())
        return kNoIndex;
    return firstInstructionItems(**lowered).at(kernel) + id;
}

// The same for a document whose items are nodes, or lines or instructions kernel after kernel.
ItemIndex itemIn(const StageDocument &document, std::uint32_t kernel, std::uint32_t id)
{
    if (document.kind == StageKind::Graph)
        return id < document.items.size() ? id : kNoIndex;
    const auto first = std::ranges::find(document.items, kernel, &DocumentItem::kernel);
    const auto item = static_cast<std::size_t>(first - document.items.begin()) + id;
    return item < document.items.size() && document.items[item].kernel == kernel ? static_cast<ItemIndex>(item) : kNoIndex;
}

// Marks what a rewrite, or a whole pass, changed in one stage. For one rewrite, what it took away stays in the document.
void markChange(MomentStage &marked, const StageDocumentPtr &earlier, bool isOneRewrite)
{
    const DocumentChange change = changeBetween(*earlier, *marked.document);
    for (const ItemIndex item : change.made)
        add(marked.marks.made, item);
    if (isOneRewrite)
        marked.document = withGone(*earlier, *marked.document, change, marked.marks);
}

// Marks what the last rewrite read in the stage above, when its pass makes a new stage: nodes, or lines of loops.
void markRead(MomentStage &above, const RewriteEntry &rewrite)
{
    for (const std::uint32_t id : rewrite.before)
        if (const ItemIndex item = itemIn(*above.document, rewrite.kernel, id); item != kNoIndex)
            add(above.marks.matched, item);
}

// Marks what the last rewrite names. Its ids in `before` are ids of the pass's input.
void markRewrite(MomentDocuments &documents, const Stage &now, const StageDocument &input)
{
    const RewriteEntry &rewrite = *documents.rewrite;
    const StageLevel level = levelOf(now);
    if (level == StageLevel::Schedule || level == StageLevel::Loops) // grouping and building loops change no node
        markRead(documents.graph, rewrite);
    if (level == StageLevel::Lowered && input.kind == StageKind::Loops)
        markRead(documents.loops, rewrite);
    if (level != StageLevel::Graph && level != StageLevel::Lowered)
        return;
    MomentStage &worked = documents.*stageOf(level);
    for (const std::uint32_t id : rewrite.after)
        if (const ItemIndex item = itemOf(now, rewrite.kernel, id); item != kNoIndex)
            add(worked.marks.made, item);
    if (input.kind == StageKind::Loops)
        return;
    const DocumentChange change = changeBetween(input, *worked.document);
    for (const std::uint32_t id : rewrite.before) {
        const ItemIndex item = itemIn(input, rewrite.kernel, id);
        const ItemIndex left = item == kNoIndex ? kNoIndex : change.partner[item];
        if (left != kNoIndex && !std::ranges::binary_search(worked.marks.made, left))
            add(worked.marks.matched, left);
    }
}

} // namespace

std::vector<RewriteEntry> rewriteEntries(const PassStep &step, const CompileTarget &target, RewriteWindow window,
                                         const std::stop_token &stop)
{
    std::vector<RewriteEntry> entries;
    for (const RewriteEvent &event : rewritesOf(step, target, window, stop)) {
        const std::string_view doc = ruleDoc(step.pass->id, event.rule);
        entries.push_back({event.rule, std::string(doc.empty() ? step.pass->doc : doc), event.detail, indexOf(event.kernel),
                           event.before, event.after});
    }
    return entries;
}

Stage Moments::stageAt(const Compilation &compilation, MomentPlace place, const std::stop_token &stop)
{
    const PassStep &step = compilation.pipeline.steps[place.pass];
    if (place.rewrites >= step.rewrites.size())
        return step.after;
    if (place.rewrites == 0 && step.pass->input == step.pass->output)
        return step.before;
    const auto kept = std::ranges::find(m_stages, place, &KeptStage::place);
    if (kept != m_stages.end())
        return kept->stage;
    PassStep part = runPass(step.before, *step.pass, compilation.target, stop, place.rewrites);
    if (stop.stop_requested())
        return step.before;
    if (m_stages.size() == kMostStages)
        m_stages.pop_front();
    m_stages.push_back({place, part.after});
    return std::move(part.after);
}

// The document of the pass's input; many moments of one pass ask for it.
const StageDocumentPtr &Moments::inputDocument(const PassStep &step, std::uint32_t pass, const Report &report,
                                               const std::stop_token &stop)
{
    if (m_input == nullptr || m_inputOf != pass)
        m_input = (documentsOf(step.before, report, stop).*stageOf(levelOf(step.before))).document;
    m_inputOf = pass;
    return m_input;
}

MomentDocuments Moments::at(const Compilation &compilation, const Report &report, MomentPlace place, const std::stop_token &stop)
{
    if (place.pass >= compilation.pipeline.steps.size())
        return {};
    const auto kept = std::ranges::find(m_kept, place, &Kept::place);
    if (kept != m_kept.end())
        return kept->documents;
    const PassStep &step = compilation.pipeline.steps[place.pass];
    const std::uint32_t done = std::min(place.rewrites, static_cast<std::uint32_t>(step.rewrites.size()));
    const bool isWhole = place.rewrites == kNoIndex;
    const bool isOneRewrite = !isWhole && done > 0;
    const Stage now = stageAt(compilation, {place.pass, done}, stop);
    const Stage before = isOneRewrite ? stageAt(compilation, {place.pass, done - 1}, stop) : isWhole ? step.before : now;
    MomentDocuments documents = documentsOf(now, report, stop);
    if (done > 0 && !stop.stop_requested())
        for (RewriteEntry &entry : rewriteEntries(step, compilation.target, {done - 1, 1}, stop))
            documents.rewrite = std::move(entry);
    if (stop.stop_requested())
        return {};
    if (isOneRewrite && documents.rewrite)
        markRewrite(documents, now, *inputDocument(step, place.pass, report, stop));
    if (before != now && levelOf(before) == levelOf(now)) {
        MomentStage MomentDocuments::*const worked = stageOf(levelOf(now));
        markChange(documents.*worked, (documentsOf(before, report, stop).*worked).document, isOneRewrite);
    }
    if (stop.stop_requested())
        return {};
    if (m_kept.size() == kMostMoments)
        m_kept.pop_front();
    m_kept.push_back({place, documents});
    return documents;
}

void Moments::forget()
{
    m_kept.clear();
    m_stages.clear();
    m_input.reset();
}

} // namespace sw
