#include "engine/api/compare/changed_words.h"

#include <algorithm>
#include <cstdint>

namespace sw {

namespace {

// Longer lines are compared from both ends only.
constexpr std::size_t kMostWordPairs = 40'000;

struct Line {
    std::string_view text;
    const std::vector<LineWord> &words; // without blanks, but for the indentation
};

void read(std::vector<LineWord> &words, std::string_view text, StageKind stage)
{
    splitLine(text, stage, words);
    std::erase_if(words, [](const LineWord &word) { return word.kind == WordKind::Space && word.span.begin > 0; });
}

// word: a part of the line.
bool isMarked(const std::vector<LineWord> &words, std::string_view line, std::string_view word)
{
    const auto at = static_cast<std::uint32_t>(word.data() - line.data());
    return std::ranges::find(words, at, [](const LineWord &one) { return one.span.begin; })->isMarked;
}

std::uint64_t nameOf(const Line &line, const LineWord &word)
{
    return hashOfWord(word.in(line.text)) * 31 + word.stem;
}

bool isCounting(const LineWord &word)
{
    return word.kind == WordKind::Counted || word.kind == WordKind::Place;
}

// Equal but for counted names and places.
bool saysTheSame(const Line &a, const LineWord &of, const Line &b, const LineWord &to)
{
    if (of.kind != to.kind)
        return false;
    return isCounting(of) ? of.stem == to.stem : of.in(a.text) == to.in(b.text);
}

class Comparer {
public:
    Comparer(Line before, Line after, NameBindings &names) : m_before(before), m_after(after), m_names(names) {}

    ChangedWords compare()
    {
        if (!comparePlaceByPlace())
            compareByContent();
        defineBoth();
        if (m_changed.before.empty() && m_changed.after.empty()) { // nothing but names that shifted
            m_changed.before = std::move(m_shiftedBefore);
            m_changed.after = std::move(m_shiftedAfter);
        }
        return std::move(m_changed);
    }

private:
    // Whether the lines have the same words but for names that may be others.
    bool comparePlaceByPlace()
    {
        if (m_before.words.size() != m_after.words.size())
            return false;
        for (std::size_t i = 0; i < m_before.words.size(); ++i) {
            const LineWord &of = m_before.words[i];
            const LineWord &to = m_after.words[i];
            if (saysTheSame(m_before, of, m_after, to))
                continue;
            if (of.kind != WordKind::Word || to.kind != WordKind::Word)
                return false;
        }
        m_changed.isSubstitution = true;
        for (std::size_t i = 0; i < m_before.words.size(); ++i)
            comparePair(m_before.words[i], m_after.words[i]);
        return true;
    }

    void comparePair(const LineWord &of, const LineWord &to)
    {
        const bool isAgreed = areAgreed(of, to);
        const std::string_view from = of.in(m_before.text);
        const std::string_view into = to.in(m_after.text);
        if (isAgreed && from == into)
            return;
        if (!isAgreed)
            m_changed.isSubstitution = false;
        if (of.kind == WordKind::Word)
            m_changed.substitutions.push_back({from, into, false});
        if (isAgreed && isCounting(of)) {
            add(m_shiftedBefore, m_before.text, of.span);
            add(m_shiftedAfter, m_after.text, to.span);
            return;
        }
        add(m_changed.before, m_before.text, of.span);
        add(m_changed.after, m_after.text, to.span);
    }

    bool areAgreed(const LineWord &of, const LineWord &to)
    {
        if (of.kind != WordKind::Counted || (of.isDefined && to.isDefined))
            return true;
        return of.isDefined == to.isDefined && m_names.agree(nameOf(m_before, of), nameOf(m_after, to));
    }

    // The longest common sequence of words; what is not in it changed.
    void compareByContent()
    {
        const std::vector<LineWord> &before = m_before.words;
        const std::vector<LineWord> &after = m_after.words;
        std::size_t front = 0;
        while (front < before.size() && front < after.size() && saysTheSame(m_before, before[front], m_after, after[front]))
            keep(front, front), ++front;
        std::size_t back = 0;
        while (back + front < before.size() && back + front < after.size() &&
               saysTheSame(m_before, before[before.size() - back - 1], m_after, after[after.size() - back - 1]))
            ++back;
        compareMiddle(front, before.size() - back, after.size() - back);
        for (std::size_t i = back; i > 0; --i)
            keep(before.size() - i, after.size() - i);
    }

