#include "engine/api/compare/text_difference.h"

#include "engine/api/compare/changed_words.h"
#include "engine/api/compare/line_pairs.h"
#include "engine/base/assert.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace sw {

namespace {

// A row that is a renaming if all of its substitutions are.
struct Candidate {
    std::size_t row = 0;
    std::vector<Substitution> substitutions;
};

class RowMaker {
public:
    explicit RowMaker(const CompareTexts &texts) : m_texts(texts), m_pairs(pairLines(texts)), m_comparer(texts.stage) {}

    TextDifference make()
    {
        std::uint32_t after = 0;
        const auto endAfter = static_cast<std::uint32_t>(m_texts.after.size());
        for (std::uint32_t before = 0; before < m_texts.before.size(); ++before) {
            if (!m_pairs.isStaying(before)) {
                leaving(before);
                continue;
            }
            for (; after < m_pairs.before[before]; ++after)
                coming(after);
            staying(before, after++);
        }
        for (; after < endAfter; ++after)
            coming(after);
        findRenames();
        for (const RowPair &row : m_made.rows)
            if (row.kind != RowKind::Moved || row.before != kNoIndex)
                ++m_made.counts[static_cast<std::size_t>(row.kind)];
        return std::move(m_made);
    }

private:
    // A line of the first text that does not stay where it is.
    void leaving(std::uint32_t before)
    {
        const std::uint32_t other = m_pairs.before[before];
        if (other != kNoIndex)
            m_comparer.define(m_texts.before[before], m_texts.after[other]);
        else
            m_comparer.defineBefore(m_texts.before[before]);
        m_made.rows.push_back({other == kNoIndex ? RowKind::Removed : RowKind::Moved, before, kNoIndex, other, 0, 0, 0});
    }

    void coming(std::uint32_t after)
    {
        const std::uint32_t other = m_pairs.after[after];
        if (other != kNoIndex)
            m_comparer.define(m_texts.before[other], m_texts.after[after]);
        else
            m_comparer.defineAfter(m_texts.after[after]);
        m_made.rows.push_back({other == kNoIndex ? RowKind::Added : RowKind::Moved, kNoIndex, after, other, 0, 0, 0});
    }

    void staying(std::uint32_t before, std::uint32_t after)
    {
        const std::string_view from = m_texts.before[before];
        const std::string_view to = m_texts.after[after];
        ChangedWords changed = m_comparer.compare(from, to);
        RowPair row{RowKind::Same, before, after, kNoIndex, 0, 0, 0};
        if (!changed.isSubstitution)
            row.kind = RowKind::Changed;
        else if (!changed.substitutions.empty())
            row.kind = RowKind::Changed; // unless these turn out to be renamed
        else if (from != to)
            row.kind = RowKind::Shifted;
        if (changed.isSubstitution && !changed.substitutions.empty())
            m_candidates.push_back({m_made.rows.size(), std::move(changed.substitutions)});
        row.firstSpan = static_cast<std::uint32_t>(m_made.spans.size());
        row.beforeSpans = add(changed.before);
        row.afterSpans = add(changed.after);
        m_made.rows.push_back(row);
    }

    std::uint16_t add(const std::vector<TextSpan> &spans)
    {
        const std::size_t number = std::min<std::size_t>(spans.size(), std::numeric_limits<std::uint16_t>::max());
        m_made.spans.insert(m_made.spans.end(), spans.begin(), spans.begin() + static_cast<std::ptrdiff_t>(number));
        return static_cast<std::uint16_t>(number);
    }

