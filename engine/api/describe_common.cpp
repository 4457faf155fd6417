#include "engine/api/describe_common.h"

#include "engine/base/parallel.h"
#include "engine/lowered/kernel_origin.h"

#include <algorithm>
#include <utility>

namespace sw {

std::vector<std::uint32_t> sourcesOf(const Origin &origin)
{
    std::vector<std::uint32_t> sources;
    sources.reserve(origin.sources().size());
    for (const SourceId source : origin.sources())
        sources.push_back(source.value);
    return sources;
}

bool InstructionSources::Less::operator()(const Origin *a, const Origin *b) const
{
    if (a->isSameAs(*b))
        return false;
    const auto ofA = a->sources();
    const auto ofB = b->sources();
    return ofA.size() != ofB.size() ? ofA.size() < ofB.size() : std::ranges::lexicographical_compare(ofA, ofB);
}

const SharedList<std::uint32_t> &InstructionSources::of(const Origin &origin)
{
    if (m_last != nullptr && *m_last == origin)
        return *m_lastList;
    const auto [found, isNew] = m_lists.try_emplace(&origin);
    if (isNew)
        found->second = sourcesOf(m_binding == nullptr ? origin : originOf(*m_binding, origin));
    m_last = &origin;
    m_lastList = &found->second;
    return found->second;
}

void addPlaceFields(std::vector<DocumentField> &fields, const SourceMap &sources, const Origin &origin)
{
    const auto textOf = [](const SourceRange &where) { return format("{}:{}:{}", where.file, where.line, where.column); };
    const SourceItem &source = sources.item(origin.sources().front());
    if (!source.range.isKnown())
        return;
    fields.push_back({"place", textOf(source.range)});
    if (source.file != SourceMap::programFile())
        fields.push_back({"called from", textOf(sources.programRange(origin))});
}

StageDocumentPtr withAllFields(StageDocumentPtr document)
{
    makeFields(*document);
    return document;
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

// An item that has no place yet gets the line as its place.
void add(std::vector<DocumentItem> &items, std::vector<DocumentLine> &lines, DocumentLine line)
{
    const auto at = static_cast<std::uint32_t>(lines.size() + 1);
    if (line.item != kNoIndex)
        if (DocumentPlace &place = items.at(line.item).place; place.line == 0)
            place = {at, 1, at, static_cast<std::uint32_t>(line.text.size()) + 1};
    lines.push_back(std::move(line));
}

// Where a kernel's items and lines stand in the document.
struct PartPlace {
    std::size_t firstItem = 0;
    std::size_t firstLine = 0;
};

void putInto(StageDocument &document, KernelPart part, const PartPlace &at)
{
    const auto firstLine = static_cast<std::uint32_t>(at.firstLine);
    for (std::size_t i = 0; i < part.items.size(); ++i) {
        DocumentItem &item = document.items[at.firstItem + i] = std::move(part.items[i]);
        if (item.place.line > 0) {
            item.place.line += firstLine;
            item.place.endLine += firstLine;
        }
    }
    for (std::size_t i = 0; i < part.lines.size(); ++i) {
        DocumentLine &line = document.lines[at.firstLine + i] = std::move(part.lines[i]);
        if (line.item != kNoIndex)
            line.item += static_cast<ItemIndex>(at.firstItem);
    }
}

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

void addLine(StageDocument &document, DocumentLine line)
{
    add(document.items, document.lines, std::move(line));
}

void KernelPart::addLine(DocumentLine line)
{
    add(items, lines, std::move(line));
}

void addKernelParts(StageDocument &document, std::size_t kernels, const std::function<KernelPart(std::size_t)> &make,
                    const std::stop_token &stop)
{
    std::vector<KernelPart> parts(kernels);
    inParallel(kernels, [&](std::size_t i) {
        if (!stop.stop_requested())
            parts[i] = make(i);
    });
    PartPlace next{document.items.size(), document.lines.size()};
    std::vector<PartPlace> places;
    for (const KernelPart &part : parts) {
        if (next.firstLine > 0)
            ++next.firstLine; // an empty line between kernels
        places.push_back(next);
        next.firstItem += part.items.size();
        next.firstLine += part.lines.size();
    }
    document.items.resize(next.firstItem);
    document.lines.resize(next.firstLine, DocumentLine{{}, kNoIndex, {}});
    inParallel(kernels, [&](std::size_t i) { putInto(document, std::move(parts[i]), places[i]); });
}

void addLines(StageDocument &document, std::string_view text,
              const std::function<ItemIndex(std::size_t, std::string_view)> &itemOf)
{
    forEachLine(text, [&](std::size_t number, std::string_view line) {
        const ItemIndex item = itemOf(number, line);
        addLine(document, {std::string(line), item, {}});
    });
}

} // namespace sw
