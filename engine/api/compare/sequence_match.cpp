#include "engine/api/compare/sequence_match.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace sw {

namespace {

// The number of edits after which a search for the shortest script is cut at the place that it came furthest to.
constexpr std::int64_t kMostEdits = 128;
// The length of the runs that are anchors where no single element is one.
constexpr std::uint32_t kRun = 4;
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// How often a key of the second of two parts occurs in each of them, and where last.
struct Occurrence {
    std::uint64_t key = 0;
    std::uint32_t inBefore = 0; // 0, 1, 2 for more
    std::uint32_t inAfter = 0;  // likewise; 0: a slot that is free
    std::uint32_t before = 0;
    std::uint32_t after = 0;
};

// An open-addressed table that is cleared by making it anew; its size follows what it has to hold.
class Occurrences {
public:
    explicit Occurrences(std::size_t most) : m_slots(std::bit_ceil(most * 2 + 2)), m_mask(m_slots.size() - 1) {}

    void addAfter(std::uint64_t key, std::uint32_t place)
    {
        Occurrence &slot = slotOf(key);
        slot.key = key;
        slot.inAfter = std::min(slot.inAfter + 1, 2U);
        slot.after = place;
    }
    void addBefore(std::uint64_t key, std::uint32_t place)
    {
        Occurrence &slot = slotOf(key);
        if (slot.inAfter == 0)
            return;
        slot.inBefore = std::min(slot.inBefore + 1, 2U);
        slot.before = place;
    }
    // In neither, unless the second part has it.
    [[nodiscard]] const Occurrence &of(std::uint64_t key) { return slotOf(key); }

private:
    Occurrence &slotOf(std::uint64_t key)
    {
        std::size_t at = (key * 0x9e3779b97f4a7c15ULL >> 20U) & m_mask;
        while (m_slots[at].inAfter != 0 && m_slots[at].key != key)
            at = (at + 1) & m_mask;
        return m_slots[at];
    }

    std::vector<Occurrence> m_slots;
    std::size_t m_mask;
};

// The keys of a sequence that the other one has too. What only one has can be in no pair: without it the search for the shortest
// script comes further, and has less to do.
struct CommonKeys {
    std::vector<std::uint64_t> keys;
    std::vector<std::uint32_t> places; // in the sequence, by key
    std::vector<std::uint32_t> ranks;  // how many stand before each place, and before the end
};

class Matcher {
public:
    Matcher(std::span<const std::uint64_t> before, std::span<const std::uint64_t> after, std::vector<MatchedPair> &pairs)
        : m_before(before), m_after(after), m_pairs(pairs)
    {
    }

    void match() { match({0, static_cast<std::uint32_t>(m_before.size()), 0, static_cast<std::uint32_t>(m_after.size())}); }

private:
    // triedIn: the size of the part around this one that was searched for anchors last: one of the same size has none either.
    void match(SequenceGap gap, std::uint32_t triedIn = kNone)
    {
        std::uint32_t suffix = 0;
        while (gap.before < gap.endBefore && gap.after < gap.endAfter && m_before[gap.before] == m_after[gap.after])
            m_pairs.push_back({gap.before++, gap.after++});
        while (gap.before < gap.endBefore && gap.after < gap.endAfter &&
               m_before[gap.endBefore - 1] == m_after[gap.endAfter - 1]) {
            --gap.endBefore;
            --gap.endAfter;
            ++suffix;
        }
        if (gap.before < gap.endBefore && gap.after < gap.endAfter)
            matchDifferent(gap, triedIn);
        for (std::uint32_t i = 0; i < suffix; ++i)
            m_pairs.push_back({gap.endBefore + i, gap.endAfter + i});
    }

