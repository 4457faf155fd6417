#include "engine/api/life_story.h"

#include "engine/api/item_tracking.h"
#include "engine/api/quantity.h"
#include "engine/api/rewrite_filter.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace sw {

namespace {

constexpr std::size_t kMostItems = 200; // of one step
constexpr std::size_t kMostKinds = 6;   // of instructions and of rules that a text names

std::size_t sharedSources(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b)
{
    std::vector<std::uint32_t> both;
    std::ranges::set_intersection(a, b, std::back_inserter(both));
    return both.size();
}

// The item that has most of the sources, and of those that have as many, the one with the fewest others; kNoIndex: none has any.
template <class Among>
ItemIndex closestItem(const StageDocument &document, std::span<const std::uint32_t> sources, const Among &among)
{
    ItemIndex closest = kNoIndex;
    std::pair<std::size_t, std::size_t> best; // shared, others: to be large and small
    for (ItemIndex i = 0; i < document.items.size(); ++i) {
        const DocumentItem &item = document.items[i];
        const std::size_t shared = sharedSources(item.sources, sources);
        if (shared == 0 || !among(i))
            continue;
        const std::size_t others = item.sources.size() - shared;
        const bool isCloser = closest == kNoIndex || shared > best.first || (shared == best.first && others <= best.second);
        if (!isCloser)
            continue;
        best = {shared, others};
        closest = i; // of equals the last one, which the others lead to
    }
    return closest;
}

constexpr auto kAnyItem = [](ItemIndex) { return true; };

// "load 2, exp, store": what the items are, each with its count where it is more than one.
std::string kindsText(const StageDocument &document, std::span<const ItemIndex> items)
{
    std::vector<std::pair<std::string, std::size_t>> kinds;
    for (const ItemIndex item : items) {
        const std::string &label = document.items[item].label;
        const std::size_t space = label.starts_with('%') ? label.find(' ') : std::string::npos;
        const std::string kind = space == std::string::npos ? label : label.substr(space + 1);
        const auto known = std::ranges::find(kinds, kind, &std::pair<std::string, std::size_t>::first);
        if (known == kinds.end())
            kinds.emplace_back(kind, 1);
        else
            ++known->second;
    }
    const std::size_t more = kinds.size() > kMostKinds ? kinds.size() - kMostKinds : 0;
    kinds.resize(kinds.size() - more);
    return join(kinds, ", ",
                [](const auto &kind) { return kind.second == 1 ? kind.first : format("{} x {}", kind.first, kind.second); }) +
           (more == 0 ? "" : format(" and {} more kinds", more));
}

class LifeTeller {
public:
    LifeTeller(const Compilation &compilation, const Report &report, std::uint32_t node, std::stop_token stop)
        : m_compilation(compilation), m_report(report), m_node(node), m_item(report.graph->items[node]), m_stop(std::move(stop))
    {
    }

    LifeStory tell()
    {
        m_story.name = format("%{} {} {}", m_node, m_item.label, m_item.detail);
        tellGraph();
        tellKernel();
        tellLoops();
        tellLowering();
        tellEnd(m_report.lowered, "instructions");
        tellEnd(m_report.code, "lines of source");
        tellEnd(m_report.machine, "machine instructions");
        tellTime();
        if (m_stop.stop_requested())
            m_story.error = "it was stopped";
        return std::move(m_story);
    }

private:
    // From the node back to the program; the steps are told in the other order.
    void tellGraph()
    {
        std::vector<LifeStep> back;
        const StageWalk walk(m_compilation, StageLevel::Graph, KernelId(), m_stop);
        Standing at{walk.endPass() - 1, kNoIndex, walk.after(walk.endPass() - 1), m_node};
        while (const std::optional<Making> making = makingOf(walk, at)) {
            if (m_stop.stop_requested())
                return;
            back.push_back(stepOf(walk, *making));
            const bool isFirst = making->made.pass == walk.firstPass();
            at = {isFirst ? making->made.pass : making->made.pass - 1, kNoIndex, walk.before(making->made.pass),
                  madeFrom(walk, *making)};
            if (at.item == kNoIndex || isFirst)
                break;
        }
        if (at.item != kNoIndex && at.document != nullptr) {
            at = earliestOf(walk, std::move(at));
            back.push_back({StageKind::Graph, {0, 0}, {at.item}, "in the graph of the program", labelOf(*at.document, at.item)});
        }
        tellProgram();
        m_story.steps.insert(m_story.steps.end(), std::make_move_iterator(back.rbegin()), std::make_move_iterator(back.rend()));
    }

