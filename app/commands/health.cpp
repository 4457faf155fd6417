#include "engine/api/health.h"

#include "app/commands/commands.h"
#include "app/commands/common.h"
#include "app/commands/execution.h"

#include <algorithm>
#include <charconv>

namespace sw::command {

namespace {

Result<double> bitsOf(const Arguments &arguments)
{
    const std::string text = arguments.value("--bits", format("{}", kUsualLostBits));
    double bits = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bits);
    if (error != std::errc() || end != text.data() + text.size() || !(bits >= 0))
        return Diagnostic::error(Code::Argument, {}, "--bits is {}, not a number of bits such as 12", sw::quoted(text));
    return bits;
}

const NodeHealth &nodeOf(std::span<const NodeHealth> nodes, const HealthFinding &finding)
{
    return *std::ranges::find(nodes, finding.node, &NodeHealth::node);
}

std::string plainText(std::span<const NodeHealth> nodes, std::span<const HealthFinding> findings, double bits)
{
    if (findings.empty())
        return format(
            "{} float values: none begins to be NaN, infinite or subnormal, and none loses more than {} bits against f64\n",
            nodes.size(), bits);
    std::vector<std::vector<std::string>> rows{{"node", "line", "value", "type", "begins", "what"}};
    for (const HealthFinding &finding : findings) {
        const NodeHealth &node = nodeOf(nodes, finding);
        rows.push_back({format("%{}", node.node), node.line == 0 ? "-" : format("{}", node.line), node.label, node.type,
                        std::string(nameOf(finding.kind)), finding.text});
    }
    return tableText(rows);
}

std::string jsonText(std::span<const NodeHealth> nodes, std::span<const HealthFinding> findings, double bits)
{
    JsonWriter json;
    json.beginObject().field("version", kJsonVersion).field("bits", bits);
    json.key("findings").beginArray();
    for (const HealthFinding &finding : findings) {
        const NodeHealth &node = nodeOf(nodes, finding);
        json.beginObject()
            .field("node", finding.node)
            .field("label", node.label)
            .field("line", node.line)
            .field("kind", nameOf(finding.kind))
            .field("text", finding.text)
            .endObject();
    }
    json.endArray();
    json.key("nodes").beginArray();
    for (const NodeHealth &node : nodes)
        json.beginObject()
            .field("node", node.node)
            .field("label", node.label)
            .field("type", node.type)
            .field("line", node.line)
            .field("elements", node.elements)
            .field("nans", node.nans)
            .field("infinities", node.infinities)
            .field("subnormals", node.subnormals)
            .field("bits_lost", node.bitsLost)
            .endObject();
    json.endArray();
    json.endObject();
    return json.text();
}

} // namespace

Outcome health(const Arguments &arguments, const Environment &environment)
{
    Result<CompileRequest> request = requestOf(arguments, environment, CompileUntil::Graph);
    if (!request)
        return requestFailed(request.error());
    const Result<std::uint64_t> seed = seedOf(arguments);
    if (!seed)
        return usageFailed(seed.error());
    const Result<double> bits = bitsOf(arguments);
    if (!bits)
        return usageFailed(bits.error());
    ProgramCompiler compiler(environment.registry);
    const Compilation compilation = compiler.compile(*request, environment.stop);
    Outcome outcome = failed(compilation.diagnostics);
    if (!compilation.succeeded)
        return outcome;
    const auto values = interpretedValues(*compilation.graph, runInputsOf(*request, compilation, *seed));
    if (!values)
        return failed(values.error());
    const auto nodes = healthOf(*compilation.graph, *values, environment.stop);
    if (!nodes)
        return failed(nodes.error());
    const std::vector<HealthFinding> findings = findingsOf(*nodes, *bits);
    outcome.output = arguments.has("--json") ? jsonText(*nodes, findings, *bits) : plainText(*nodes, findings, *bits);
    return outcome;
}

} // namespace sw::command
