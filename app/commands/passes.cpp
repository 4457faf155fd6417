#include "app/commands/commands.h"
#include "app/commands/common.h"
#include "engine/api/changed_lines.h"
#include "engine/passes/rule_order.h"

#include <algorithm>
#include <span>
#include <vector>

namespace sw::command {

namespace {

// If kernels share a body, its rewrites are recorded for the first of them.
KernelId recordedFor(const PassStep &step, KernelId kernel)
{
    const auto *lowered = std::get_if<LoweredProgramPtr>(&step.after);
    return lowered == nullptr ? kernel : (*lowered)->kernels.bodyOf(kernel.value).kernel;
}

// Counts the kernel's rewrites by rule, the most frequent first; counts those of all kernels if the id is invalid.
std::vector<RuleCount> rulesOf(const PassStep &step, KernelId kernel)
{
    if (!kernel.isValid())
        return byFrequency(step.rewrites.rules());
    const KernelId wanted = recordedFor(step, kernel);
    std::vector<RuleCount> rules;
    for (std::size_t i = 0; i < step.rewrites.size(); ++i) {
        if (step.rewrites.kernel(i) != wanted)
            continue;
        const auto known = std::ranges::find(rules, step.rewrites.rule(i), &RuleCount::rule);
        if (known == rules.end())
            rules.push_back({step.rewrites.rule(i), 1});
        else
            ++known->rewrites;
    }
    return byFrequency(rules);
}

std::string jsonText(const Compilation &compilation, KernelId kernel, std::stop_token stop)
{
    JsonWriter json;
    json.beginObject().field("version", kJsonVersion).field("device", compilation.target.device.id);
    json.key("passes").beginArray();
    for (const PassStep &step : compilation.pipeline.steps) {
        json.beginObject().field("id", step.pass->id).field("title", step.pass->title);
        json.field("input", nameOf(step.pass->input)).field("output", nameOf(step.pass->output));
        json.field("changed", step.changed).field("failed", step.failed);
        json.field("ns", static_cast<std::int64_t>(step.time.count()));
        json.key("rules").beginArray();
        for (const RuleCount &count : rulesOf(step, kernel))
            json.beginObject().field("rule", count.rule).field("rewrites", std::int64_t{count.rewrites}).endObject();
        json.endArray();
        json.key("rewrites").beginArray();
        const KernelId wanted = kernel.isValid() ? recordedFor(step, kernel) : kernel;
        for (const RewriteEvent &event : rewritesOf(step, compilation.target, kAllRewrites, stop))
            if (!kernel.isValid() || event.kernel == wanted)
                json.beginObject().field("rule", event.rule).field("detail", event.detail).endObject();
        json.endArray().endObject();
    }
    json.endArray().endObject();
    return json.text();
}

// Names the most frequent rules: "mul-by-one 12, fold-constants 3, 2 others".
std::string rulesText(std::span<const RuleCount> rules)
{
    constexpr std::size_t kMost = 3;
    const std::size_t shown = std::min(rules.size(), kMost);
    std::string text =
        join(rules.first(shown), ", ", [](const RuleCount &count) { return format("{} {}", count.rule, count.rewrites); });
    if (rules.size() > shown)
        text += format(", {} other{}", rules.size() - shown, rules.size() - shown == 1 ? "" : "s");
    return text;
}

std::string plainText(const Compilation &compilation, KernelId kernel)
{
    std::vector<std::vector<std::string>> rows{{"pass", "stage", "result", "rewrites", "time", "what it does", "rules"}};
    for (const PassStep &step : compilation.pipeline.steps) {
        const std::string_view result = step.failed ? "failed" : step.changed ? "changed" : "unchanged";
        const std::vector<RuleCount> rules = rulesOf(step, kernel);
        std::uint32_t rewrites = 0;
        for (const RuleCount &count : rules)
            rewrites += count.rewrites;
        rows.push_back({std::string(step.pass->id), std::string(nameOf(step.pass->output)), std::string(result),
                        format("{}", rewrites), timeText(step.time), std::string(step.pass->doc), rulesText(rules)});
    }
    return tableText(rows);
}

// What a pass changed, as lines with + and -.
std::string differenceText(const CompilerPass &pass)
{
    std::string text;
    for (const ChangedLine &line : changedLines(pass.before, pass.after))
        text += format("{} {}\n", line.isAdded ? '+' : '-', line.text);
    return text;
}

void writePass(JsonWriter &json, const CompilerPass &pass)
{
    json.beginObject().field("name", pass.name).field("changed", pass.isChanged);
    json.field("ns", static_cast<std::int64_t>(pass.time.count()));
    if (pass.isChanged && !pass.after.empty())
        json.field("before", pass.before).field("after", pass.after);
    json.endObject();
}

// The passes of LLVM, kernel after kernel: a table, and for one kernel what each pass changed.
Outcome compilerPasses(ProgramCompiler &compiler, const Compilation &compilation, KernelId kernel, bool isJson)
{
    JsonWriter json;
    json.beginObject().field("version", kJsonVersion).key("kernels").beginArray();
    std::string text;
    for (const LoweredKernel &lowered : compilation.lowered->kernels) {
        if (kernel.isValid() && lowered.kernel != kernel)
            continue;
        const Result<std::vector<CompilerPass>> made = compiler.compilerPasses(compilation, lowered.kernel);
        if (!made)
            return failed(made.error());
        json.beginObject().field("name", lowered.name).key("passes").beginArray();
        std::vector<std::vector<std::string>> rows{{"pass", "result", "time"}};
        std::string differences;
        for (const CompilerPass &pass : *made) {
            writePass(json, pass);
            rows.push_back({pass.name, pass.isChanged ? "changed" : "unchanged", timeText(pass.time)});
            if (pass.isChanged && kernel.isValid())
                differences += format("\n{}:\n{}", pass.name, differenceText(pass));
        }
        json.endArray().endObject();
        text += (text.empty() ? "" : "\n") + lowered.name + ":\n" + tableText(rows) + differences;
    }
    json.endArray().endObject();
    Outcome outcome;
    outcome.output = isJson ? json.text() : text;
    return outcome;
}

} // namespace

Outcome passes(const Arguments &arguments, const Environment &environment)
{
    const bool isLlvm = arguments.has("--llvm");
    Result<CompileRequest> request = requestOf(arguments, environment, isLlvm ? CompileUntil::Code : CompileUntil::Lowered);
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
    if (isLlvm)
        return compilation.succeeded ? compilerPasses(compiler, compilation, kernel, arguments.has("--json")) : outcome;
    if (!compilation.pipeline.steps.empty())
        outcome.output =
            arguments.has("--json") ? jsonText(compilation, kernel, environment.stop) : plainText(compilation, kernel);
    return outcome;
}

} // namespace sw::command