    void tellProgram()
    {
        if (m_report.program == nullptr)
            return;
        const StageDocument &program = *m_report.program;
        const ItemIndex item = closestItem(program, m_item.sources, [&](ItemIndex i) { return program.items[i].place.line > 0; });
        if (item == kNoIndex)
            return;
        const DocumentPlace &place = program.items[item].place;
        m_story.steps.push_back(
            {StageKind::Program, {kNoIndex}, {item}, format("written in line {}", place.line), program.items[item].label});
    }

    LifeStep stepOf(const StageWalk &walk, const Making &making) const
    {
        const PassStep &pass = m_compilation.pipeline.steps[making.event.place.pass];
        LifeStep step{.stage = m_compilation.pipeline.steps[making.event.place.pass].pass->output == StageLevel::Graph
                                   ? StageKind::Graph
                                   : StageKind::Loops,
                      .place = making.event.place,
                      .title = std::string(pass.pass->title),
                      .text = labelOf(*making.made.document, making.made.item)};
        if (making.event.rewrite) {
            step.title += ": " + making.event.rewrite->rule;
            step.text = making.event.rewrite->detail;
        }
        const StageDocumentPtr then = walk.at(making.event.place.pass, making.event.place.rewrites);
        if (const ItemIndex item = partnerBefore(then, *making.made.document, making.made.item); item != kNoIndex)
            step.items.push_back(item);
        return step;
    }

    // What the rewrite made the node from, in the pass's input.
    static ItemIndex madeFrom(const StageWalk &walk, const Making &making)
    {
        const StageDocumentPtr input = walk.before(making.made.pass);
        if (input == nullptr)
            return kNoIndex;
        const std::vector<std::uint32_t> &sources = making.made.document->items[making.made.item].sources;
        if (!making.event.rewrite || making.event.rewrite->before.empty())
            return closestItem(*input, sources, kAnyItem);
        const std::vector<std::uint32_t> &read = making.event.rewrite->before;
        const ItemIndex item =
            closestItem(*input, sources, [&](ItemIndex i) { return std::ranges::find(read, i) != read.end(); });
        return item != kNoIndex ? item : read.back() < input->items.size() ? read.back() : kNoIndex;
    }

    static std::string labelOf(const StageDocument &document, ItemIndex item)
    {
        const DocumentItem &found = document.items[item];
        return found.detail.empty() ? found.label : found.label + " " + found.detail;
    }

    void tellKernel()
    {
        if (m_report.schedule == nullptr || m_item.kernel >= m_report.schedule->items.size())
            return;
        const std::uint32_t pass = passOf("group-kernels");
        m_story.steps.push_back({StageKind::Schedule,
                                 {pass},
                                 {m_item.kernel},
                                 "grouped into a kernel",
                                 m_report.schedule->items[m_item.kernel].label});
    }

    // Its value in the loops; a view has none, because it became part of the indices.
    void tellLoops()
    {
        if (m_report.loops == nullptr || m_item.kernel == kNoIndex)
            return;
        const StageDocument &loops = *m_report.loops;
        std::vector<ItemIndex> values;
        ItemIndex first = kNoIndex;
        for (ItemIndex i = 0; i < loops.items.size(); ++i) {
            if (loops.items[i].kernel != m_item.kernel)
                continue;
            first = std::min(first, i);
            if (loops.items[i].node == m_node)
                values.push_back(i);
        }
        if (values.empty()) {
            m_story.steps.push_back({StageKind::Loops,
                                     {passOf("build-loops")},
                                     {},
                                     "part of the indices",
                                     "a view computes nothing: what reads it reads other places"});
            return;
        }
        const StageWalk walk(m_compilation, StageLevel::Loops, KernelId(m_item.kernel), m_stop);
        const std::uint32_t last = walk.endPass() - 1;
        const StageDocumentPtr own = walk.after(last);
        if (const auto making = makingOf(walk, {last, kNoIndex, own, values.front() - first}); making && making->event.rewrite)
            m_story.steps.push_back({StageKind::Loops,
                                     making->event.place,
                                     {},
                                     "a value of the loops: " + making->event.rewrite->rule,
                                     making->event.rewrite->detail});
        m_story.steps.push_back({StageKind::Loops, {last}, values, "in the finished loops", loops.items[values.front()].label});
    }

