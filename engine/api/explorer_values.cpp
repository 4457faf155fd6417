// Values of the last compilation.

#include "engine/api/explorer_implementation.h"
#include "engine/api/report_parts.h"
#include "engine/execute/input_values.h"
#include "engine/graph/interpreter.h"

#include <exception>
#include <optional>

namespace sw {

Result<HostTensor> Explorer::Implementation::interpret(NodeId node, std::stop_token stop) const
{
    SW_TRY(const auto values, programValues(*compilation.graph, seed, dimensions));
    // Nodes after this one are not needed: the interpreter is stopped once its value is there.
    std::stop_source found;
    const std::stop_callback forward(stop, [&] { found.request_stop(); });
    std::optional<HostTensor> value;
    InterpretOptions options;
    options.stop = found.get_token();
    options.onValue = [&](NodeId id, const HostTensor &made) {
        if (id != node)
            return;
        value = made;
        found.request_stop();
    };
    const Result<std::vector<HostTensor>> outputs = interpretGraph(*compilation.graph, values, options);
    if (value)
        return *value;
    if (!outputs)
        return outputs.failure();
    return Diagnostic::error(Code::Run, {}, "node %{} has no value", node.value);
}

TensorSummary Explorer::nodeValue(std::uint32_t node, std::stop_token stop)
{
    const Implementation &own = *m_implementation;
    TensorSummary summary;
    if (own.compilation.graph == nullptr || node >= own.compilation.graph->size())
        return summary;
    summary.name = format("%{}", node);
    try {
        const Result<HostTensor> value = own.interpret(NodeId(node), std::move(stop));
        if (value)
            return summaryOf(summary.name, *value);
        summary.error = toText(value.error());
    } catch (const std::exception &exception) {
        summary.error = toText(diagnosticOf(exception));
    }
    return summary;
}

} // namespace sw
