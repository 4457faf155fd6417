#include "engine/api/report_data.h"

#include "engine/api/describe.h"
#include "engine/base/hash.h"
#include "engine/base/json.h"

#include <array>
#include <unordered_map>

namespace sw {

namespace {

using Column = std::vector<std::int64_t>;

struct ColumnHash {
    std::size_t operator()(const Column &column) const
    {
        Hasher hasher;
        for (const std::int64_t number : column)
            hasher.add(static_cast<std::uint64_t>(number));
        return hasher.value();
    }
};

// Gives every different text, and every different list of numbers, a number.
class Tables {
public:
    std::int64_t text(const std::string &text)
    {
        const auto [found, isNew] = m_textNumbers.try_emplace(text, static_cast<std::int64_t>(m_texts.size()));
        if (isNew)
            m_texts.push_back(&found->first);
        return found->second;
    }
    std::int64_t list(Column numbers)
    {
        const auto [found, isNew] = m_listNumbers.try_emplace(std::move(numbers), static_cast<std::int64_t>(m_lists.size()));
        if (isNew)
            m_lists.push_back(&found->first);
        return found->second;
    }
    std::int64_t texts(const std::vector<std::string> &all)
    {
        Column numbers;
        for (const std::string &one : all)
            numbers.push_back(text(one));
        return list(std::move(numbers));
    }
    std::int64_t fields(const std::vector<DocumentField> &all)
    {
        Column numbers;
        for (const DocumentField &field : all) {
            numbers.push_back(text(field.name));
            numbers.push_back(text(field.value));
        }
        return list(std::move(numbers));
    }

