#include "app/commands/diff_text.h"

#include "app/commands/common.h"
#include "engine/api/describe.h"

#include <algorithm>

namespace sw::command {

namespace {

constexpr std::size_t kContext = 3;

void addRow(std::string &text, const StageDifference &difference, const RowPair &row)
{
    const auto before = [&] { return difference.before->lines[row.before].text; };
    const auto after = [&] { return difference.after->lines[row.after].text; };
    switch (row.kind) {
    case RowKind::Same:
    case RowKind::Shifted:
    case RowKind::Renamed:
        text += "  " + after() + '\n';
        return;
    case RowKind::Moved:
        text += row.before != kNoIndex ? "< " + before() + '\n' : "> " + after() + '\n';
        return;
    case RowKind::Changed:
        text += "- " + before() + "\n+ " + after() + '\n';
        return;
    case RowKind::Removed:
        text += "- " + before() + '\n';
        return;
    case RowKind::Added:
        text += "+ " + after() + '\n';
        return;
    }
    SW_UNREACHABLE();
}

// From 1, as editors count; of the text that has the row.
std::string placeText(const RowPair &row)
{
    const auto of = [](std::uint32_t line) { return line == kNoIndex ? std::string("-") : format("{}", line + 1); };
    return format("@@ {} {} @@\n", of(row.before), of(row.after));
}

void writeSpans(JsonWriter &json, std::string_view name, std::span<const TextSpan> spans)
{
    json.key(name).beginArray();
    for (const TextSpan &span : spans)
        json.beginArray().value(span.begin).value(span.end).endArray();
    json.endArray();
}

void writeRow(JsonWriter &json, const StageDifference &difference, const RowPair &row)
{
    json.beginObject().field("kind", nameOf(row.kind));
    if (row.before != kNoIndex)
        json.field("before", row.before + 1).field("before_text", difference.before->lines[row.before].text);
    if (row.after != kNoIndex)
        json.field("after", row.after + 1).field("after_text", difference.after->lines[row.after].text);
    if (row.other != kNoIndex)
        json.field("other", row.other + 1);
    writeSpans(json, "before_spans", difference.text.before(row));
    writeSpans(json, "after_spans", difference.text.after(row));
    json.endObject();
}

void writeItem(JsonWriter &json, const GraphDifference &difference, std::size_t index)
{
    const ItemDifference &item = difference.items[index];
    json.beginObject().field("kind", nameOf(item.kind)).field("label", difference.both->items[index].label);
    if (item.before != kNoIndex)
        json.field("before", item.before);
    if (item.after != kNoIndex)
        json.field("after", item.after);
    json.field("operation", item.operationChanged).field("type", item.typeChanged).field("operands", item.operandsChanged);
    json.key("fields").beginArray();
    for (const FieldChange &field : item.fields)
        json.beginObject().field("name", field.name).field("before", field.before).field("after", field.after).endObject();
    json.endArray().endObject();
}

// "2 to 3 steps", "no number"
std::string binText(std::size_t bin)
{
    if (bin == 0)
        return "equal";
    if (bin == kUlpBins - 1)
        return "only one is a number";
    const std::uint64_t first = std::uint64_t{1} << (bin - 1);
    return bin == 1 ? "1 ULP" : format("{} to {} ULP", first, first + (first - 1));
}

} // namespace

std::string rowsText(const StageDifference &difference)
{
    const std::vector<RowPair> &rows = difference.text.rows;
    std::string text;
    std::size_t next = 0; // the first row that was not written yet
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (!isDifference(rows[i].kind))
            continue;
        const std::size_t first = std::max(next, i > kContext ? i - kContext : 0);
        if (first > next || text.empty())
            text += placeText(rows[first]);
        const std::size_t end = std::min(rows.size(), i + kContext + 1);
        for (next = first; next < end; ++next) {
            if (next > i && isDifference(rows[next].kind)) // it has a context of its own
                break;
            addRow(text, difference, rows[next]);
        }
    }
    return text;
}

