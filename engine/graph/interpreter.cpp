#include "engine/graph/interpreter.h"

#include "engine/base/call_notes.h"
#include "engine/graph/branch_order.h"
#include "engine/graph/evaluate_node.h"
#include "engine/graph/interpreter_scan.h"
#include "engine/graph/output_crops.h"

#include <algorithm>
#include <utility>

namespace sw {

namespace {

Result<Done> checkPlaceholders(const Graph &graph, std::span<const NodeId> nodes, std::span<const HostTensor> values)
{
    if (nodes.size() != values.size())
        return Diagnostic::error(Code::Argument, {}, "the graph has {} inputs and parameters, not {}", nodes.size(),
                                 values.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const Node &node = graph.node(nodes[i]);
        if (node.dtype != values[i].dtype() || node.shape != values[i].shape())
            return Diagnostic::error(Code::ShapeMismatch, graph.sources().programRange(node.origin), "{} is {}, but was given {}",
                                     attributesOf<PlaceholderAttributes>(node).name, typeText(node.dtype, node.shape),
                                     typeText(values[i].dtype(), values[i].shape()));
    }
    return Done{};
}

// Evaluates nodes in an order in which those of a scan are together, and frees values after their last use.
class Interpreter {
public:
    // isKept: by node, whether the value is wanted at the end.
    Interpreter(const Graph &graph, std::span<const HostTensor> placeholders, const InterpretOptions &options,
                std::vector<bool> isKept)
        : m_graph(graph),
          m_placeholders(placeholders),
          m_options(options),
          m_isKept(std::move(isKept)),
          m_scans(scansOf(graph)),
          m_order(scanOrderOf(graph, m_scans)),
          m_leaves(graph.placeholders()),
          m_values(graph.size()),
          m_isEvaluated(graph.size(), false)
    {
    }

    // The values of the nodes that are kept. isNeeded: by node, whether to evaluate it. What these nodes need has to be among
    // them.
    Result<std::vector<HostTensor>> run(const std::vector<bool> &isNeeded) &&
    {
        std::vector<NodeId> roots;
        for (std::size_t i = 0; i < m_isKept.size(); ++i)
            if (m_isKept[i])
                roots.emplace_back(i);
        m_branches = branchesOf(m_graph, m_scans, roots);
        m_order = withConditionsFirst(m_graph, std::move(m_order), m_branches);
        std::erase_if(m_order.nodes, [&](NodeId id) { return !isNeeded[id.value]; });
        m_lastUses.assign(m_graph.size(), 0);
        for (std::size_t begin = 0; begin < m_order.nodes.size();) {
            const std::size_t end = endOfUnit(begin);
            for (; begin < end; ++begin) {
                for (const NodeId input : m_graph.node(m_order.nodes[begin]).inputs)
                    m_lastUses[input.value] = end;
                for (const Requirement &one : m_branches.of(m_order.nodes[begin]))
                    m_lastUses[one.condition.value] = end;
            }
        }
        for (std::size_t begin = 0; begin < m_order.nodes.size();) {
            const std::size_t end = endOfUnit(begin);
            SW_CHECK(finish({&m_order.nodes[begin], end - begin}, end));
            begin = end;
        }
        return std::move(m_values);
    }

    // Adds what the needed nodes need themselves.
    void addNeeded(std::vector<bool> &isNeeded) const
    {
        std::vector<NodeId> open;
        for (std::size_t i = 0; i < isNeeded.size(); ++i)
            if (isNeeded[i])
                open.emplace_back(i);
        const auto add = [&](NodeId id) {
            if (!isNeeded[id.value])
                open.push_back(id);
            isNeeded[id.value] = true;
        };
        while (!open.empty()) {
            const NodeId id = open.back();
            open.pop_back();
            std::ranges::for_each(m_graph.node(id).inputs, add);
            if (const std::uint32_t scan = m_scans.bodyOf(id); scan != kNoScan)
                std::ranges::for_each(m_scans.scans[scan].nexts, add);
        }
    }

private:
    [[nodiscard]] std::uint32_t scanAt(std::size_t place) const
    {
        return m_order.scans.empty() ? kNoScan : m_order.scans[m_order.nodes[place].value];
    }

    // Behind the last node that is evaluated together with this first one.
    [[nodiscard]] std::size_t endOfUnit(std::size_t begin) const
    {
        std::size_t end = begin + 1;
        if (scanAt(begin) != kNoScan)
            while (end < m_order.nodes.size() && scanAt(end) == scanAt(begin))
                ++end;
        return end;
    }

