#include "engine/api/changed_lines.h"

#include "engine/api/compare/text_difference.h"

namespace sw {

namespace {

std::vector<std::string_view> linesOf(std::string_view text)
{
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

} // namespace

std::vector<ChangedLine> changedLines(std::string_view before, std::string_view after)
{
    const std::vector<std::string_view> from = linesOf(before);
    const std::vector<std::string_view> to = linesOf(after);
    std::vector<ChangedLine> changed;
    for (const RowPair &row : differenceOf(from, to, StageKind::Code).rows) {
        if (!isDifference(row.kind))
            continue;
        if (row.before != kNoIndex)
            changed.push_back({false, std::string(from[row.before])});
        if (row.after != kNoIndex)
            changed.push_back({true, std::string(to[row.after])});
    }
    return changed;
}

} // namespace sw
