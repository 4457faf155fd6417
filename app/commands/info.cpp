#include "app/commands/commands.h"
#include "app/commands/common.h"
#include "engine/api/program_facts.h"
#include "engine/api/quantity.h"

namespace sw::command {

namespace {

constexpr std::uint64_t kUsualDepth = 2;
constexpr std::uint64_t kMostDepth = 100;
constexpr std::size_t kIndent = 2;

std::string textOf(const ProgramFacts &facts)
{
    std::string text;
    for (const std::string &line : facts.about)
        text += line + '\n';
    const auto addPorts = [&](std::string_view what, const std::vector<NamedType> &ports) {
        for (const NamedType &port : ports)
            text += format("{:<6}  {}: {}\n", what, port.name, port.type);
    };
    addPorts("input", facts.inputs);
    addPorts("output", facts.outputs);
    text += format("{} parameters in {} tensors, {}\n\n", facts.parameterElements, facts.parameterTensors,
                   bytesText(facts.parameterBytes));
    std::vector<std::vector<std::string>> rows{{"scope", "operations", "arithmetic"}};
    for (const ScopeFacts &scope : facts.scopes) {
        std::string name = scope.path.empty() ? "all" : scope.path.substr(scope.path.rfind('/') + 1);
        if (scope.count > 1)
            name += format(" ({} of them)", scope.count);
        rows.push_back(
            {std::string(kIndent * scope.depth, ' ') + name, format("{}", scope.operations), amountText(scope.flops, "flop")});
    }
    return text + tableText(rows);
}

std::string jsonOf(const ProgramFacts &facts)
{
    JsonWriter json;
    json.beginObject().field("version", kJsonVersion);
    json.key("about").beginArray();
    for (const std::string &line : facts.about)
        json.value(line);
    json.endArray();
    const auto writePorts = [&](std::string_view key, const std::vector<NamedType> &ports) {
        json.key(key).beginArray();
        for (const NamedType &port : ports)
            json.beginObject().field("name", port.name).field("type", port.type).endObject();
        json.endArray();
    };
    writePorts("inputs", facts.inputs);
    writePorts("outputs", facts.outputs);
    json.key("parameters").beginObject().field("tensors", facts.parameterTensors).field("elements", facts.parameterElements);
    json.field("bytes", facts.parameterBytes).endObject();
    json.key("scopes").beginArray();
    for (const ScopeFacts &scope : facts.scopes)
        json.beginObject()
            .field("path", scope.path)
            .field("count", scope.count)
            .field("operations", scope.operations)
            .field("flops", scope.flops)
            .endObject();
    return json.endArray().endObject().text();
}

} // namespace

Outcome info(const Arguments &arguments, const Environment &environment)
{
    const Result<CompileRequest> request = requestOf(arguments, environment, CompileUntil::Program);
    if (!request)
        return requestFailed(request.error());
    const Result<std::uint64_t> depth = arguments.number("--depth", kUsualDepth, 0, kMostDepth);
    if (!depth)
        return usageFailed(depth.error());
    const FrontEndResult opened = openProgram(request->program, environment.stop);
    const auto *graph = opened.stage ? std::get_if<GraphPtr>(&*opened.stage) : nullptr;
    if (graph == nullptr && opened.stage)
        return failed({Diagnostic::error(Code::Unsupported, {request->program.fileName},
                                         "a lowered program has no inputs, parameters or scopes to tell of")});
    Outcome outcome = failed(opened.diagnostics);
    if (graph != nullptr) {
        const ProgramFacts facts = factsOf(**graph, *depth);
        outcome.output = arguments.has("--json") ? jsonOf(facts) : textOf(facts);
    }
    return outcome;
}

} // namespace sw::command
