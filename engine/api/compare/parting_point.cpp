#include "engine/api/compare/parting_point.h"

#include "engine/api/compare/text_difference.h"
#include "engine/api/compilation.h"
#include "engine/api/describe.h"

#include <algorithm>
#include <utility>

namespace sw {

namespace {

std::string kernelOf(const Compilation &compilation, const StageDocument &document, ItemIndex item)
{
    const std::uint32_t kernel = item < document.items.size() ? document.items[item].kernel : kNoIndex;
    if (compilation.schedule == nullptr || kernel >= compilation.schedule->kernels.size())
        return {};
    return compilation.schedule->kernels[kernel].name;
}

class Search {
public:
    Search(const Compilation &before, const Compilation &after, const std::stop_token &stop)
        : m_before(before), m_after(after), m_stop(stop)
    {
    }

    std::optional<PartingPoint> search()
    {
        const auto &from = m_before.pipeline.steps;
        const auto &to = m_after.pipeline.steps;
        if (!from.empty() && !to.empty() && parts(from.front().before, to.front().before))
            return std::move(m_made);
        for (std::size_t i = 0; i < std::min(from.size(), to.size()) && !m_stop.stop_requested(); ++i) {
            if (from[i].pass->id != to[i].pass->id)
                break;
            if ((!from[i].changed && !to[i].changed) || !parts(from[i].after, to[i].after))
                continue;
            m_made.passId = from[i].pass->id;
            m_made.before.pass = m_made.after.pass = static_cast<std::uint32_t>(i);
            findRewrite(from[i], to[i]);
            return std::move(m_made);
        }
        if (m_stop.stop_requested() || m_before.code == nullptr || m_after.code == nullptr)
            return std::nullopt;
        if (partsIn(*describeCode(*m_before.lowered, *m_before.code), *describeCode(*m_after.lowered, *m_after.code)))
            return std::move(m_made);
        return std::nullopt;
    }

private:
    bool parts(const Stage &before, const Stage &after)
    {
        return before != after && levelOf(before) == levelOf(after) && partsIn(*describeStage(before), *describeStage(after));
    }

    // The first line of an item that differs; headings name the device, which is no decision.
    bool partsIn(const StageDocument &before, const StageDocument &after)
    {
        const TextDifference difference = differenceOf(before, after);
        for (const RowPair &row : difference.rows) {
            if (!isDifference(row.kind))
                continue;
            const ItemIndex from = row.before == kNoIndex ? kNoIndex : before.lines[row.before].item;
            const ItemIndex to = row.after == kNoIndex ? kNoIndex : after.lines[row.after].item;
            if (from == kNoIndex && to == kNoIndex)
                continue;
            m_made.stage = after.kind;
            m_made.before.kernel = kernelOf(m_before, before, from);
            m_made.after.kernel = kernelOf(m_after, after, to);
            if (row.before != kNoIndex)
                m_made.before.line = before.lines[row.before].text;
            if (row.after != kNoIndex)
                m_made.after.line = after.lines[row.after].text;
            return true;
        }
        return false;
    }

    void findRewrite(const PassStep &from, const PassStep &to)
    {
        const auto had = rewritesOf(from, m_before.target, kAllRewrites, m_stop);
        const auto has = rewritesOf(to, m_after.target, kAllRewrites, m_stop);
        for (std::size_t i = 0; i < std::max(had.size(), has.size()); ++i) {
            const bool isSame = i < had.size() && i < has.size() && had[i].rule == has[i].rule && had[i].detail == has[i].detail;
            if (isSame)
                continue;
            tell(m_made.before, had, i);
            tell(m_made.after, has, i);
            return;
        }
    }
    static void tell(PartingSide &side, const std::vector<RewriteEvent> &events, std::size_t index)
    {
        if (index >= events.size())
            return;
        side.rewrite = static_cast<std::uint32_t>(index + 1);
        side.rule = events[index].rule;
        side.detail = events[index].detail;
    }

    const Compilation &m_before;
    const Compilation &m_after;
    const std::stop_token &m_stop;
    PartingPoint m_made;
};

std::string sideText(const PartingSide &side, std::string_view mark)
{
    std::string text;
    if (side.rewrite)
        text += format("{} rewrite {}, {}: {}\n", mark, *side.rewrite, side.rule, side.detail);
    if (!side.line.empty())
        text += format("{} {}{}\n", mark, side.kernel.empty() ? "" : side.kernel + ": ", side.line);
    return text;
}

} // namespace

std::string PartingPoint::text() const
{
    std::string made = format("first different in the {} stage", nameOf(stage));
    if (!passId.empty())
        made += format(", after pass {}", passId);
    else if (stage == StageKind::Graph)
        made += ", before any pass";
    return made + '\n' + sideText(before, "-") + sideText(after, "+");
}

std::optional<PartingPoint> partingPointOf(const Compilation &before, const Compilation &after, const std::stop_token &stop)
{
    return Search(before, after, stop).search();
}

} // namespace sw