    // end: behind the unit in the order.
    Result<Done> finish(std::span<const NodeId> unit, std::size_t end)
    {
        SW_CHECK(evaluate(unit));
        std::vector<NodeId> done;
        for (const NodeId id : unit) {
            if (m_options.onValue && m_isEvaluated[id.value])
                m_options.onValue(id, m_values[id.value]);
            for (const NodeId input : m_graph.node(id).inputs)
                if (m_lastUses[input.value] == end && !m_isKept[input.value])
                    done.push_back(input);
        }
        for (const NodeId input : done)
            m_values[input.value] = HostTensor();
        return Done{};
    }

    Result<Done> evaluate(std::span<const NodeId> unit)
    {
        const NodeId id = unit.front();
        const Node &node = m_graph.node(id);
        if (!m_order.scans.empty() && m_order.scans[id.value] != kNoScan)
            return evaluateScan(m_graph, m_scans.scans[m_order.scans[id.value]], unit, {m_values, m_isEvaluated, m_branches},
                                m_options);
        if (!areMet(m_branches.of(id), m_values))
            return Done{};
        m_isEvaluated[id.value] = true;
        if (node.kind == NodeKind::Placeholder) {
            m_values[id.value] =
                m_placeholders[static_cast<std::size_t>(std::ranges::lower_bound(m_leaves, id) - m_leaves.begin())];
            return Done{};
        }
        std::vector<HostTensor> inputs;
        for (const NodeId input : node.inputs)
            inputs.push_back(m_values[input.value]);
        SW_TRY(m_values[id.value], evaluateNode(node, inputs, {m_options.stop, id, m_options.onFault}));
        return Done{};
    }

    const Graph &m_graph;
    std::span<const HostTensor> m_placeholders;
    const InterpretOptions &m_options;
    std::vector<bool> m_isKept;
    ScanMap m_scans;
    ScanOrder m_order;
    std::vector<NodeId> m_leaves;
    std::vector<HostTensor> m_values;
    std::vector<bool> m_isEvaluated; // the others are needed only where another branch is chosen
    BranchMap m_branches;
    std::vector<std::size_t> m_lastUses; // by node: the end of the last unit that reads it
};

} // namespace

std::vector<NodeId> lastReaders(const Graph &graph)
{
    std::vector<NodeId> last(graph.size());
    // Nodes of such a graph are not evaluated in their order.
    const bool isAnyChoice = std::ranges::any_of(graph.nodes(), [](const Node &node) { return node.kind == NodeKind::Choose; });
    for (std::size_t i = 0; i < graph.size(); ++i)
        for (const NodeId input : graph.node(NodeId(i)).inputs)
            last[input.value] = isAnyChoice ? graph.sink() : NodeId(i);
    return last;
}

Result<std::vector<HostTensor>> interpretGraph(const Graph &graph, std::span<const HostTensor> placeholders,
                                               const InterpretOptions &options)
{
    SW_CHECK(checkPlaceholders(graph, graph.placeholders(), placeholders));
    std::vector<bool> isKept(graph.size(), false);
    const CountedOutputs counted = countedOutputsOf(graph);
    for (const NodeId output : counted.nodes)
        isKept[output.value] = true;
    Interpreter interpreter(graph, placeholders, options, std::move(isKept));
    SW_TRY(const std::vector<HostTensor> values, std::move(interpreter).run(std::vector<bool>(graph.size(), true)));
    std::vector<HostTensor> outputs;
    for (const NodeId output : counted.nodes)
        outputs.push_back(values[output.value]);
    return croppedOutputs(counted, std::move(outputs));
}

Result<std::vector<HostTensor>> interpretNodes(const Graph &graph, std::span<const HostTensor> placeholders,
                                               std::span<const NodeId> wanted, const InterpretOptions &options)
{
    SW_CHECK(checkPlaceholders(graph, graph.placeholders(), placeholders));
    std::vector<bool> isNeeded(graph.size());
    for (const NodeId id : wanted) {
        SW_ASSERT(id < graph.sink(), "a node that has a value");
        isNeeded[id.value] = true;
    }
    Interpreter interpreter(graph, placeholders, options, isNeeded);
    interpreter.addNeeded(isNeeded);
    SW_TRY(const std::vector<HostTensor> values, std::move(interpreter).run(isNeeded));
    std::vector<HostTensor> made;
    for (const NodeId id : wanted)
        made.push_back(values[id.value]);
    return made;
}

Diagnostic toDiagnostic(const NodeIndexFault &fault, const Graph &graph)
{
    return toldAt(graph.sources(), graph.node(fault.node).origin,
                  Diagnostic::error(Code::IndexOutOfRange, {},
                                    "index {} is out of range for axis {} of extent {} ({} such indices)", fault.index,
                                    fault.axis, fault.extent, fault.count));
}

} // namespace sw
