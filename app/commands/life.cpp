#include "app/commands/life.h"

#include "app/commands/common.h"
#include "app/commands/named_value.h"
#include "engine/api/describe.h"
#include "engine/api/life_story.h"
#include "engine/api/report_documents.h"

#include <algorithm>

namespace sw::command {

namespace {

std::string textOf(const LifeStory &story)
{
    std::string text = story.name + "\n";
    std::size_t widest = 0;
    for (const LifeStep &step : story.steps)
        widest = std::max(widest, step.title.size());
    for (const LifeStep &step : story.steps)
        text += format("  {:<9}{:<{}}  {}\n", nameOf(step.stage), step.title, widest, step.text);
    return text;
}

std::string jsonOf(const LifeStory &story, const Compilation &compilation)
{
    JsonWriter json;
    json.beginObject().field("version", kJsonVersion).field("value", story.name);
    json.key("steps").beginArray();
    for (const LifeStep &step : story.steps) {
        json.beginObject().field("stage", nameOf(step.stage));
        if (step.place.pass != kNoIndex)
            json.field("pass", compilation.pipeline.steps[step.place.pass].pass->id);
        if (step.place.pass != kNoIndex && step.place.rewrites != kNoIndex)
            json.field("rewrites", step.place.rewrites);
        json.field("what", step.title).field("how", step.text).endObject();
    }
    json.endArray().endObject();
    return json.text();
}

} // namespace

Outcome lifeOf(const std::string &value, const Compilation &compilation, const Arguments &arguments, const std::stop_token &stop)
{
    const Graph &graph = *compilation.graph;
    const Result<NodeId> node = namedValue(value, graph);
    if (!node)
        return usageFailed(node.error());
    Report report;
    Described described;
    fillReport(report, described, compilation, Expected::Nothing, stop);
    const LifeStory story = lifeOfNode(compilation, report, node->value, stop);
    Outcome outcome = failed(compilation.diagnostics);
    outcome.output = arguments.has("--json") ? jsonOf(story, compilation) : textOf(story);
    return outcome;
}

} // namespace sw::command
