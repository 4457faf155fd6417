#include "engine/api/describe.h"
#include "engine/api/describe_common.h"

#include <algorithm>

namespace sw {

namespace {

// By item: all sources that were made while it was evaluated, itself included.
std::vector<std::vector<std::uint32_t>> sourcesByItem(const SourceMap &sources)
{
    std::vector<std::vector<std::uint32_t>> all(sources.items().size());
    for (std::uint32_t i = 0; i < all.size(); ++i)
        for (SourceId at(i); at.isValid(); at = sources.item(at).caller)
            all[at.value].push_back(i);
    return all;
}

bool isLonger(const DocumentPlace &a, const DocumentPlace &b)
{
    const auto lines = [](const DocumentPlace &place) { return place.endLine - place.line; };
    return lines(a) != lines(b) ? lines(a) > lines(b) : a.endColumn - a.column > b.endColumn - b.column;
}

// Each line belongs to the longest expression that begins on it, else to one that reaches into it.
void assignLines(StageDocument &document)
{
    const auto claim = [&](std::uint32_t line, ItemIndex item) {
        if (line == 0 || line > document.lines.size())
            return;
        ItemIndex &owner = document.lines[line - 1].item;
        if (owner == kNoIndex || isLonger(document.items[item].place, document.items[owner].place))
            owner = item;
    };
    for (ItemIndex i = 0; i < document.items.size(); ++i)
        claim(document.items[i].place.line, i);
    for (ItemIndex i = 0; i < document.items.size(); ++i) {
        const DocumentPlace &place = document.items[i].place;
        const auto last = std::min<std::uint32_t>(place.endLine, static_cast<std::uint32_t>(document.lines.size()));
        for (std::uint32_t line = place.line + 1; line <= last; ++line)
            if (document.lines[line - 1].item == kNoIndex)
                document.lines[line - 1].item = i;
    }
}

} // namespace

StageDocumentPtr describeProgram(const SourceMap &sources)
{
    StageDocument document;
    document.kind = StageKind::Program;
    document.title = "Program";
    if (sources.files().empty())
        return std::make_shared<const StageDocument>(std::move(document));
    const std::vector<std::vector<std::uint32_t>> contents = sourcesByItem(sources);
    for (std::uint32_t i = 0; i < sources.items().size(); ++i) {
        const SourceItem &source = sources.item(SourceId(i));
        if (source.file != SourceMap::programFile())
            continue;
        DocumentItem item;
        item.label = source.label;
        item.sources = contents[i];
        item.place = {source.range.line, source.range.column, source.range.endLine, source.range.endColumn};
        if (const std::string path = sources.scopePath(source.scope); !path.empty())
            item.fields.push_back({"scope", path});
        document.items.push_back(std::move(item));
    }
    const SourceFile &file = sources.file(SourceMap::programFile());
    document.title = file.name;
    for (std::string_view rest = file.text; !rest.empty();) {
        const std::size_t end = rest.find('\n');
        document.lines.push_back({std::string(rest.substr(0, end)), kNoIndex, {}});
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    assignLines(document);
    return std::make_shared<const StageDocument>(std::move(document));
}

} // namespace sw
