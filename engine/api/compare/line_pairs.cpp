#include "engine/api/compare/line_pairs.h"

#include "engine/api/compare/sequence_match.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace sw {

namespace {

// Letters and digits that lines must have to count as moved: braces and empty lines are everywhere (git's color-moved takes 20).
constexpr std::uint32_t kLeastMoved = 20;
// How alike two lines must be to be one line that changed.
constexpr double kLeastAlike = 0.5;
// Blocks of removed and added lines are compared line by line up to this many pairs in all.
constexpr std::uint64_t kMostCompared = 60'000;
constexpr std::uint64_t kMostComparedInBlock = 10'000;

std::vector<std::uint64_t> canonicalHashes(std::span<const std::string_view> lines, StageKind stage)
{
    std::vector<std::uint64_t> hashes;
    hashes.reserve(lines.size());
    std::vector<LineWord> words;
    for (const std::string_view line : lines) {
        splitLine(line, stage, words);
        hashes.push_back(canonicalHash(line, words));
    }
    return hashes;
}

// Of some of the lines.
std::vector<std::uint64_t> skeletonHashes(std::span<const std::string_view> lines, const std::vector<std::uint32_t> &wanted,
                                          StageKind stage)
{
    std::vector<std::uint64_t> hashes;
    std::vector<LineWord> words;
    for (const std::uint32_t line : wanted) {
        splitLine(lines[line], stage, words);
        markNames(lines[line], stage, words);
        hashes.push_back(skeletonHash(lines[line], words));
    }
    return hashes;
}

std::uint32_t weightOf(std::string_view line)
{
    return static_cast<std::uint32_t>(std::ranges::count_if(
        line, [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }));
}

// What a line says, as a sorted set of words.
std::vector<std::uint64_t> contentOf(std::string_view line, StageKind stage)
{
    std::vector<LineWord> words;
    splitLine(line, stage, words);
    std::vector<std::uint64_t> content;
    for (const LineWord &word : words)
        if (word.kind == WordKind::Counted)
            content.push_back(word.stem);
        else if (word.kind == WordKind::Word || word.kind == WordKind::Number)
            content.push_back(hashOfWord(word.in(line)));
    std::ranges::sort(content);
    return content;
}

// The share of the words that two lines have in common, from 0 to 1.
double likeness(const std::vector<std::uint64_t> &a, const std::vector<std::uint64_t> &b)
{
    std::size_t common = 0;
    for (std::size_t i = 0, k = 0; i < a.size() && k < b.size();) {
        if (a[i] == b[k])
            ++common;
        const bool isBehind = a[i] <= b[k];
        k += a[i] >= b[k] ? 1 : 0;
        i += isBehind ? 1 : 0;
    }
    return a.empty() && b.empty() ? 0 : 2.0 * static_cast<double>(common) / static_cast<double>(a.size() + b.size());
}

class Pairing {
public:
    explicit Pairing(const CompareTexts &texts)
        : m_texts(texts), m_before(canonicalHashes(texts.before, texts.stage)), m_after(canonicalHashes(texts.after, texts.stage))
    {
        m_pairs.before.assign(texts.before.size(), kNoIndex);
        m_pairs.after.assign(texts.after.size(), kNoIndex);
        m_pairs.isMoved.assign(texts.before.size(), false);
    }

    LinePairs pair()
    {
        for (const MatchedPair &pair : matchSequences(m_before, m_after))
            join(pair.before, pair.after);
        findMoved();
        for (const SequenceGap &gap : gaps())
            pairBySkeleton(gap);
        for (const SequenceGap &gap : gaps())
            pairByLikeness(gap);
        return std::move(m_pairs);
    }

private:
    void join(std::uint32_t before, std::uint32_t after)
    {
        m_pairs.before[before] = after;
        m_pairs.after[after] = before;
    }

    // What lies between lines that stay.
    [[nodiscard]] std::vector<SequenceGap> gaps() const
    {
        std::vector<SequenceGap> found;
        SequenceGap gap;
        const auto beforeEnd = static_cast<std::uint32_t>(m_texts.before.size());
        const auto afterEnd = static_cast<std::uint32_t>(m_texts.after.size());
        for (std::uint32_t i = 0; i <= beforeEnd; ++i) {
            if (i < beforeEnd && !m_pairs.isStaying(i))
                continue;
            gap.endBefore = i;
            gap.endAfter = i < beforeEnd ? m_pairs.before[i] : afterEnd;
            if (gap.before < gap.endBefore && gap.after < gap.endAfter)
                found.push_back(gap);
            if (i < beforeEnd)
                gap = {i + 1, 0, m_pairs.before[i] + 1, 0};
        }
        return found;
    }