    void matchDifferent(const SequenceGap &gap, std::uint32_t triedIn)
    {
        const std::uint32_t size = gap.endBefore - gap.before + gap.endAfter - gap.after;
        const bool isTried = triedIn != kNone && size > triedIn / 2;
        for (const std::uint32_t run : {1U, kRun}) {
            const std::vector<MatchedPair> anchors =
                isTried ? std::vector<MatchedPair>() : longestAscending(uniquePairs(gap, run));
            if (anchors.empty())
                continue;
            SequenceGap part{gap.before, 0, gap.after, 0};
            for (const MatchedPair &anchor : anchors) {
                if (anchor.before < part.before || anchor.after < part.after) // inside what the one before it led to
                    continue;
                part.endBefore = anchor.before;
                part.endAfter = anchor.after;
                match(part);
                part.before = anchor.before;
                part.after = anchor.after;
                for (std::uint32_t i = 0; i < run; ++i)
                    m_pairs.push_back({part.before++, part.after++});
            }
            part.endBefore = gap.endBefore;
            part.endAfter = gap.endAfter;
            match(part);
            return;
        }
        findCommon();
        matchCommon({m_commonBefore.ranks[gap.before], m_commonBefore.ranks[gap.endBefore], m_commonAfter.ranks[gap.after],
                     m_commonAfter.ranks[gap.endAfter]},
                    isTried ? triedIn : size);
    }

    // A gap of the common keys, by a shortest edit script. tried: as above.
    void matchCommon(SequenceGap gap, std::uint32_t tried)
    {
        const std::vector<std::uint64_t> &before = m_commonBefore.keys;
        const std::vector<std::uint64_t> &after = m_commonAfter.keys;
        while (gap.before < gap.endBefore && gap.after < gap.endAfter && before[gap.before] == after[gap.after])
            addCommon(gap.before++, gap.after++);
        std::uint32_t suffix = 0;
        while (gap.before < gap.endBefore && gap.after < gap.endAfter && before[gap.endBefore - 1] == after[gap.endAfter - 1]) {
            --gap.endBefore;
            --gap.endAfter;
            ++suffix;
        }
        if (gap.before < gap.endBefore && gap.after < gap.endAfter) {
            const MatchedPair split = splitOf(gap);
            matchPart({gap.before, split.before, gap.after, split.after}, tried);
            matchPart({split.before, gap.endBefore, split.after, gap.endAfter}, tried);
        }
        for (std::uint32_t i = 0; i < suffix; ++i)
            addCommon(gap.endBefore + i, gap.endAfter + i);
    }

    void addCommon(std::uint32_t before, std::uint32_t after)
    {
        m_pairs.push_back({m_commonBefore.places[before], m_commonAfter.places[after]});
    }

    // A much smaller part may have anchors.
    void matchPart(const SequenceGap &gap, std::uint32_t tried)
    {
        if (gap.before == gap.endBefore || gap.after == gap.endAfter)
            return;
        const SequenceGap whole{m_commonBefore.places[gap.before], m_commonBefore.places[gap.endBefore - 1] + 1,
                                m_commonAfter.places[gap.after], m_commonAfter.places[gap.endAfter - 1] + 1};
        if (whole.endBefore - whole.before + whole.endAfter - whole.after > tried / 2)
            matchCommon(gap, tried);
        else
            match(whole, tried);
    }

    void findCommon()
    {
        if (!m_commonBefore.ranks.empty())
            return;
        Occurrences occurrences(m_after.size());
        for (const std::uint64_t key : m_after)
            occurrences.addAfter(key, 0);
        for (const std::uint64_t key : m_before)
            occurrences.addBefore(key, 0);
        const auto common = [&](std::span<const std::uint64_t> keys) {
            CommonKeys made;
            made.keys.reserve(keys.size());
            made.places.reserve(keys.size());
            made.ranks.reserve(keys.size() + 1);
            for (std::uint32_t i = 0; i < keys.size(); ++i) {
                made.ranks.push_back(static_cast<std::uint32_t>(made.keys.size()));
                const Occurrence &found = occurrences.of(keys[i]);
                if (found.inBefore == 0)
                    continue;
                made.keys.push_back(keys[i]);
                made.places.push_back(i);
            }
            made.ranks.push_back(static_cast<std::uint32_t>(made.keys.size()));
            return made;
        };
        m_commonBefore = common(m_before);
        m_commonAfter = common(m_after);
    }

    [[nodiscard]] static std::uint64_t keyOf(std::span<const std::uint64_t> keys, std::uint32_t at, std::uint32_t run)
    {
        std::uint64_t key = keys[at];
        for (std::uint32_t i = 1; i < run; ++i)
            key = key * 0x100000001b3ULL + keys[at + i];
        return key;
    }