void writeDifference(JsonWriter &json, const StageDifference &difference, bool withRows)
{
    json.beginObject().field("stage", nameOf(difference.after->kind)).field("different", difference.text.isDifferent());
    json.key("lines").beginObject();
    for (std::size_t kind = 0; kind < kRowKinds; ++kind)
        json.field(nameOf(static_cast<RowKind>(kind)), difference.text.counts[kind]);
    json.endObject().key("items").beginObject();
    for (std::size_t kind = 0; kind < kItemKinds; ++kind)
        json.field(nameOf(static_cast<ItemKind>(kind)), difference.items.counts[kind]);
    json.endObject().key("renamed").beginArray();
    for (const auto &[from, to] : difference.text.renamed)
        json.beginObject().field("from", from).field("to", to).endObject();
    json.endArray();
    if (withRows) {
        json.key("rows").beginArray();
        for (const RowPair &row : difference.text.rows)
            if (row.kind != RowKind::Same)
                writeRow(json, difference, row);
        json.endArray().key("changed_items").beginArray();
        for (std::size_t i = 0; i < difference.items.items.size(); ++i)
            if (difference.items.items[i].kind != ItemKind::Same)
                writeItem(json, difference.items, i);
        json.endArray();
    }
    json.endObject();
}

std::string tensorText(const TensorView &before, const TensorDifference &difference)
{
    if (difference.isEqual())
        return format("{} elements, all equal{}\n", difference.elements,
                      difference.otherBits == 0 ? "" : format("; {} have other bits (-0, another NaN)", difference.otherBits));
    std::string text = format("{} of {} elements differ, the first at [{}]\nmax abs {:.6g}, max rel {:.6g}, max ulp {}\n",
                              difference.different, difference.elements, before.placeText(*difference.firstAt),
                              difference.maxAbsolute, difference.maxRelative, difference.maxUlp);
    if (difference.notNumbers + difference.infinities > 0)
        text += format("a NaN in only one: {}; an infinity in only one: {}\n", difference.notNumbers, difference.infinities);
    std::vector<std::vector<std::string>> bins{{"distance", "elements"}};
    for (std::size_t bin = 0; bin < kUlpBins; ++bin)
        if (difference.ulpHistogram[bin] > 0)
            bins.push_back({binText(bin), format("{}", difference.ulpHistogram[bin])});
    std::vector<std::vector<std::string>> worst{{"place", "first", "second", "abs", "rel", "ulp"}};
    for (const ElementDifference &element : difference.worst)
        worst.push_back({"[" + before.placeText(element.index) + "]", format("{}", element.before), format("{}", element.after),
                         format("{:.4g}", element.absolute), format("{:.4g}", element.relative), format("{}", element.ulp)});
    return text + '\n' + tableText(bins) + (difference.worst.empty() ? "" : '\n' + tableText(worst));
}

std::string tensorJson(const TensorView &before, const TensorDifference &difference)
{
    JsonWriter json;
    json.beginObject().field("version", kJsonVersion).field("different", !difference.isEqual());
    json.field("elements", difference.elements).field("different_elements", difference.different);
    json.field("other_bits", difference.otherBits).field("max_abs", difference.maxAbsolute);
    json.field("max_rel", difference.maxRelative).field("max_ulp", difference.maxUlp);
    json.field("nan_in_one", difference.notNumbers).field("infinity_in_one", difference.infinities);
    json.field("hash_before", format("{:016x}", difference.hashBefore))
        .field("hash_after", format("{:016x}", difference.hashAfter));
    json.key("ulp_histogram").beginArray();
    for (std::size_t bin = 0; bin < kUlpBins; ++bin)
        if (difference.ulpHistogram[bin] > 0)
            json.beginObject().field("distance", binText(bin)).field("elements", difference.ulpHistogram[bin]).endObject();
    json.endArray().key("worst").beginArray();
    for (const ElementDifference &element : difference.worst) {
        json.beginObject().field("index", element.index).field("place", before.placeText(element.index));
        json.field("before", element.before).field("after", element.after);
        json.field("abs", element.absolute).field("rel", element.relative).field("ulp", element.ulp).endObject();
    }
    json.endArray().endObject();
    return json.text();
}

} // namespace sw::command
