#include "engine/api/report_data_documents.h"

#include "engine/api/describe.h"
#include "engine/api/report_data.h"

#include <algorithm>
#include <array>

namespace sw {

namespace {

constexpr std::array kStages{StageKind::Program, StageKind::Graph, StageKind::Schedule, StageKind::Loops,
                             StageKind::Lowered, StageKind::Code,  StageKind::Machine};
constexpr std::int64_t kMostLines = std::int64_t{1} << 31;
constexpr std::int64_t kMostElements = std::int64_t{1} << 28; // of a column; the text that holds it has a limit, too

// The columns of a table, which all have one number per row. A column that is not there says nothing in any row.
class Columns {
public:
    explicit Columns(JsonFields data)
        : m_data(std::move(data)), m_count(static_cast<std::size_t>(m_data.integer("count", 0, kMostElements)))
    {
    }

    // Nothing: there is no such column. Numbers are -1, or from 0 up to below `end`.
    const JsonValue::Integers *column(std::string_view name, std::int64_t end) const
    {
        if (!m_data.has(name))
            return nullptr;
        const JsonValue::Integers &numbers = m_data.integers(name);
        if (numbers.size() != m_count) {
            m_data.fail(name, format("has {} rows, not {}", numbers.size(), m_count));
            return nullptr;
        }
        for (const std::int64_t number : numbers) {
            if (number < -1 || number >= end) {
                m_data.fail(name, format("{} is outside of 0 to {}", number, end - 1));
                return nullptr;
            }
        }
        return &numbers;
    }
    // A row without which there is no sense in the table.
    const JsonValue::Integers *needed(std::string_view name, std::int64_t end) const
    {
        const JsonValue::Integers *numbers = column(name, end);
        if (m_count > 0 && (numbers == nullptr || std::ranges::find(*numbers, -1) != numbers->end()))
            m_data.fail(name, "is missing");
        return numbers;
    }
    // How many rows there are. A table of one column at least backs every row, so that a forged count takes no memory.
    [[nodiscard]] std::size_t count(const JsonValue::Integers *column) const { return column == nullptr ? 0 : m_count; }

