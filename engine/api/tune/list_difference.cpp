#include "engine/api/tune/list_difference.h"

#include <algorithm>

namespace sw {

namespace {

std::vector<std::string> linesOf(const TransformList &list)
{
    std::vector<std::string> lines;
    for (const Transform &transform : list)
        lines.push_back(toText(transform));
    return lines;
}

} // namespace

std::vector<ListLine> listDifference(const TransformList &before, const TransformList &after)
{
    const std::vector<std::string> from = linesOf(before);
    const std::vector<std::string> to = linesOf(after);
    // The longest common subsequence of the ends that begin at i and j.
    std::vector<std::vector<std::size_t>> common(from.size() + 1, std::vector<std::size_t>(to.size() + 1));
    for (std::size_t i = from.size(); i-- > 0;)
        for (std::size_t j = to.size(); j-- > 0;)
            common[i][j] = from[i] == to[j] ? 1 + common[i + 1][j + 1] : std::max(common[i + 1][j], common[i][j + 1]);
    std::vector<ListLine> lines;
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < from.size() || j < to.size()) {
        if (i < from.size() && j < to.size() && from[i] == to[j]) {
            lines.push_back({ListLineKind::Same, from[i]});
            ++i;
            ++j;
        } else if (i < from.size() && (j == to.size() || common[i + 1][j] >= common[i][j + 1])) {
            lines.push_back({ListLineKind::Removed, from[i++]});
        } else {
            lines.push_back({ListLineKind::Added, to[j++]});
        }
    }
    return lines;
}

} // namespace sw
