#include "app/commands/commands.h"
#include "app/commands/common.h"

#include <algorithm>

namespace sw::command {

namespace {

// Rewrites of the kernel; of all when it is invalid.
std::size_t rewritesOf(const PassStep &step, KernelId kernel)
{
    if (!kernel.isValid())
        return step.rewrites.size();
    return static_cast<std::size_t>(std::count_if(step.rewrites.begin(), step.rewrites.end(),
                                                  [&](const RewriteEvent &event) { return event.kernel == kernel.value; }));
}

std::string jsonText(const Compilation &compilation, KernelId kernel)
{
    JsonWriter json;
    json.beginObject().field("version", kJsonVersion).field("device", compilation.target.device.id);
    json.key("passes").beginArray();
    for (const PassStep &step : compilation.pipeline.steps) {
        json.beginObject().field("id", step.pass->id).field("title", step.pass->title);
        json.field("input", nameOf(step.pass->input)).field("output", nameOf(step.pass->output));
        json.field("changed", step.changed).field("failed", step.failed);
        json.field("ns", static_cast<std::int64_t>(step.time.count()));
        json.key("rewrites").beginArray();
        for (const RewriteEvent &event : step.rewrites)
            if (!kernel.isValid() || event.kernel == kernel.value)
                json.beginObject().field("rule", event.rule).field("detail", event.detail).endObject();
        json.endArray().endObject();
    }
    json.endArray().endObject();
    return json.text();
}

std::string plainText(const Compilation &compilation, KernelId kernel)
{
    std::vector<std::vector<std::string>> rows{{"pass", "stage", "result", "rewrites", "time", "what it does"}};
    for (const PassStep &step : compilation.pipeline.steps) {
        const std::string_view result = step.failed ? "failed" : step.changed ? "changed" : "unchanged";
        rows.push_back({std::string(step.pass->id), std::string(nameOf(step.pass->output)), std::string(result),
                        format("{}", rewritesOf(step, kernel)), timeText(step.time), std::string(step.pass->doc)});
    }
    return tableText(rows);
}

} // namespace

Outcome passes(const Arguments &arguments, const Environment &environment)
{
    Result<CompileRequest> request = requestOf(arguments, environment, CompileUntil::Lowered);
    if (!request)
        return requestFailed(request.error());
    ProgramCompiler compiler(environment.registry);
    const Compilation compilation = compileToLookAt(compiler, *request, environment.stop);
    Outcome outcome = failed(compilation.diagnostics);
    KernelId kernel;
    if (compilation.schedule != nullptr) {
        Result<KernelId> chosen = chosenKernel(arguments, *compilation.schedule);
        if (!chosen)
            return usageFailed(chosen.error());
        kernel = *chosen;
    }
    if (!compilation.pipeline.steps.empty())
        outcome.output = arguments.has("--json") ? jsonText(compilation, kernel) : plainText(compilation, kernel);
    return outcome;
}

} // namespace sw::command
