#include "engine/api/document_sharing.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <tuple>

namespace sw {

namespace {

constexpr std::array kDocuments{&Report::program, &Report::graph, &Report::schedule, &Report::loops,
                                &Report::lowered, &Report::code,  &Report::machine};

std::size_t bytesOf(const std::string &text)
{
    constexpr std::size_t kInside = 15; // shorter texts lie in the string itself
    return sizeof(text) + (text.size() > kInside ? text.capacity() + 1 : 0);
}

bool isEqual(const DocumentItem &a, const DocumentItem &b)
{
    const auto sameField = [](const DocumentField &x, const DocumentField &y) { return x.name == y.name && x.value == y.value; };
    const auto place = [](const DocumentPlace &at) { return std::tie(at.line, at.column, at.endLine, at.endColumn); };
    const auto rest = [](const DocumentItem &item) {
        return std::tie(item.kernel, item.group, item.instruction, item.node, item.label, item.detail, item.tags, item.sources);
    };
    return rest(a) == rest(b) && place(a.place) == place(b.place) && std::ranges::equal(a.fields, b.fields, sameField);
}

bool isEqual(const DocumentChart &a, const DocumentChart &b)
{
    const auto parts = [](const DocumentBar &bar) { return std::tie(bar.item, bar.firstStep, bar.lastStep, bar.from, bar.to); };
    return a.title == b.title && a.height == b.height && a.held == b.held && a.steps == b.steps &&
           std::ranges::equal(a.bars, b.bars, {}, parts, parts);
}

} // namespace

std::size_t bytesOf(const StageDocument &document)
{
    std::size_t bytes = sizeof(document);
    for (const DocumentItem &item : document.items) {
        bytes += sizeof(item) - 2 * sizeof(std::string) + bytesOf(item.label) + bytesOf(item.detail);
        if (item.fields.isMade()) // else they take no memory yet
            for (const DocumentField &field : item.fields)
                bytes += bytesOf(field.name) + bytesOf(field.value);
        for (const std::string &tag : item.tags)
            bytes += bytesOf(tag);
        bytes += item.sources.size() * sizeof(std::uint32_t);
    }
    for (const DocumentLine &line : document.lines)
        bytes += sizeof(line) - sizeof(std::string) + bytesOf(line.text);
    return bytes;
}

std::size_t bytesOf(std::span<const ReportPtr> reports)
{
    std::set<StageDocumentPtr> documents;
    for (const ReportPtr &report : reports)
        for (const auto document : kDocuments)
            if (report != nullptr && (*report).*document != nullptr)
                documents.insert((*report).*document);
    std::size_t bytes = 0;
    for (const StageDocumentPtr &document : documents)
        bytes += bytesOf(*document);
    return bytes;
}

bool areEqual(const StageDocument &a, const StageDocument &b)
{
    if (a.kind != b.kind || a.title != b.title || a.items.size() != b.items.size() || a.lines.size() != b.lines.size())
        return false;
    const auto line = [](const DocumentLine &of) { return std::tie(of.item, of.text, of.tags); };
    const auto edge = [](const DocumentEdge &of) { return std::tie(of.from, of.to, of.label, of.decision); };
    const auto group = [](const DocumentGroup &of) { return std::tie(of.label, of.parent); };
    const auto part = [](const DocumentPart &of) { return std::tie(of.line, of.isRead); };
    const auto same = [](const auto &one, const auto &other) { return isEqual(one, other); };
    return std::ranges::equal(a.lines, b.lines, {}, line, line) && std::ranges::equal(a.edges, b.edges, {}, edge, edge) &&
           std::ranges::equal(a.groups, b.groups, {}, group, group) && std::ranges::equal(a.parts, b.parts, {}, part, part) &&
           std::ranges::equal(a.items, b.items, same) && std::ranges::equal(a.charts, b.charts, same);
}

ReportPtr sharedWith(const ReportPtr &report, const Report &earlier)
{
    auto made = std::make_shared<Report>(*report);
    for (const auto document : kDocuments) {
        StageDocumentPtr &own = (*made).*document;
        const StageDocumentPtr &other = earlier.*document;
        if (own != nullptr && other != nullptr && own != other && areEqual(*own, *other))
            own = other;
        for (const StageDocumentPtr &kept : {own, other})
            if (kept != nullptr)
                makeFields(*kept);
    }
    return made;
}

} // namespace sw
