#include "ui/text_view/line_diff.h"

#include <algorithm>
#include <unordered_map>

namespace stepwell::ui {

namespace {

// Beyond this many differences the middle counts as replaced: a full diff would take quadratic time, and nobody reads it.
constexpr int kMostEdits = 1000;

using Lines = std::vector<std::uint32_t>; // texts as numbers: equal lines have equal numbers

class Differ {
public:
    Differ(const Lines &before, const Lines &after) : m_before(before), m_after(after) {}

    // For every line, whether it stays.
    void run()
    {
        m_staysBefore.assign(m_before.size(), false);
        m_staysAfter.assign(m_after.size(), false);
        std::size_t first = 0;
        while (first < m_before.size() && first < m_after.size() && m_before[first] == m_after[first])
            keep(first, first), ++first;
        std::size_t endBefore = m_before.size();
        std::size_t endAfter = m_after.size();
        while (endBefore > first && endAfter > first && m_before[endBefore - 1] == m_after[endAfter - 1])
            keep(--endBefore, --endAfter);
        search(first, static_cast<int>(endBefore - first), static_cast<int>(endAfter - first));
    }

    [[nodiscard]] std::vector<DiffRow> rows() const
    {
        std::vector<DiffRow> rows;
        std::uint32_t b = 0;
        std::uint32_t a = 0;
        while (b < m_before.size() || a < m_after.size()) {
            const bool isRemoved = b < m_before.size() && !m_staysBefore[b];
            const bool isAdded = a < m_after.size() && !m_staysAfter[a];
            DiffRow row;
            row.isSame = !isRemoved && !isAdded;
            if (row.isSame || isRemoved)
                row.before = b++;
            if (row.isSame || isAdded)
                row.after = a++;
            rows.push_back(row);
        }
        return rows;
    }

private:
    void keep(std::size_t before, std::size_t after)
    {
        m_staysBefore[before] = true;
        m_staysAfter[after] = true;
    }

    // Greedy forward search over the edit graph; the furthest points of every step are kept for walking back.
    void search(std::size_t first, int countBefore, int countAfter)
    {
        const int limit = std::min(countBefore + countAfter, kMostEdits);
        std::vector<int> furthest(static_cast<std::size_t>(2 * limit + 2), 0);
        std::vector<std::vector<int>> history;
        const auto at = [limit](int diagonal) { return static_cast<std::size_t>(diagonal + limit); };
        for (int edits = 0; edits <= limit; ++edits) {
            history.push_back(furthest);
            for (int diagonal = -edits; diagonal <= edits; diagonal += 2) {
                const bool isDown =
                    diagonal == -edits || (diagonal != edits && furthest[at(diagonal - 1)] < furthest[at(diagonal + 1)]);
                int x = isDown ? furthest[at(diagonal + 1)] : furthest[at(diagonal - 1)] + 1;
                if (edits == 0)
                    x = 0;
                int y = x - diagonal;
                while (x < countBefore && y < countAfter && isEqual(first, x, y))
                    ++x, ++y;
                furthest[at(diagonal)] = x;
                if (x >= countBefore && y >= countAfter) {
                    walkBack(first, history, edits, diagonal, at);
                    return;
                }
            }
        }
    }

    [[nodiscard]] bool isEqual(std::size_t first, int x, int y) const
    {
        return m_before[first + static_cast<std::size_t>(x)] == m_after[first + static_cast<std::size_t>(y)];
    }

    template <class At>
    void walkBack(std::size_t first, const std::vector<std::vector<int>> &history, int edits, int diagonal, const At &at)
    {
        int x = static_cast<int>(m_before.size());
        // Position of the end: derived from the last step's furthest point, which is the end of the searched middle.
        const std::size_t suffix = static_cast<std::size_t>(std::count(m_staysBefore.begin(), m_staysBefore.end(), true)) - first;
        x -= static_cast<int>(suffix + first);
        int y = x - diagonal;
        for (; edits > 0; --edits) {
            const std::vector<int> &furthest = history[static_cast<std::size_t>(edits)];
            const bool isDown =
                diagonal == -edits || (diagonal != edits && furthest[at(diagonal - 1)] < furthest[at(diagonal + 1)]);
            const int previous = isDown ? diagonal + 1 : diagonal - 1;
            const int fromX = furthest[at(previous)];
            const int afterX = isDown ? fromX : fromX + 1;
            while (x > afterX)
                --x, --y, keep(first + static_cast<std::size_t>(x), first + static_cast<std::size_t>(y));
            x = fromX;
            y = fromX - previous;
            diagonal = previous;
        }
        while (x > 0 && y > 0)
            --x, --y, keep(first + static_cast<std::size_t>(x), first + static_cast<std::size_t>(y));
    }

    const Lines &m_before;
    const Lines &m_after;
    std::vector<bool> m_staysBefore;
    std::vector<bool> m_staysAfter;
};

} // namespace

std::vector<DiffRow> diffLines(const std::vector<std::string> &before, const std::vector<std::string> &after)
{
    std::unordered_map<std::string, std::uint32_t> numbers;
    const auto numbered = [&numbers](const std::vector<std::string> &texts) {
        Lines lines;
        lines.reserve(texts.size());
        for (const std::string &text : texts)
            lines.push_back(numbers.try_emplace(text, static_cast<std::uint32_t>(numbers.size())).first->second);
        return lines;
    };
    const Lines left = numbered(before);
    const Lines right = numbered(after);
    Differ differ(left, right);
    differ.run();
    return differ.rows();
}

} // namespace stepwell::ui