    void compareMiddle(std::size_t front, std::size_t endBefore, std::size_t endAfter)
    {
        const std::size_t rows = endBefore - front;
        const std::size_t columns = endAfter - front;
        std::size_t i = 0;
        std::size_t k = 0;
        if (rows * columns <= kMostWordPairs) {
            std::vector<std::uint16_t> best((rows + 1) * (columns + 1), 0);
            for (std::size_t r = rows; r-- > 0;)
                for (std::size_t c = columns; c-- > 0;)
                    best[r * (columns + 1) + c] =
                        saysTheSame(m_before, m_before.words[front + r], m_after, m_after.words[front + c])
                            ? static_cast<std::uint16_t>(best[(r + 1) * (columns + 1) + c + 1] + 1)
                            : std::max(best[(r + 1) * (columns + 1) + c], best[r * (columns + 1) + c + 1]);
            while (i < rows && k < columns) {
                if (saysTheSame(m_before, m_before.words[front + i], m_after, m_after.words[front + k]))
                    keep(front + i++, front + k++);
                else if (best[(i + 1) * (columns + 1) + k] >= best[i * (columns + 1) + k + 1])
                    add(m_changed.before, m_before.text, m_before.words[front + i++].span);
                else
                    add(m_changed.after, m_after.text, m_after.words[front + k++].span);
            }
        }
        for (; i < rows; ++i)
            add(m_changed.before, m_before.text, m_before.words[front + i].span);
        for (; k < columns; ++k)
            add(m_changed.after, m_after.text, m_after.words[front + k].span);
    }

    void keep(std::size_t before, std::size_t after)
    {
        const LineWord &of = m_before.words[before];
        const LineWord &to = m_after.words[after];
        if (areAgreed(of, to))
            return;
        add(m_changed.before, m_before.text, of.span);
        add(m_changed.after, m_after.text, to.span);
    }

    // Joins spans with nothing but blanks between them.
    static void add(std::vector<TextSpan> &spans, std::string_view text, TextSpan span)
    {
        if (!spans.empty()) {
            const std::string_view between = text.substr(spans.back().end, span.begin - spans.back().end);
            if (between.find_first_not_of(" \t") == std::string_view::npos) {
                spans.back().end = span.end;
                return;
            }
        }
        spans.push_back(span);
    }

    void defineBoth()
    {
        const auto isDefined = [](const LineWord &word) { return word.isDefined; };
        const auto of = std::ranges::find_if(m_before.words, isDefined);
        const auto to = std::ranges::find_if(m_after.words, isDefined);
        const bool hasBefore = of != m_before.words.end();
        const bool hasAfter = to != m_after.words.end();
        if (hasBefore && hasAfter)
            m_names.define(nameOf(m_before, *of), nameOf(m_after, *to));
        else if (hasBefore)
            m_names.defineBefore(nameOf(m_before, *of));
        else if (hasAfter)
            m_names.defineAfter(nameOf(m_after, *to));
    }

    Line m_before;
    Line m_after;
    NameBindings &m_names;
    ChangedWords m_changed;
    std::vector<TextSpan> m_shiftedBefore;
    std::vector<TextSpan> m_shiftedAfter;
};

} // namespace

ChangedWords LineComparer::compare(std::string_view before, std::string_view after)
{
    if (beginsNames(before, m_stage))
        m_names.clear();
    read(m_before, before, m_stage);
    if (before == after)
        m_after = m_before;
    else
        read(m_after, after, m_stage);
    ChangedWords changed = Comparer({before, m_before}, {after, m_after}, m_names).compare();
    if (changed.substitutions.empty())
        return changed;
    markNames(before, m_stage, m_before);
    markNames(after, m_stage, m_after);
    for (Substitution &one : changed.substitutions)
        one.isMarked = isMarked(m_before, before, one.from) && isMarked(m_after, after, one.to);
    return changed;
}

void LineComparer::define(std::string_view before, std::string_view after)
{
    read(m_before, before, m_stage);
    read(m_after, after, m_stage);
    for (std::size_t i = 0; i < m_before.size() && i < m_after.size(); ++i)
        if (m_before[i].isDefined && m_after[i].isDefined)
            m_names.define(nameOf({before, m_before}, m_before[i]), nameOf({after, m_after}, m_after[i]));
}

void LineComparer::defineBefore(std::string_view line)
{
    read(m_before, line, m_stage);
    for (const LineWord &word : m_before)
        if (word.isDefined)
            m_names.defineBefore(nameOf({line, m_before}, word));
}

void LineComparer::defineAfter(std::string_view line)
{
    read(m_after, line, m_stage);
    for (const LineWord &word : m_after)
        if (word.isDefined)
            m_names.defineAfter(nameOf({line, m_after}, word));
}

} // namespace sw