    void write(JsonWriter &json) const
    {
        json.key("texts").beginArray();
        for (const std::string *text : m_texts)
            json.value(*text);
        json.endArray().key("lists").beginArray();
        for (const Column *list : m_lists)
            json.integers(*list);
        json.endArray();
    }

private:
    std::unordered_map<std::string, std::int64_t> m_textNumbers; // its keys stay where they are
    std::unordered_map<Column, std::int64_t, ColumnHash> m_listNumbers;
    std::vector<const std::string *> m_texts;
    std::vector<const Column *> m_lists;
};

std::int64_t numberOf(std::uint32_t index)
{
    return index == kNoIndex ? -1 : std::int64_t{index};
}

// A column in which no element says anything is left out.
template <class Element, class Project>
void writeColumn(JsonWriter &json, std::string_view name, const std::vector<Element> &elements, std::int64_t nothing,
                 const Project &project)
{
    Column column;
    column.reserve(elements.size());
    bool saysAnything = false;
    for (const Element &element : elements) {
        column.push_back(project(element));
        saysAnything = saysAnything || column.back() != nothing;
    }
    if (saysAnything)
        json.key(name).integers(column);
}

void writeItems(JsonWriter &json, const std::vector<DocumentItem> &items, Tables &tables)
{
    const auto places = [&](const DocumentItem &item) {
        const DocumentPlace &place = item.place;
        return place.line == 0 ? std::int64_t{-1} : tables.list({place.line, place.column, place.endLine, place.endColumn});
    };
    const auto sources = [&](const DocumentItem &item) { return tables.list(Column(item.sources.begin(), item.sources.end())); };
    json.key("items").beginObject().field("count", static_cast<std::uint64_t>(items.size()));
    writeColumn(json, "label", items, -1, [&](const DocumentItem &item) { return tables.text(item.label); });
    writeColumn(json, "detail", items, -1, [&](const DocumentItem &item) { return tables.text(item.detail); });
    writeColumn(json, "fields", items, -1, [&](const DocumentItem &item) { return tables.fields(item.fields); });
    writeColumn(json, "tags", items, -1, [&](const DocumentItem &item) { return tables.texts(item.tags); });
    writeColumn(json, "sources", items, -1, sources);
    writeColumn(json, "kernel", items, -1, [](const DocumentItem &item) { return numberOf(item.kernel); });
    writeColumn(json, "group", items, -1, [](const DocumentItem &item) { return numberOf(item.group); });
    writeColumn(json, "instruction", items, -1, [](const DocumentItem &item) { return numberOf(item.instruction); });
    writeColumn(json, "node", items, -1, [](const DocumentItem &item) { return numberOf(item.node); });
    writeColumn(json, "place", items, -1, places);
    json.endObject();
}

void writeCharts(JsonWriter &json, const std::vector<DocumentChart> &charts)
{
    json.key("charts").beginArray();
    for (const DocumentChart &chart : charts) {
        json.beginObject().field("title", chart.title).field("height", chart.height).field("held", chart.held);
        json.key("steps").integers(Column(chart.steps.begin(), chart.steps.end()));
        Column bars;
        for (const DocumentBar &bar : chart.bars)
            bars.insert(bars.end(),
                        {std::int64_t{bar.item}, std::int64_t{bar.firstStep}, std::int64_t{bar.lastStep}, bar.from, bar.to});
        json.key("bars").integers(bars).endObject();
    }
    json.endArray();
}

void writeDocument(JsonWriter &json, const StageDocument &document, Tables &tables)
{
    json.beginObject().field("stage", nameOf(document.kind)).field("title", document.title);
    writeItems(json, document.items, tables);
    json.key("edges").beginObject().field("count", static_cast<std::uint64_t>(document.edges.size()));
    writeColumn(json, "from", document.edges, -1, [](const DocumentEdge &edge) { return std::int64_t{edge.from}; });
    writeColumn(json, "to", document.edges, -1, [](const DocumentEdge &edge) { return std::int64_t{edge.to}; });
    writeColumn(json, "label", document.edges, -1, [&](const DocumentEdge &edge) { return tables.text(edge.label); });
    writeColumn(json, "decision", document.edges, -1, [](const DocumentEdge &edge) { return numberOf(edge.decision); });
    json.endObject().key("groups").beginObject().field("count", static_cast<std::uint64_t>(document.groups.size()));
    writeColumn(json, "label", document.groups, -1, [&](const DocumentGroup &group) { return tables.text(group.label); });
    writeColumn(json, "parent", document.groups, -1, [](const DocumentGroup &group) { return numberOf(group.parent); });
    json.endObject().key("lines").beginObject().field("count", static_cast<std::uint64_t>(document.lines.size()));
    writeColumn(json, "text", document.lines, -1, [&](const DocumentLine &line) { return tables.text(line.text); });
    writeColumn(json, "item", document.lines, -1, [](const DocumentLine &line) { return numberOf(line.item); });
    writeColumn(json, "tags", document.lines, -1, [&](const DocumentLine &line) { return tables.texts(line.tags); });
    json.endObject();
    writeCharts(json, document.charts);
    Column parts;
    for (const DocumentPart &part : document.parts)
        parts.insert(parts.end(), {std::int64_t{part.line}, part.isRead ? std::int64_t{1} : 0});
    json.key("parts").integers(parts).endObject();
}

std::string_view nameOf(MessageSeverity severity)
{
    switch (severity) {
    case MessageSeverity::Error:
        return "error";
    case MessageSeverity::Warning:
        return "warning";
    case MessageSeverity::Note:
        return "note";
    }
    SW_UNREACHABLE();
}

void writePlace(JsonWriter &json, std::string_view name, const std::array<std::uint32_t, 4> &place)
{
    json.key(name).integers(Column(place.begin(), place.end()));
}

void writeMessages(JsonWriter &json, const std::vector<Message> &messages)
{
    json.key("messages").beginArray();
    for (const Message &message : messages) {
        json.beginObject().field("severity", nameOf(message.severity)).field("code", message.code).field("text", message.text);
        json.field("hint", message.hint).field("file", message.file).field("in_program", message.isInProgram);
        writePlace(json, "place", {message.line, message.column, message.endLine, message.endColumn});
        writePlace(json, "call", {message.call.line, message.call.column, message.call.endLine, message.call.endColumn});
        json.endObject();
    }
    json.endArray();
}

void writePasses(JsonWriter &json, const std::vector<PassEntry> &passes)
{
    json.key("passes").beginArray();
    for (const PassEntry &pass : passes) {
        json.beginObject().field("id", pass.id).field("title", pass.title).field("doc", pass.doc);
        json.field("input", nameOf(pass.input)).field("output", nameOf(pass.output)).field("changed", pass.changed);
        json.field("failed", pass.failed).field("rewrites", pass.rewrites).field("ns", pass.nanoseconds);
        json.key("rules").beginArray();
        for (const RuleEntry &rule : pass.rules)
            json.beginObject().field("rule", rule.rule).field("rewrites", rule.rewrites).endObject();
        json.endArray().endObject();
    }
    json.endArray();
}

void writeKernels(JsonWriter &json, const std::vector<KernelEntry> &kernels)
{
    json.key("kernels").beginArray();
    for (const KernelEntry &kernel : kernels) {
        json.beginObject().field("name", kernel.name).field("flops", kernel.flops).field("math_flops", kernel.mathFlops);
        json.field("bytes", kernel.bytes).field("nodes", kernel.nodes).field("compile_ns", kernel.compileNanoseconds);
        if (kernel.medianNanoseconds)
            json.field("median_ns", *kernel.medianNanoseconds);
        if (kernel.isOfLoad)
            json.field("once", true);
        if (!kernel.tensorInstruction.empty())
            json.field("tensor", kernel.tensorInstruction);
        json.field("min_ns", kernel.minNanoseconds).field("max_ns", kernel.maxNanoseconds).endObject();
    }
    json.endArray();
}

template <class Part>
void writeTimes(JsonWriter &json, std::string_view name, const std::vector<Part> &parts)
{
    json.key(name).beginArray();
    for (const Part &part : parts)
        json.beginObject().field("name", part.name).field("ns", part.nanoseconds).endObject();
    json.endArray();
}

void writeInputs(JsonWriter &json, const Report &report)
{
    json.key("dimensions").beginArray();
    for (const DimensionEntry &entry : report.dimensions)
        json.beginObject()
            .field("name", entry.name)
            .field("low", entry.low)
            .field("high", entry.high)
            .field("value", entry.value)
            .endObject();
    json.endArray().key("inputs").beginArray();
    for (const InputEntry &entry : report.inputs) {
        json.beginObject().field("name", entry.name).field("type", entry.type).field("element_type", entry.elementType);
        json.key("shape").integers(entry.shape);
        json.field("open_shape", entry.hasOpenShape).field("parameter", entry.isParam).endObject();
    }
    json.endArray();
}

void writeOverrides(JsonWriter &json, const std::vector<OverrideEntry> &overrides)
{
    json.key("overrides").beginArray();
    for (const OverrideEntry &entry : overrides) {
        json.beginObject().field("text", entry.text).field("kind", entry.kind).field("on", entry.isOn).field("note", entry.note);
        json.field("state", entry.state).field("reason", entry.reason).field("where", entry.where).field("line", entry.line);
        json.key("nodes").integers(Column(entry.nodes.begin(), entry.nodes.end())).endObject();
    }
    json.endArray();
}

void writeFigures(JsonWriter &json, const ProgramFigures &figures)
{
    json.key("figures").beginObject().field("kernels", figures.kernels).field("bytes", figures.bytes);
    json.field("instructions", figures.instructions).field("estimate_ns", figures.estimatedNanoseconds);
    json.field("estimated_by", figures.estimatedBy);
    if (figures.medianNanoseconds)
        json.field("median_ns", *figures.medianNanoseconds);
    json.field("min_ns", figures.minNanoseconds).field("max_ns", figures.maxNanoseconds).endObject();
}

} // namespace

std::string reportData(const Report &report)
{
    Tables tables;
    JsonWriter json(JsonLayout::Compact);
    json.beginObject().field("format", "stepwell report").field("version", kReportDataVersion);
    json.field("device", report.device).field("succeeded", report.succeeded);
    writeMessages(json, report.messages);
    writePasses(json, report.passes);
    writeKernels(json, report.kernels);
    writeTimes(json, "compile_times", report.compileTimes);
    writeTimes(json, "run_parts", report.runParts);
    writeInputs(json, report);
    writeOverrides(json, report.overrides);
    if (report.totalMedianNanoseconds)
        json.field("total_median_ns", *report.totalMedianNanoseconds);
    if (report.figures)
        writeFigures(json, *report.figures);
    json.key("documents").beginArray();
    for (const StageDocumentPtr &document :
         {report.program, report.graph, report.schedule, report.loops, report.lowered, report.code, report.machine})
        if (document != nullptr)
            writeDocument(json, *document, tables);
    json.endArray();
    tables.write(json); // the documents above have filled them
    json.endObject();
    return json.text();
}

} // namespace sw
