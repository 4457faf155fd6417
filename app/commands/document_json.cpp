#include "app/commands/document_json.h"

#include "app/commands/common.h"
#include "engine/api/describe.h"

#include <functional>

namespace sw::command {

namespace {

void writeIndex(JsonWriter &json, std::string_view name, std::uint32_t index)
{
    if (index != kNoIndex)
        json.field(name, index);
}

void writeStrings(JsonWriter &json, std::string_view name, const std::vector<std::string> &values)
{
    json.key(name).beginArray();
    for (const std::string &value : values)
        json.value(value);
    json.endArray();
}

void writeItem(JsonWriter &json, ItemIndex index, const DocumentItem &item)
{
    json.beginObject().field("index", index).field("label", item.label).field("detail", item.detail);
    json.key("fields").beginObject();
    for (const DocumentField &field : item.fields)
        json.field(field.name, field.value);
    json.endObject();
    writeStrings(json, "tags", item.tags);
    json.key("sources").beginArray();
    for (const std::uint32_t source : item.sources)
        json.value(source);
    json.endArray();
    writeIndex(json, "kernel", item.kernel);
    writeIndex(json, "group", item.group);
    writeIndex(json, "node", item.node);
    if (item.place.line != 0) {
        json.key("place").beginObject().field("line", item.place.line).field("column", item.place.column);
        json.field("end_line", item.place.endLine).field("end_column", item.place.endColumn).endObject();
    }
    json.endObject();
}

void writeCharts(JsonWriter &json, const StageDocument &document, const std::function<bool(ItemIndex)> &isWanted)
{
    json.key("charts").beginArray();
    for (const DocumentChart &chart : document.charts) {
        json.beginObject().field("title", chart.title).field("height", chart.height).field("held", chart.held);
        json.key("steps").beginArray();
        for (const ItemIndex step : chart.steps)
            json.value(step);
        json.endArray().key("bars").beginArray();
        for (const DocumentBar &bar : chart.bars)
            if (isWanted(bar.item))
                json.beginObject()
                    .field("item", bar.item)
                    .field("first_step", bar.firstStep)
                    .field("last_step", bar.lastStep)
                    .field("from", bar.from)
                    .field("to", bar.to)
                    .endObject();
        json.endArray().endObject();
    }
    json.endArray();
}

} // namespace

std::string documentJson(const StageDocument &document, KernelId kernel)
{
    const auto isWanted = [&](ItemIndex item) {
        return !kernel.isValid() || (item != kNoIndex && document.items.at(item).kernel == kernel.value);
    };
    JsonWriter json;
    json.beginObject().field("version", kJsonVersion).field("stage", nameOf(document.kind)).field("title", document.title);
    json.key("items").beginArray();
    for (ItemIndex i = 0; i < document.items.size(); ++i)
        if (isWanted(i))
            writeItem(json, i, document.items[i]);
    json.endArray().key("edges").beginArray();
    for (const DocumentEdge &edge : document.edges) {
        if (!isWanted(edge.from) || !isWanted(edge.to))
            continue;
        json.beginObject().field("from", edge.from).field("to", edge.to).field("label", edge.label);
        writeIndex(json, "decision", edge.decision);
        json.endObject();
    }
    json.endArray().key("groups").beginArray();
    for (const DocumentGroup &group : document.groups) {
        json.beginObject().field("label", group.label);
        writeIndex(json, "parent", group.parent);
        json.endObject();
    }
    json.endArray().key("lines").beginArray();
    for (const DocumentLine &line : document.lines) {
        if (!isWanted(line.item))
            continue;
        json.beginObject().field("text", line.text);
        writeIndex(json, "item", line.item);
        writeStrings(json, "tags", line.tags);
        json.endObject();
    }
    json.endArray();
    writeCharts(json, document, isWanted);
    json.endObject();
    return json.text();
}

} // namespace sw::command
