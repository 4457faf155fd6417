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

std::uint32_t weightOf(std::string_view line)
{
    return static_cast<std::uint32_t>(std::ranges::count_if(
        line, [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }));
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
    const Unpaired &unpairedIn(const SequenceGap &gap)
    {
        m_unpaired.before.clear();
        m_unpaired.after.clear();
        for (std::uint32_t i = gap.before; i < gap.endBefore; ++i)
            if (m_pairs.before[i] == kNoIndex)
                m_unpaired.before.push_back(i);
        for (std::uint32_t i = gap.after; i < gap.endAfter; ++i)
            if (m_pairs.after[i] == kNoIndex)
                m_unpaired.after.push_back(i);
        return m_unpaired;
    }

    std::uint64_t skeletonOf(std::string_view line)
    {
        splitLine(line, m_texts.stage, m_words);
        markNames(line, m_texts.stage, m_words);
        return skeletonHash(line, m_words);
    }

    // Of some of the lines.
    std::vector<std::uint64_t> skeletonsOf(std::span<const std::string_view> lines, const std::vector<std::uint32_t> &wanted)
    {
        std::vector<std::uint64_t> hashes;
        hashes.reserve(wanted.size());
        for (const std::uint32_t line : wanted)
            hashes.push_back(skeletonOf(lines[line]));
        return hashes;
    }

    // What a line says, as a sorted set of words.
    void readContent(std::string_view line, std::vector<std::uint64_t> &content)
    {
        splitLine(line, m_texts.stage, m_words);
        content.clear();
        for (const LineWord &word : m_words)
            if (word.kind == WordKind::Counted)
                content.push_back(word.stem);
            else if (word.kind == WordKind::Word || word.kind == WordKind::Number)
                content.push_back(hashOfWord(word.in(line)));
        std::ranges::sort(content);
    }

    // Lines that are equal but for names and numbers.
    void pairBySkeleton(const SequenceGap &gap)
    {
        const auto &[before, after] = unpairedIn(gap);
        if (before.empty() || after.empty())
            return;
        const auto pair = [this](std::uint32_t from, std::uint32_t to) {
            if (weightOf(m_texts.before[from]) > 0)
                join(from, to);
        };
        if (before.size() == 1 && after.size() == 1) {
            if (skeletonOf(m_texts.before[before[0]]) == skeletonOf(m_texts.after[after[0]]))
                pair(before[0], after[0]);
            return;
        }
        for (const MatchedPair &found : matchSequences(skeletonsOf(m_texts.before, before), skeletonsOf(m_texts.after, after)))
            pair(before[found.before], after[found.after]);
    }

    // The pairs, in order, that are most alike in all.
    void pairByLikeness(const SequenceGap &gap)
    {
        const auto &[before, after] = unpairedIn(gap);
        const std::uint64_t work = std::uint64_t{before.size()} * after.size();
        if (work == 0 || work > kMostComparedInBlock || m_compared + work > kMostCompared)
            return;
        m_compared += work;
        if (m_contents.size() < after.size())
            m_contents.resize(after.size());
        for (std::size_t k = 0; k < after.size(); ++k)
            readContent(m_texts.after[after[k]], m_contents[k]);
        const std::size_t width = after.size() + 1;
        m_best.assign((before.size() + 1) * width, 0);
        m_alike.assign(m_best.size(), 0);
        for (std::size_t i = before.size(); i-- > 0;) {
            readContent(m_texts.before[before[i]], m_content);
            for (std::size_t k = after.size(); k-- > 0;) {
                const double share = likeness(m_content, m_contents[k]);
                m_alike[i * width + k] = share >= kLeastAlike ? share : 0;
                m_best[i * width + k] = std::max({m_best[(i + 1) * width + k], m_best[i * width + k + 1],
                                                  m_best[(i + 1) * width + k + 1] + m_alike[i * width + k]});
            }
        }
        for (std::size_t i = 0, k = 0; i < before.size() && k < after.size();) {
            const double own = m_best[i * width + k];
            if (m_alike[i * width + k] > 0 && own == m_best[(i + 1) * width + k + 1] + m_alike[i * width + k])
                join(before[i++], after[k++]);
            else if (own == m_best[(i + 1) * width + k])
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
    // For one gap after the other.
    Unpaired m_unpaired;
    std::vector<LineWord> m_words;
    std::vector<std::uint64_t> m_content;
    std::vector<std::vector<std::uint64_t>> m_contents;
    std::vector<double> m_best;
    std::vector<double> m_alike;
};

} // namespace

LinePairs pairLines(const CompareTexts &texts)
{
    return Pairing(texts).pair();
}

} // namespace sw