    // Runs that each part has once, by their place in `before`.
    [[nodiscard]] std::vector<MatchedPair> uniquePairs(const SequenceGap &gap, std::uint32_t run) const
    {
        const std::uint32_t inBefore = gap.endBefore - gap.before;
        const std::uint32_t inAfter = gap.endAfter - gap.after;
        std::vector<MatchedPair> pairs;
        if (inBefore < run || inAfter < run)
            return pairs;
        Occurrences occurrences(inAfter);
        for (std::uint32_t i = gap.after; i + run <= gap.endAfter; ++i)
            occurrences.addAfter(keyOf(m_after, i, run), i);
        for (std::uint32_t i = gap.before; i + run <= gap.endBefore; ++i)
            occurrences.addBefore(keyOf(m_before, i, run), i);
        for (std::uint32_t i = gap.before; i + run <= gap.endBefore; ++i) {
            const Occurrence &found = occurrences.of(keyOf(m_before, i, run));
            const bool isUnique = found.inBefore == 1 && found.inAfter == 1 && found.before == i;
            if (isUnique && std::equal(m_before.begin() + i, m_before.begin() + i + run, m_after.begin() + found.after))
                pairs.push_back({i, found.after});
        }
        return pairs;
    }

    // The longest part of the pairs that ascends on both sides (patience sorting).
    [[nodiscard]] static std::vector<MatchedPair> longestAscending(const std::vector<MatchedPair> &pairs)
    {
        std::vector<std::uint32_t> ends; // of the chain of each length, the one whose `after` is smallest
        std::vector<std::uint32_t> previous(pairs.size(), kNone);
        for (std::uint32_t i = 0; i < pairs.size(); ++i) {
            const auto place =
                std::ranges::lower_bound(ends, pairs[i].after, {}, [&](std::uint32_t end) { return pairs[end].after; });
            if (place != ends.begin())
                previous[i] = *(place - 1);
            if (place == ends.end())
                ends.push_back(i);
            else
                *place = i;
        }
        std::vector<MatchedPair> chain;
        for (std::uint32_t i = ends.empty() ? kNone : ends.back(); i != kNone; i = previous[i])
            chain.push_back(pairs[i]);
        std::ranges::reverse(chain);
        return chain;
    }

    // ---- Myers, on the common keys: a place that a shortest (or, when cut, a short) edit script goes through

    // The furthest place on each diagonal, from the front and from the back. Diagonals are before - after.
    struct Search {
        std::int64_t low = 0;
        std::int64_t high = 0;
        std::int64_t forwardLow = 0;
        std::int64_t forwardHigh = 0;
        std::int64_t backwardLow = 0;
        std::int64_t backwardHigh = 0;
        bool isOdd = false;
    };

    MatchedPair splitOf(const SequenceGap &gap)
    {
        const std::int64_t endBefore = gap.endBefore;
        const std::int64_t endAfter = gap.endAfter;
        Search search;
        search.low = gap.before - endAfter;
        search.high = endBefore - gap.after;
        search.forwardLow = search.forwardHigh = std::int64_t{gap.before} - gap.after;
        search.backwardLow = search.backwardHigh = endBefore - endAfter;
        search.isOdd = ((search.forwardLow - search.backwardLow) & 1) != 0;
        m_offset = 2 - search.low;
        const auto size = static_cast<std::size_t>(search.high - search.low + 5);
        if (m_forward.size() < size) {
            m_forward.resize(size);
            m_backward.resize(size);
        }
        forward(search.forwardLow) = gap.before;
        backward(search.backwardLow) = endBefore;
        for (std::int64_t edits = 1;; ++edits) {
            MatchedPair split;
            if (stepForward(search, gap, split) || stepBackward(search, gap, split))
                return split;
            if (edits >= kMostEdits)
                return furthest(search, gap);
        }
    }

