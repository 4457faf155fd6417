#include "engine/api/compare/first_divergence.h"

#include "app/commands/commands.h"
#include "app/commands/common.h"
#include "app/commands/execution.h"

namespace sw::command {

namespace {

void writeResult(JsonWriter &json, const DivergentResult &result)
{
    json.key("kernel").beginObject().field("index", result.kernel).field("name", result.kernelName).field("node", result.node);
    json.field("label", result.label).field("line", result.line).field("element", result.index).field("place", result.place);
    json.field("expected", result.expected).field("actual", result.actual).field("bound", result.bound).endObject();
}

void writePass(JsonWriter &json, const DivergentPass &pass)
{
    json.key("pass").beginObject().field("index", pass.pass).field("id", pass.passId);
    if (pass.rewrite)
        json.field("rewrite", *pass.rewrite).field("rule", pass.rule).field("detail", pass.detail);
    json.field("difference", pass.difference).endObject();
}

void writeDivergence(JsonWriter &json, const std::string &device, const FirstDivergence &found)
{
    json.beginObject().field("device", device).field("found", found.isFound()).field("kernels_judged", found.kernelsJudged);
    if (found.result)
        writeResult(json, *found.result);
    if (found.pass)
        writePass(json, *found.pass);
    if (!found.passNote.empty())
        json.field("passes_not_judged", found.passNote);
    json.endObject();
}

} // namespace

Outcome compareWithReference(const Arguments &arguments, const Environment &environment)
{
    Result<CompileRequest> request = requestOf(arguments, environment, CompileUntil::Machine);
    if (!request)
        return requestFailed(request.error());
    const Result<std::uint64_t> seed = seedOf(arguments);
    if (!seed)
        return usageFailed(seed.error());
    ProgramCompiler compiler(environment.registry);
    JsonWriter json;
    json.beginObject().field("version", kJsonVersion).key("devices").beginArray();
    Outcome outcome;
    bool isFound = false;
    std::string text;
    for (const std::string &device : namesIn(arguments.value("--devices", std::string(kUsualDevice)))) {
        request->device = device;
        const Compilation compilation = compiler.compile(*request, environment.stop);
        if (!compilation.succeeded)
            return failed(compilation.diagnostics);
        DivergenceOptions options;
        options.stop = environment.stop;
        const auto found = firstDivergence(compiler, compilation, runInputsOf(*request, compilation, *seed), options);
        if (!found)
            return failed(found.error());
        isFound = isFound || found->isFound();
        writeDivergence(json, device, *found);
        text += format("{}: {}", device, found->text());
    }
    json.endArray().field("found", isFound).endObject();
    outcome.exitCode = isFound ? ExitCode::Different : ExitCode::Success;
    outcome.output = arguments.has("--json") ? json.text() : text;
    return outcome;
}

} // namespace sw::command