    // Blocks of lines that are gone here and stand there: each begins with a line that occurs once on either side.
    void findMoved()
    {
        std::unordered_map<std::uint64_t, std::pair<std::uint32_t, std::uint32_t>> waiting; // added lines: how many, which
        for (std::uint32_t i = 0; i < m_texts.after.size(); ++i)
            if (m_pairs.after[i] == kNoIndex) {
                auto &[number, line] = waiting[m_after[i]];
                ++number;
                line = i;
            }
        if (waiting.empty())
            return;
        std::unordered_map<std::uint64_t, std::uint32_t> leaving;
        for (std::uint32_t i = 0; i < m_texts.before.size(); ++i)
            if (m_pairs.before[i] == kNoIndex)
                ++leaving[m_before[i]];
        for (std::uint32_t i = 0; i < m_texts.before.size(); ++i) {
            if (m_pairs.before[i] != kNoIndex || leaving[m_before[i]] != 1)
                continue;
            const auto found = waiting.find(m_before[i]);
            if (found != waiting.end() && found->second.first == 1 && m_pairs.after[found->second.second] == kNoIndex)
                moveBlock(i, found->second.second);
        }
    }

    [[nodiscard]] bool canMove(std::uint32_t before, std::uint32_t after) const
    {
        return m_pairs.before[before] == kNoIndex && m_pairs.after[after] == kNoIndex && m_before[before] == m_after[after];
    }

    void moveBlock(std::uint32_t before, std::uint32_t after)
    {
        std::uint32_t back = 0;
        while (back < before && back < after && canMove(before - back - 1, after - back - 1))
            ++back;
        std::uint32_t length = back;
        while (before - back + length < m_texts.before.size() && after - back + length < m_texts.after.size() &&
               canMove(before - back + length, after - back + length))
            ++length;
        std::uint32_t weight = 0;
        for (std::uint32_t i = 0; i < length; ++i)
            weight += weightOf(m_texts.before[before - back + i]);
        if (weight < kLeastMoved)
            return;
        for (std::uint32_t i = 0; i < length; ++i) {
            join(before - back + i, after - back + i);
            m_pairs.isMoved[before - back + i] = true;
        }
    }

    // The lines of a gap that have no partner, in order.
    struct Unpaired {
        std::vector<std::uint32_t> before;
        std::vector<std::uint32_t> after;
    };
    [[nodiscard]] Unpaired unpairedIn(const SequenceGap &gap) const
    {
        Unpaired made;
        for (std::uint32_t i = gap.before; i < gap.endBefore; ++i)
            if (m_pairs.before[i] == kNoIndex)
                made.before.push_back(i);
        for (std::uint32_t i = gap.after; i < gap.endAfter; ++i)
            if (m_pairs.after[i] == kNoIndex)
                made.after.push_back(i);
        return made;
    }

    // Lines that are equal but for names and numbers.
    void pairBySkeleton(const SequenceGap &gap)
    {
        const Unpaired unpaired = unpairedIn(gap);
        if (unpaired.before.empty() || unpaired.after.empty())
            return;
        const std::vector<std::uint64_t> before = skeletonHashes(m_texts.before, unpaired.before, m_texts.stage);
        const std::vector<std::uint64_t> after = skeletonHashes(m_texts.after, unpaired.after, m_texts.stage);
        for (const MatchedPair &pair : matchSequences(before, after))
            if (weightOf(m_texts.before[unpaired.before[pair.before]]) > 0)
                join(unpaired.before[pair.before], unpaired.after[pair.after]);
    }

    // The pairs, in order, that are most alike in all.
    void pairByLikeness(const SequenceGap &gap)
    {
        const Unpaired unpaired = unpairedIn(gap);
        const std::uint64_t work = std::uint64_t{unpaired.before.size()} * unpaired.after.size();
        if (work == 0 || work > kMostComparedInBlock || m_compared + work > kMostCompared)
            return;
        m_compared += work;
        std::vector<std::vector<std::uint64_t>> contents;
        for (const std::uint32_t line : unpaired.after)
            contents.push_back(contentOf(m_texts.after[line], m_texts.stage));
        const std::size_t width = contents.size() + 1;
        std::vector<double> best((unpaired.before.size() + 1) * width, 0);
        std::vector<double> alike(best.size(), 0);
        for (std::size_t i = unpaired.before.size(); i-- > 0;) {
            const std::vector<std::uint64_t> content = contentOf(m_texts.before[unpaired.before[i]], m_texts.stage);
            for (std::size_t k = contents.size(); k-- > 0;) {
                const double share = likeness(content, contents[k]);
                alike[i * width + k] = share >= kLeastAlike ? share : 0;
                best[i * width + k] = std::max(
                    {best[(i + 1) * width + k], best[i * width + k + 1], best[(i + 1) * width + k + 1] + alike[i * width + k]});
            }
        }
        for (std::size_t i = 0, k = 0; i < unpaired.before.size() && k < contents.size();) {
            const double own = best[i * width + k];
            if (alike[i * width + k] > 0 && own == best[(i + 1) * width + k + 1] + alike[i * width + k])
                join(unpaired.before[i++], unpaired.after[k++]);
            else if (own == best[(i + 1) * width + k])
                ++i;
            else
                ++k;
        }
    }

    const CompareTexts &m_texts;
    std::vector<std::uint64_t> m_before; // canonical hashes, by line
    std::vector<std::uint64_t> m_after;
    LinePairs m_pairs;
    std::uint64_t m_compared = 0;
};

} // namespace

LinePairs pairLines(const CompareTexts &texts)
{
    return Pairing(texts).pair();
}

} // namespace sw