    // The rewrites of its kernel's instructions that touched it, pass by pass.
    void tellLowering()
    {
        const auto &steps = m_compilation.pipeline.steps;
        for (std::uint32_t pass = 0; pass < steps.size() && m_item.kernel != kNoIndex; ++pass) {
            if (steps[pass].pass->output != StageLevel::Lowered)
                continue;
            const PassMatches matches =
                matchesIn(steps[pass], m_compilation.target, {.kernel = m_item.kernel, .sources = m_item.sources}, m_stop);
            if (m_stop.stop_requested())
                return;
            if (matches.empty())
                continue;
            std::vector<std::string> rules;
            for (const std::uint32_t done : matches)
                if (const std::string &rule = steps[pass].rewrites.rule(done - 1); std::ranges::find(rules, rule) == rules.end())
                    rules.push_back(rule);
            const std::size_t more = rules.size() > kMostKinds ? rules.size() - kMostKinds : 0;
            rules.resize(rules.size() - more);
            m_story.steps.push_back({StageKind::Lowered,
                                     {pass, matches.front()},
                                     {},
                                     format("{}: {}", steps[pass].pass->title,
                                            matches.size() == 1 ? "1 rewrite" : format("{} rewrites", matches.size())),
                                     join(rules, ", ", [](const std::string &rule) { return rule; }) +
                                         (more == 0 ? "" : format(" and {} more rules", more))});
        }
    }

    // What it is at the end, in one of the stages of text.
    void tellEnd(const StageDocumentPtr &document, std::string_view what)
    {
        if (document == nullptr || m_item.kernel == kNoIndex)
            return;
        std::vector<ItemIndex> items;
        for (ItemIndex i = 0; i < document->items.size(); ++i)
            if (document->items[i].kernel == m_item.kernel && std::ranges::includes(document->items[i].sources, m_item.sources))
                items.push_back(i);
        if (items.empty())
            return;
        const std::string text = kindsText(*document, items);
        const std::size_t count = items.size();
        items.resize(std::min(count, kMostItems));
        m_story.steps.push_back({document->kind, {kNoIndex}, std::move(items), format("{} {}", count, what), text});
    }

    void tellTime()
    {
        if (m_item.kernel >= m_report.kernels.size())
            return;
        const KernelEntry &kernel = m_report.kernels[m_item.kernel];
        if (!kernel.medianNanoseconds)
            return;
        m_story.steps.push_back({StageKind::Machine,
                                 {kNoIndex},
                                 {},
                                 "time of its kernel",
                                 format("{} in {} (median)", nanosecondsText(*kernel.medianNanoseconds), kernel.name)});
    }

    [[nodiscard]] std::uint32_t passOf(std::string_view id) const
    {
        const auto &steps = m_compilation.pipeline.steps;
        const auto found = std::ranges::find_if(steps, [&](const PassStep &step) { return step.pass->id == id; });
        return found == steps.end() ? kNoIndex : static_cast<std::uint32_t>(found - steps.begin());
    }

    const Compilation &m_compilation;
    const Report &m_report;
    std::uint32_t m_node;
    const DocumentItem &m_item; // of the final graph
    std::stop_token m_stop;
    LifeStory m_story;
};

} // namespace

LifeStory lifeOfNode(const Compilation &compilation, const Report &report, std::uint32_t node, const std::stop_token &stop)
{
    if (report.graph == nullptr || node >= report.graph->items.size())
        return {{}, {}, "the final graph has no such node"};
    return LifeTeller(compilation, report, node, stop).tell();
}

std::uint32_t nodeBehind(const Report &report, const StageDocument &document, ItemIndex item)
{
    if (report.graph == nullptr || item >= document.items.size())
        return kNoIndex;
    const DocumentItem &asked = document.items[item];
    if (&document == report.graph.get())
        return item;
    if (asked.node < report.graph->items.size())
        return asked.node;
    return closestItem(*report.graph, asked.sources,
                       [&](ItemIndex i) { return asked.kernel == kNoIndex || report.graph->items[i].kernel == asked.kernel; });
}

} // namespace sw
