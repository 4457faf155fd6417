#include "engine/api/moments.h"

#include "engine/api/describe.h"
#include "engine/api/describe_common.h"
#include "engine/api/document_change.h"
#include "engine/api/rule_docs.h"
#include "engine/pipeline/partial_run.h"

#include <algorithm>
#include <utility>

namespace sw {

namespace {

constexpr std::size_t kMostMoments = 6;
constexpr std::size_t kMostStages = 4;
constexpr std::size_t kMostDocuments = 4;

void add(std::vector<ItemIndex> &items, ItemIndex item)
{
    const auto place = std::ranges::lower_bound(items, item);
    if (place == items.end() || *place != item)
        items.insert(place, item);
}

// Removes what is only true at the end: the nodes whose values are known.
StageDocumentPtr withoutLinks(const StageDocumentPtr &document)
{
    StageDocument copy = *document;
    for (DocumentItem &item : copy.items)
        item.node = kNoIndex;
    return std::make_shared<const StageDocument>(std::move(copy));
}

// The item of a document whose items are nodes, or lines of loops kernel after kernel.
ItemIndex itemIn(const StageDocument &document, std::uint32_t kernel, std::uint32_t id)
{
    if (document.kind == StageKind::Graph)
        return id < document.items.size() ? id : kNoIndex;
    const auto first = std::ranges::find(document.items, kernel, &DocumentItem::kernel);
    const auto item = static_cast<std::size_t>(first - document.items.begin()) + id;
    return item < document.items.size() && document.items[item].kernel == kernel ? static_cast<ItemIndex>(item) : kNoIndex;
}

// Marks what a rewrite, or a whole pass, changed in a graph or schedule. For one rewrite, what it took away stays in the
// document.
void markChange(MomentStage &marked, const StageDocumentPtr &earlier, bool isOneRewrite)
{
    const DocumentChange change = changeBetween(*earlier, *marked.document);
    for (const ItemIndex item : change.made)
        add(marked.marks.made, item);
    if (isOneRewrite)
        marked.document = withGone(*earlier, *marked.document, change, marked.marks);
}

// Marks what a rewrite read in the stage above, when its pass makes a new stage: nodes, or lines of loops.
void markRead(MomentStage &above, const RewriteEntry &rewrite)
{
    for (const std::uint32_t id : rewrite.before)
        if (const ItemIndex item = itemIn(*above.document, rewrite.kernel, id); item != kNoIndex)
            add(above.marks.matched, item);
}

// Marks the items that a rewrite names. Its ids in `before` are those of the pass's input, in `after` those of `now`, and both
// begin at `first`.
void markNamed(StageMarks &marks, const RewriteEntry &rewrite, const StageDocument *input, const StageDocument &now,
               ItemIndex first)
{
    for (const std::uint32_t id : rewrite.after)
        if (id < now.items.size())
            add(marks.made, first + id);
    if (input == nullptr)
        return;
    const DocumentChange change = changeBetween(*input, now);
    for (const std::uint32_t id : rewrite.before) {
        const ItemIndex left = id < input->items.size() ? change.partner[id] : kNoIndex;
        if (left != kNoIndex && !std::ranges::binary_search(marks.made, first + left))
            add(marks.matched, first + left);
    }
}

RewriteEntry entryOf(const PassStep &step, const RewriteEvent &event)
{
    const std::string_view doc = ruleDoc(step.pass->id, event.rule);
    return {event.rule, std::string(doc.empty() ? step.pass->doc : doc), event.detail, indexOf(event.kernel), event.before,
            event.after};
}

} // namespace

std::vector<RewriteEntry> rewriteEntries(const PassStep &step, const CompileTarget &target, RewriteWindow window,
                                         const std::stop_token &stop)
{
    std::vector<RewriteEntry> entries;
    if (window.count == 1) {
        if (const std::optional<RewriteEvent> event = rewriteOf(step, target, window.first, stop))
            entries.push_back(entryOf(step, *event));
        return entries;
    }
    for (const RewriteEvent &event : rewritesOf(step, target, window, stop))
        entries.push_back(entryOf(step, event));
    return entries;
}

Stage Moments::stageAt(const Compilation &compilation, MomentPlace place, const std::stop_token &stop)
{
    const PassStep &step = compilation.pipeline.steps[place.pass];
    const auto kept = std::ranges::find(m_stages, place, &KeptStage::place);
    if (kept != m_stages.end())
        return kept->stage;
    Stage made = stageBetween(step, compilation.target, place.rewrites, stop);
    if (stop.stop_requested())
        return step.before;
    if (m_stages.size() == kMostStages)
        m_stages.pop_front();
    m_stages.push_back({place, made});
    return made;
}

// Of a graph, or of the graph of a schedule.
StageDocumentPtr Moments::graphDocument(const Stage &stage, const std::stop_token &stop)
{
    if (const auto kept = std::ranges::find(m_documents, stage, &KeptDocument::stage); kept != m_documents.end()) {
        std::rotate(kept, kept + 1, m_documents.end()); // the newest is the last one that was asked for
        return m_documents.back().document;
    }
    const auto partsOf = [](const Stage &each) {
        const auto *schedule = std::get_if<SchedulePtr>(&each);
        return schedule != nullptr ? std::pair((*schedule)->graph.get(), schedule->get())
                                   : std::pair(std::get<GraphPtr>(each).get(), static_cast<const Schedule *>(nullptr));
    };
    const auto [graph, schedule] = partsOf(stage);
    StageDocumentPtr made;
    if (m_documents.empty()) {
        made = describeGraph(*graph, schedule, stop);
    } else {
        const auto [likeGraph, likeSchedule] = partsOf(m_documents.back().stage);
        made = describeGraphLike({*likeGraph, likeSchedule, *m_documents.back().document}, *graph, schedule, stop);
    }
    if (schedule == nullptr)
        made = withoutLinks(made);
    if (stop.stop_requested())
        return made;
    if (m_documents.size() == kMostDocuments)
        m_documents.pop_front();
    m_documents.push_back({stage, made});
    return made;
}

// The graph and the schedule as they are now; what changed is marked.
void Moments::showUpper(MomentDocuments &documents, const Change &change, const std::stop_token &stop)
{
    documents.graph.document = graphDocument(change.now, stop);
    if (const auto *schedule = std::get_if<SchedulePtr>(&change.now)) {
        documents.schedule.document = describeSchedule(**schedule, nullptr, {}, stop);
        if (documents.rewrite && change.isOneRewrite) // grouping changes no node
            markRead(documents.graph, *documents.rewrite);
        const auto *before = std::get_if<SchedulePtr>(&change.before);
        if (before != nullptr && *before != *schedule && !stop.stop_requested())
            markChange(documents.schedule, describeSchedule(**before, nullptr, {}, stop), change.isOneRewrite);
        return;
    }
    if (documents.rewrite && change.isOneRewrite)
        markNamed(documents.graph.marks, *documents.rewrite, graphDocument(change.input, stop).get(), *documents.graph.document,
                  0);
    if (change.before != change.now && !stop.stop_requested())
        markChange(documents.graph, graphDocument(change.before, stop), change.isOneRewrite);
}

// The same for loops and lowered programs, below which stand the finished stages.
void Moments::showLower(MomentDocuments &documents, const Change &change, const Report &report)
{
    documents.graph.document = report.graph;
    documents.schedule.document = report.schedule;
    const bool isLowered = levelOf(change.now) == StageLevel::Lowered;
    if (isLowered)
        documents.loops.document = report.loops;
    MomentStage &shown = isLowered ? documents.lowered : documents.loops;
    const bool hasBefore = levelOf(change.before) == levelOf(change.now);
    const KernelDocuments::Parts now = m_parts.partsOf(change.now);
    const KernelDocuments::Parts before = hasBefore ? m_parts.partsOf(change.before) : now;
    shown = KernelDocuments::joined(isLowered ? StageKind::Lowered : StageKind::Loops, before, now, change.isOneRewrite);
    if (!documents.rewrite || !change.isOneRewrite)
        return;
    const RewriteEntry &rewrite = *documents.rewrite;
    if (levelOf(change.input) == StageLevel::Schedule) // building loops changes no node, lowering changes no loop
        markRead(documents.graph, rewrite);
    if (levelOf(change.input) == StageLevel::Loops && isLowered)
        markRead(documents.loops, rewrite);
    if (!isLowered || rewrite.kernel >= now.size())
        return;
    const StageDocumentPtr input =
        levelOf(change.input) == StageLevel::Lowered ? m_parts.partOf(change.input, rewrite.kernel) : nullptr;
    markNamed(shown.marks, rewrite, input.get(), *now[rewrite.kernel], KernelDocuments::firstItemOf(now, rewrite.kernel));
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
    Change change{step.before, {}, stageAt(compilation, {place.pass, done}, stop), !isWhole && done > 0};
    change.before = change.isOneRewrite ? stageAt(compilation, {place.pass, done - 1}, stop) : isWhole ? step.before : change.now;
    MomentDocuments documents;
    if (done > 0 && !stop.stop_requested())
        for (RewriteEntry &entry : rewriteEntries(step, compilation.target, {done - 1, 1}, stop))
            documents.rewrite = std::move(entry);
    if (stop.stop_requested())
        return {};
    if (levelOf(change.now) <= StageLevel::Schedule)
        showUpper(documents, change, stop);
    else
        showLower(documents, change, report);
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
    m_documents.clear();
    m_parts.forget();
}

} // namespace sw
