#include "engine/api/describe_common.h"

namespace sw {

std::vector<std::uint32_t> sourcesOf(const Origin &origin)
{
    std::vector<std::uint32_t> sources;
    sources.reserve(origin.sources().size());
    for (const SourceId source : origin.sources())
        sources.push_back(source.value);
    return sources;
}

void addPlaceFields(DocumentItem &item, const SourceMap &sources, const Origin &origin)
{
    const auto textOf = [](const SourceRange &where) { return format("{}:{}:{}", where.file, where.line, where.column); };
    const SourceItem &source = sources.item(origin.sources().front());
    if (!source.range.isKnown())
        return;
    item.fields.push_back({"place", textOf(source.range)});
    if (source.file != SourceMap::programFile())
        item.fields.push_back({"called from", textOf(sources.programRange(origin))});
}

std::uint32_t indexOf(KernelId kernel)
{
    return kernel.isValid() ? kernel.value : kNoIndex;
}

std::vector<ItemIndex> firstInstructionItems(const LoweredProgram &program)
{
    std::vector<ItemIndex> firsts;
    std::size_t next = 0;
    for (std::size_t kernel = 0; kernel < program.kernels.size(); ++kernel) {
        firsts.push_back(static_cast<ItemIndex>(next));
        next += program.kernels.bodyOf(kernel).instructions.size(); // without writing the kernel out
    }
    return firsts;
}

namespace {

std::string_view familyTag(NodeFamily family)
{
    switch (family) {
    case NodeFamily::Leaf:
        return "leaf";
    case NodeFamily::Elementwise:
        return "elementwise";
    case NodeFamily::Movement:
        return "view";
    case NodeFamily::Reduce:
        return "reduce";
    case NodeFamily::Structural:
        return "structural";
    case NodeFamily::Indexing:
        return "indexing";
    case NodeFamily::Composite:
        return "composite";
    case NodeFamily::Marker:
        return "marker";
    case NodeFamily::Root:
        return "sink";
    }
    SW_UNREACHABLE();
}

} // namespace

std::string_view languageName(TargetLanguage language)
{
    switch (language) {
    case TargetLanguage::C:
        return "C";
    case TargetLanguage::OpenCl:
        return "OpenCL C";
    case TargetLanguage::Llvm:
        return "LLVM IR";
    case TargetLanguage::Lowered:
        return "Lowered text";
    }
    SW_UNREACHABLE();
}

std::vector<std::string> tagsOf(const Node &node)
{
    std::vector<std::string> tags{std::string(familyTag(familyOf(node.kind)))};
    tags.emplace_back(nameOf(node.kind));
    if (const auto *placeholder = std::get_if<PlaceholderAttributes>(&node.attributes))
        tags.emplace_back(nameOf(placeholder->role));
    if (isLiteral(node) || node.kind == NodeKind::Vconst)
        tags.emplace_back("constant");
    if (familyOf(node.kind) == NodeFamily::Elementwise && node.kind != NodeKind::Cast && node.kind != NodeKind::Bitcast &&
        has(infoOf(node.op).traits, Trait::Transcendental))
        tags.emplace_back("transcendental");
    return tags;
}

void addLines(StageDocument &document, std::string_view text,
              const std::function<ItemIndex(std::size_t, std::string_view)> &itemOf)
{
    for (std::size_t number = 0; !text.empty(); ++number) {
        const std::size_t end = text.find('\n');
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        const ItemIndex item = itemOf(number, line);
        document.lines.push_back({std::string(line), item, {}});
        if (item == kNoIndex || document.items.at(item).place.line != 0)
            continue;
        const auto at = static_cast<std::uint32_t>(document.lines.size());
        document.items[item].place = {at, 1, at, static_cast<std::uint32_t>(line.size()) + 1};
    }
}

} // namespace sw