    const JsonFields &data() const { return m_data; }

private:
    JsonFields m_data;
    std::size_t m_count;
};

std::int64_t at(const JsonValue::Integers *column, std::size_t row)
{
    return column == nullptr ? -1 : (*column)[row];
}

std::uint32_t indexAt(const JsonValue::Integers *column, std::size_t row)
{
    const std::int64_t number = at(column, row);
    return number < 0 ? kNoIndex : static_cast<std::uint32_t>(number);
}

DocumentPlace placeOf(const JsonValue::Integers &numbers, std::size_t lines, const JsonFields &data)
{
    const auto isIn = [](std::int64_t number, std::int64_t most) { return number >= 0 && number <= most; };
    const auto last = static_cast<std::int64_t>(lines) + 1; // an end may stand behind the last line
    if (numbers.size() != 4 || !isIn(numbers[0], last) || !isIn(numbers[2], last) || numbers[2] < numbers[0] ||
        !isIn(numbers[1], kMostLines) || !isIn(numbers[3], kMostLines)) {
        data.fail("place", "is not line, column, line and column in the text");
        return {};
    }
    return {static_cast<std::uint32_t>(numbers[0]), static_cast<std::uint32_t>(numbers[1]),
            static_cast<std::uint32_t>(numbers[2]), static_cast<std::uint32_t>(numbers[3])};
}

void readLines(StageDocument &document, const Columns &lines, ReportTables &tables)
{
    const JsonValue::Integers *text = lines.needed("text", kMostElements);
    const JsonValue::Integers *item = lines.column("item", static_cast<std::int64_t>(document.items.size()));
    const JsonValue::Integers *tags = lines.column("tags", kMostElements);
    document.lines.reserve(lines.count(text));
    for (std::size_t i = 0; i < lines.count(text); ++i)
        document.lines.push_back({tables.text(at(text, i)), indexAt(item, i), tables.tags(at(tags, i)).values()});
}

void readItems(StageDocument &document, const Columns &items, const Columns &lines, ReportTables &tables, std::size_t kernels,
               std::size_t groups)
{
    const JsonValue::Integers *label = items.needed("label", kMostElements);
    const JsonValue::Integers *detail = items.column("detail", kMostElements);
    const JsonValue::Integers *fields = items.column("fields", kMostElements);
    const JsonValue::Integers *tags = items.column("tags", kMostElements);
    const JsonValue::Integers *sources = items.column("sources", kMostElements);
    const JsonValue::Integers *kernel = items.column("kernel", kernels == 0 ? kMostKernels : static_cast<std::int64_t>(kernels));
    const JsonValue::Integers *group = items.column("group", static_cast<std::int64_t>(groups));
    const JsonValue::Integers *instruction = items.column("instruction", kMostSources);
    const JsonValue::Integers *node = items.column("node", kMostSources);
    const JsonValue::Integers *place = items.column("place", kMostElements);
    const std::size_t lineCount = lines.count(lines.needed("text", kMostElements));
    document.items.reserve(items.count(label));
    for (std::size_t i = 0; i < items.count(label); ++i) {
        DocumentItem item;
        item.label = tables.text(at(label, i));
        item.detail = tables.text(at(detail, i));
        item.fields = tables.fields(at(fields, i));
        item.tags = tables.tags(at(tags, i));
        item.sources = tables.sources(at(sources, i));
        item.kernel = indexAt(kernel, i);
        item.group = indexAt(group, i);
        item.instruction = indexAt(instruction, i);
        item.node = indexAt(node, i);
        if (at(place, i) >= 0)
            item.place = placeOf(tables.list(at(place, i)), lineCount, items.data());
        document.items.push_back(std::move(item));
    }
}

void readGroups(StageDocument &document, const Columns &groups, ReportTables &tables)
{
    const JsonValue::Integers *label = groups.needed("label", kMostElements);
    const JsonValue::Integers *parent = groups.column("parent", kMostElements);
    for (std::size_t i = 0; i < groups.count(label); ++i) {
        // Who follows the parents must come to an end.
        if (at(parent, i) >= static_cast<std::int64_t>(i))
            groups.data().fail("parent", format("group {} is inside of group {}, which comes after it", i, at(parent, i)));
        document.groups.push_back({tables.text(at(label, i)), indexAt(parent, i)});
    }
}

void readEdges(StageDocument &document, const Columns &edges, ReportTables &tables)
{
    const auto items = static_cast<std::int64_t>(document.items.size());
    const JsonValue::Integers *from = edges.needed("from", items);
    const JsonValue::Integers *to = edges.needed("to", items);
    const JsonValue::Integers *label = edges.column("label", kMostElements);
    const JsonValue::Integers *decision = edges.column("decision", kMostSources); // an item of another document
    for (std::size_t i = 0; i < std::min(edges.count(from), edges.count(to)); ++i)
        document.edges.push_back({indexAt(from, i), indexAt(to, i), tables.text(at(label, i)), indexAt(decision, i)});
}

DocumentChart readChart(const JsonFields &data, std::size_t items)
{
    DocumentChart chart{data.text("title"), data.integer("height"), data.integer("held"), {}, {}};
    const auto isItem = [&](std::int64_t item) { return item >= 0 && item < static_cast<std::int64_t>(items); };
    for (const std::int64_t step : data.integers("steps")) {
        if (!isItem(step))
            data.fail("steps", format("there is no item {}", step));
        chart.steps.push_back(static_cast<ItemIndex>(step));
    }
    const JsonValue::Integers &bars = data.integers("bars");
    constexpr std::size_t kNumbers = 5; // of a bar
    for (std::size_t i = 0; i + kNumbers <= bars.size(); i += kNumbers) {
        const auto steps = static_cast<std::int64_t>(chart.steps.size());
        if (!isItem(bars[i]) || bars[i + 1] < 0 || bars[i + 1] > bars[i + 2] || bars[i + 2] >= steps || bars[i + 3] > bars[i + 4])
            data.fail("bars", format("bar {} is out of the chart", i / kNumbers));
        chart.bars.push_back({static_cast<ItemIndex>(bars[i]), static_cast<std::uint32_t>(bars[i + 1]),
                              static_cast<std::uint32_t>(bars[i + 2]), bars[i + 3], bars[i + 4]});
    }
    if (bars.size() % kNumbers != 0)
        data.fail("bars", "the last one is cut off");
    return chart;
}

void readParts(StageDocument &document, const JsonFields &data)
{
    const JsonValue::Integers &parts = data.integers("parts");
    for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
        const std::int64_t before = i == 0 ? 0 : parts[i - 2];
        if (parts[i] < before || parts[i] > static_cast<std::int64_t>(document.lines.size()))
            data.fail("parts", format("part {} does not begin in the text, behind the part before it", i / 2));
        document.parts.push_back({static_cast<std::uint32_t>(parts[i]), parts[i + 1] != 0});
    }
    if (parts.size() % 2 != 0)
        data.fail("parts", "the last one is cut off");
}

} // namespace

