#include "engine/api/item_tracking.h"

#include "engine/api/document_change.h"

#include <algorithm>
#include <span>

namespace sw {

HistoryEvent eventAt(const StageWalk &walk, std::uint32_t pass, std::uint32_t done)
{
    return {{pass, done}, std::string(walk.passInfo(pass).title), walk.rewrite(pass, done)};
}

namespace {

// The rewrite after which the answer of `holds` is yes, where it is no before the first of them and yes after the last.
template <class Holds>
HistoryEvent firstWhere(const StageWalk &walk, std::uint32_t pass, std::span<const std::uint32_t> rewrites, const Holds &holds)
{
    if (rewrites.empty())
        return {{pass, kNoIndex}, std::string(walk.passInfo(pass).title)};
    std::size_t no = 0; // rewrites done, of the list
    std::size_t yes = rewrites.size();
    while (yes - no > 1 && !walk.stop().stop_requested()) {
        const std::size_t middle = no + (yes - no) / 2;
        (holds(walk.at(pass, rewrites[middle - 1])) ? yes : no) = middle;
    }
    return eventAt(walk, pass, rewrites[yes - 1]);
}

} // namespace

ItemIndex partnerBefore(const StageDocumentPtr &before, const StageDocument &now, ItemIndex item)
{
    if (before == nullptr)
        return kNoIndex;
    const DocumentChange change = changeBetween(*before, now);
    const auto found = std::ranges::find(change.partner, item);
    return found == change.partner.end() ? kNoIndex : static_cast<ItemIndex>(found - change.partner.begin());
}

ItemIndex partnerAfter(const StageDocument &now, const StageDocumentPtr &after, ItemIndex item)
{
    return after == nullptr ? kNoIndex : changeBetween(now, *after).partner.at(item);
}

// Where a pass made the item, or the item as the stage was given with it: before the first pass.
Standing earliestOf(const StageWalk &walk, Standing from)
{
    for (;; --from.pass) {
        const StageDocumentPtr before = walk.before(from.pass);
        const ItemIndex same = partnerBefore(before, *from.document, from.item);
        if (same == kNoIndex || walk.stop().stop_requested())
            return from;
        if (from.pass == walk.firstPass())
            return {from.pass, 0, before, same};
        from = {from.pass, kNoIndex, before, same};
    }
}

std::optional<Making> makingOf(const StageWalk &walk, const Standing &from)
{
    Standing made = earliestOf(walk, from);
    if (made.done == 0 && made.pass == walk.firstPass() && walk.isGiven())
        return std::nullopt;
    std::vector<std::uint32_t> rewrites = walk.candidates(made.pass);
    std::erase_if(rewrites, [&](std::uint32_t done) { return done > made.done; });
    HistoryEvent event = firstWhere(walk, made.pass, rewrites, [&](const StageDocumentPtr &between) {
        return partnerBefore(between, *made.document, made.item) != kNoIndex;
    });
    return Making{std::move(event), std::move(made)};
}

std::optional<HistoryEvent> endOf(const StageWalk &walk, Standing from)
{
    for (; from.pass < walk.endPass(); ++from.pass) {
        const StageDocumentPtr after = walk.after(from.pass);
        const ItemIndex same = partnerAfter(*from.document, after, from.item);
        if (walk.stop().stop_requested())
            return std::nullopt;
        if (same == kNoIndex) {
            std::vector<std::uint32_t> rewrites = walk.candidates(from.pass);
            std::erase_if(rewrites, [&](std::uint32_t done) { return done <= from.done; });
            return firstWhere(walk, from.pass, rewrites, [&](const StageDocumentPtr &between) {
                return partnerAfter(*from.document, between, from.item) == kNoIndex;
            });
        }
        from = {from.pass, 0, after, same};
    }
    return std::nullopt;
}

} // namespace sw