    // A name is renamed when it always became the same other name, and neither stands in the text that has the other.
    void findRenames()
    {
        if (m_candidates.empty())
            return;
        std::map<std::string_view, std::set<std::string_view>> to;
        std::map<std::string_view, std::set<std::string_view>> from;
        std::set<std::string_view> marked;
        for (const Candidate &candidate : m_candidates)
            for (const Substitution &one : candidate.substitutions) {
                to[one.from].insert(one.to);
                from[one.to].insert(one.from);
                if (one.isMarked)
                    marked.insert(one.from);
            }
        std::set<std::string_view> gone;
        std::set<std::string_view> made;
        for (const auto &[name, others] : to)
            if (others.size() == 1 && from[*others.begin()].size() == 1 && marked.contains(name)) {
                gone.insert(name);
                made.insert(*others.begin());
            }
        if (gone.empty())
            return;
        leaveOut(gone, m_texts.after);
        leaveOut(made, m_texts.before);
        const auto isRenamed = [&](const Substitution &one) { return gone.contains(one.from) && made.contains(one.to); };
        for (const Candidate &candidate : m_candidates)
            if (std::ranges::all_of(candidate.substitutions, isRenamed))
                m_made.rows[candidate.row].kind = RowKind::Renamed;
        for (const std::string_view name : gone)
            if (made.contains(*to[name].begin()))
                m_made.renamed.emplace_back(name, *to[name].begin());
    }

    // Removes the names that are words of the lines.
    void leaveOut(std::set<std::string_view> &names, std::span<const std::string_view> lines) const
    {
        std::vector<LineWord> words;
        for (const std::string_view line : lines) {
            splitLine(line, m_texts.stage, words);
            for (const LineWord &word : words)
                if (word.kind == WordKind::Word)
                    names.erase(word.in(line));
            if (names.empty())
                return;
        }
    }

    const CompareTexts &m_texts;
    LinePairs m_pairs;
    LineComparer m_comparer;
    TextDifference m_made;
    std::vector<Candidate> m_candidates;
};

// Equal texts need no look at their words.
TextDifference noDifference(std::size_t lines)
{
    TextDifference made;
    made.rows.reserve(lines);
    for (std::uint32_t i = 0; i < lines; ++i)
        made.rows.push_back({RowKind::Same, i, i, kNoIndex, 0, 0, 0});
    made.counts[static_cast<std::size_t>(RowKind::Same)] = static_cast<std::uint32_t>(lines);
    return made;
}

std::vector<std::string_view> linesOf(const StageDocument &document)
{
    std::vector<std::string_view> lines;
    lines.reserve(document.lines.size());
    for (const DocumentLine &line : document.lines)
        lines.emplace_back(line.text);
    return lines;
}

std::vector<std::string_view> linesOf(std::string_view text)
{
    std::vector<std::string_view> lines;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        lines.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return lines;
}

} // namespace

std::string_view nameOf(RowKind kind)
{
    switch (kind) {
    case RowKind::Same:
        return "same";
    case RowKind::Shifted:
        return "shifted";
    case RowKind::Renamed:
        return "renamed";
    case RowKind::Moved:
        return "moved";
    case RowKind::Changed:
        return "changed";
    case RowKind::Removed:
        return "removed";
    case RowKind::Added:
        return "added";
    }
    SW_UNREACHABLE();
}

bool TextDifference::isDifferent() const
{
    return std::ranges::any_of(rows, [](const RowPair &row) { return isDifference(row.kind); });
}

std::span<const TextSpan> TextDifference::before(const RowPair &row) const
{
    return std::span(spans).subspan(row.firstSpan, row.beforeSpans);
}

std::span<const TextSpan> TextDifference::after(const RowPair &row) const
{
    return std::span(spans).subspan(row.firstSpan + row.beforeSpans, row.afterSpans);
}

TextDifference differenceOf(std::span<const std::string_view> before, std::span<const std::string_view> after, StageKind stage)
{
    if (std::ranges::equal(before, after))
        return noDifference(before.size());
    return RowMaker({before, after, stage}).make();
}

TextDifference differenceOf(const StageDocument &before, const StageDocument &after)
{
    return differenceOf(linesOf(before), linesOf(after), after.kind);
}

TextDifference differenceOfTexts(std::string_view before, std::string_view after, StageKind stage)
{
    return differenceOf(linesOf(before), linesOf(after), stage);
}

} // namespace sw
