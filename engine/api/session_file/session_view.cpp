#include "engine/api/session_file/session_view.h"

#include "engine/api/describe.h"
#include "engine/api/report_data_documents.h"

namespace sw {

namespace {

constexpr std::int64_t kMostIndex = std::int64_t{kNoIndex} - 1;

std::int64_t numberOf(std::uint32_t index)
{
    return index == kNoIndex ? -1 : std::int64_t{index};
}

void writeTexts(JsonWriter &json, std::string_view name, const std::vector<std::string> &texts)
{
    json.key(name).beginArray();
    for (const std::string &text : texts)
        json.value(text);
    json.endArray();
}

void writeBaseline(JsonWriter &json, const KeptBaseline &baseline)
{
    json.beginObject().field("name", baseline.name).field("follows", baseline.isFollowing);
    json.field("file", baseline.fileName).field("own_program", baseline.program.has_value());
    json.field("program", baseline.program.value_or(std::string())).field("device", baseline.device);
    json.field("overrides", baseline.overrides);
    writeSwitches(json, baseline);
    json.endObject();
}

KeptBaseline readBaseline(const JsonFields &data)
{
    KeptBaseline baseline;
    baseline.name = data.text("name");
    baseline.isFollowing = data.truth("follows");
    baseline.fileName = data.text("file");
    if (data.truth("own_program"))
        baseline.program = data.text("program");
    baseline.device = data.text("device");
    baseline.overrides = data.text("overrides");
    readSwitches(data, baseline);
    return baseline;
}

} // namespace

void writeSwitches(JsonWriter &json, const CompileSwitches &switches)
{
    for (const CompileSwitch &each : kCompileSwitches)
        json.field(each.name, switches.*each.isOn);
}

void readSwitches(const JsonFields &data, CompileSwitches &switches)
{
    for (const CompileSwitch &each : kCompileSwitches)
        if (data.has(each.name)) // all of them since version 3
            switches.*each.isOn = data.truth(each.name);
}

void writeView(JsonWriter &json, const KeptView &view)
{
    json.key("view").beginObject();
    json.field("selected_stage", view.selectedStage ? nameOf(*view.selectedStage) : std::string_view());
    json.key("selected_items").integers(std::vector<std::int64_t>(view.selectedItems.begin(), view.selectedItems.end()));
    json.field("pass", view.moment ? numberOf(view.moment->pass) : -1);
    json.field("rewrites", view.moment ? numberOf(view.moment->rewrites) : -1);
    json.field("perspective", view.perspective);
    writeTexts(json, "watched_inputs", view.watchedInputs);
    writeTexts(json, "watched_outputs", view.watchedOutputs);
    json.key("baselines").beginArray();
    if (view.baseline)
        writeBaseline(json, *view.baseline);
    json.endArray().endObject();
}

KeptView readView(const JsonFields &data)
{
    KeptView view;
    const std::string stage = data.text("selected_stage");
    view.selectedStage = stageKindNamed(stage);
    if (!view.selectedStage && !stage.empty())
        data.fail("selected_stage", "is none of the stages");
    for (const std::int64_t item : data.integers("selected_items")) {
        if (item < 0 || item > kMostIndex)
            data.fail("selected_items", "is out of range");
        else
            view.selectedItems.push_back(static_cast<ItemIndex>(item));
    }
    const std::int64_t pass = data.integer("pass", -1, kMostIndex);
    const std::int64_t rewrites = data.integer("rewrites", -1, kMostIndex);
    if (pass >= 0)
        view.moment = {static_cast<std::uint32_t>(pass), rewrites < 0 ? kNoIndex : static_cast<std::uint32_t>(rewrites)};
    view.perspective = data.text("perspective");
    view.watchedInputs = data.texts("watched_inputs");
    view.watchedOutputs = data.texts("watched_outputs");
    const std::vector<JsonFields> baselines = data.objects("baselines");
    if (baselines.size() > 1)
        data.fail("baselines", "has more than one");
    if (!baselines.empty())
        view.baseline = readBaseline(baselines.front());
    return view;
}

} // namespace sw
