#include "app/commands/commands.h"
#include "app/commands/common.h"

#include <vector>

namespace sw::command {

namespace {

// Of kernels that share a body, what is rewritten is recorded for the first.
KernelId recordedFor(const PassStep &step, KernelId kernel)
{
    const auto *lowered = std::get_if<LoweredProgramPtr>(&step.after);
    return lowered == nullptr ? kernel : (*lowered)->kernels.bodyOf(kernel.value).kernel;
}

// Rewrites of the kernel; of all when it is invalid.
std::vector<const RewriteEvent *> rewritesOf(const PassStep &step, KernelId kernel)
{
    const KernelId wanted = kernel.isValid() ? recordedFor(step, kernel) : kernel;
    std::vector<const RewriteEvent *> found;
    for (const RewriteEvent &event : step.rewrites)
        if (!kernel.isValid() || event.kernel == wanted.value)
            found.push_back(&event);
    return found;
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
        for (const RewriteEvent *event : rewritesOf(step, kernel))
            json.beginObject().field("rule", event->rule).field("detail", event->detail).endObject();
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
                        format("{}", rewritesOf(step, kernel).size()), timeText(step.time), std::string(step.pass->doc)});
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