std::optional<StageKind> stageKindNamed(std::string_view name)
{
    const auto found = std::ranges::find(kStages, name, [](StageKind kind) { return nameOf(kind); });
    return found == kStages.end() ? std::nullopt : std::optional(*found);
}

ReportTables::ReportTables(const JsonFields &data, JsonFailure &failure) : m_failure(failure), m_texts(data.texts("texts"))
{
    for (const JsonValue *list : data.values("lists")) {
        if (list->integers() == nullptr)
            data.fail("lists", "holds something that is no list of integers");
        else
            m_lists.push_back(list->integers());
    }
    m_tags.lists.resize(m_lists.size());
    m_fields.lists.resize(m_lists.size());
    m_sources.lists.resize(m_lists.size());
}

std::string ReportTables::text(std::int64_t number)
{
    if (number < 0)
        return {};
    if (number >= static_cast<std::int64_t>(m_texts.size())) {
        m_failure.note(format("there is no text {}, there are {}", number, m_texts.size()));
        return {};
    }
    return m_texts[static_cast<std::size_t>(number)];
}

const JsonValue::Integers &ReportTables::list(std::int64_t number)
{
    static const JsonValue::Integers kNone;
    if (number >= 0 && number < static_cast<std::int64_t>(m_lists.size()))
        return *m_lists[static_cast<std::size_t>(number)];
    if (number >= 0)
        m_failure.note(format("there is no list {}, there are {}", number, m_lists.size()));
    return kNone;
}

SharedList<std::string> ReportTables::tags(std::int64_t number)
{
    const JsonValue::Integers &numbers = list(number);
    if (numbers.empty())
        return {};
    std::optional<SharedList<std::string>> &made = m_tags.lists[static_cast<std::size_t>(number)];
    if (!made) {
        std::vector<std::string> tags;
        for (const std::int64_t one : numbers)
            tags.push_back(text(one));
        made = SharedList<std::string>(std::move(tags));
    }
    return *made;
}

SharedList<DocumentField> ReportTables::fields(std::int64_t number)
{
    const JsonValue::Integers &numbers = list(number);
    if (numbers.empty())
        return {};
    std::optional<SharedList<DocumentField>> &made = m_fields.lists[static_cast<std::size_t>(number)];
    if (!made) {
        if (numbers.size() % 2 != 0)
            m_failure.note(format("list {} has a field without a value", number));
        std::vector<DocumentField> fields;
        for (std::size_t i = 0; i + 1 < numbers.size(); i += 2)
            fields.push_back({text(numbers[i]), text(numbers[i + 1])});
        made = SharedList<DocumentField>(std::move(fields));
    }
    return *made;
}

SharedList<std::uint32_t> ReportTables::sources(std::int64_t number)
{
    const JsonValue::Integers &numbers = list(number);
    if (numbers.empty())
        return {};
    std::optional<SharedList<std::uint32_t>> &made = m_sources.lists[static_cast<std::size_t>(number)];
    if (!made) {
        std::vector<std::uint32_t> sources;
        for (const std::int64_t one : numbers) {
            if (one < 0 || one >= kMostSources)
                m_failure.note(format("source {} is outside of 0 to {}", one, kMostSources - 1));
            sources.push_back(static_cast<std::uint32_t>(one));
        }
        if (!std::ranges::is_sorted(sources))
            m_failure.note(format("the sources of list {} are not sorted", number));
        made = SharedList<std::uint32_t>(std::move(sources));
    }
    return *made;
}

StageDocument readDocument(const JsonFields &data, ReportTables &tables, std::size_t kernels)
{
    StageDocument document;
    if (const std::optional<StageKind> kind = stageKindNamed(data.text("stage")))
        document.kind = *kind;
    else
        data.fail("stage", format("there is no stage {}", quoted(data.text("stage"))));
    document.title = data.text("title");
    const Columns lines(data.object("lines"));
    readGroups(document, Columns(data.object("groups")), tables);
    readItems(document, Columns(data.object("items")), lines, tables, kernels, document.groups.size());
    readLines(document, lines, tables);
    readEdges(document, Columns(data.object("edges")), tables);
    for (const JsonFields &chart : data.objects("charts"))
        document.charts.push_back(readChart(chart, document.items.size()));
    readParts(document, data);
    return document;
}

} // namespace sw