    std::int64_t &forward(std::int64_t diagonal) { return m_forward[static_cast<std::size_t>(diagonal + m_offset)]; }
    std::int64_t &backward(std::int64_t diagonal) { return m_backward[static_cast<std::size_t>(diagonal + m_offset)]; }
    static MatchedPair place(std::int64_t before, std::int64_t after)
    {
        return {static_cast<std::uint32_t>(before), static_cast<std::uint32_t>(after)};
    }
    [[nodiscard]] bool isEqual(std::int64_t before, std::int64_t after) const
    {
        return m_commonBefore.keys[static_cast<std::size_t>(before)] == m_commonAfter.keys[static_cast<std::size_t>(after)];
    }

    bool stepForward(Search &search, const SequenceGap &gap, MatchedPair &split)
    {
        if (search.forwardLow > search.low)
            forward(--search.forwardLow - 1) = -1;
        else
            ++search.forwardLow;
        if (search.forwardHigh < search.high)
            forward(++search.forwardHigh + 1) = -1;
        else
            --search.forwardHigh;
        for (std::int64_t d = search.forwardHigh; d >= search.forwardLow; d -= 2) {
            std::int64_t x = std::max(forward(d - 1) + 1, forward(d + 1));
            std::int64_t y = x - d;
            for (; x < gap.endBefore && y < gap.endAfter && isEqual(x, y); ++x, ++y) {}
            forward(d) = x;
            if (search.isOdd && d >= search.backwardLow && d <= search.backwardHigh && backward(d) <= x) {
                split = place(x, y);
                return true;
            }
        }
        return false;
    }

    bool stepBackward(Search &search, const SequenceGap &gap, MatchedPair &split)
    {
        constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max() / 2;
        if (search.backwardLow > search.low)
            backward(--search.backwardLow - 1) = kFar;
        else
            ++search.backwardLow;
        if (search.backwardHigh < search.high)
            backward(++search.backwardHigh + 1) = kFar;
        else
            --search.backwardHigh;
        for (std::int64_t d = search.backwardHigh; d >= search.backwardLow; d -= 2) {
            std::int64_t x = std::min(backward(d - 1), backward(d + 1) - 1);
            std::int64_t y = x - d;
            for (; x > gap.before && y > gap.after && isEqual(x - 1, y - 1); --x, --y) {}
            backward(d) = x;
            if (!search.isOdd && d >= search.forwardLow && d <= search.forwardHigh && x <= forward(d)) {
                split = place(x, y);
                return true;
            }
        }
        return false;
    }

    // Where the search came furthest, from the end that came further.
    MatchedPair furthest(const Search &search, const SequenceGap &gap)
    {
        std::int64_t bestForward = -1;
        MatchedPair fromFront;
        for (std::int64_t d = search.forwardHigh; d >= search.forwardLow; d -= 2) {
            const std::int64_t x = std::min({forward(d), std::int64_t{gap.endBefore}, gap.endAfter + d});
            if (2 * x - d > bestForward) {
                bestForward = 2 * x - d;
                fromFront = place(x, x - d);
            }
        }
        std::int64_t bestBackward = std::numeric_limits<std::int64_t>::max();
        MatchedPair fromBack;
        for (std::int64_t d = search.backwardHigh; d >= search.backwardLow; d -= 2) {
            const std::int64_t x = std::max({backward(d), std::int64_t{gap.before}, gap.after + d});
            if (2 * x - d < bestBackward) {
                bestBackward = 2 * x - d;
                fromBack = place(x, x - d);
            }
        }
        const std::int64_t begin = std::int64_t{gap.before} + gap.after;
        const std::int64_t end = std::int64_t{gap.endBefore} + gap.endAfter;
        return end - bestBackward < bestForward - begin ? fromFront : fromBack;
    }

    std::span<const std::uint64_t> m_before;
    std::span<const std::uint64_t> m_after;
    std::vector<MatchedPair> &m_pairs;
    CommonKeys m_commonBefore; // made when they are needed first
    CommonKeys m_commonAfter;
    std::vector<std::int64_t> m_forward;
    std::vector<std::int64_t> m_backward;
    std::int64_t m_offset = 0; // of the diagonal 0 in both
};

} // namespace

std::vector<MatchedPair> matchSequences(std::span<const std::uint64_t> before, std::span<const std::uint64_t> after)
{
    std::vector<MatchedPair> pairs;
    pairs.reserve(std::min(before.size(), after.size()));
    Matcher(before, after, pairs).match();
    return pairs;
}

} // namespace sw
