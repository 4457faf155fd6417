#include "engine/graph/interpreter_scan.h"

#include "engine/graph/evaluate_node.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

namespace sw {

namespace {

class ScanEvaluator {
public:
    ScanEvaluator(const Graph &graph, const Scan &scan, ScanValues values, const InterpretOptions &options)
        : m_graph(graph),
          m_scan(scan),
          m_values(values.values),
          m_isEvaluated(values.isEvaluated),
          m_branches(values.branches),
          m_options(options)
    {
        if (options.onFault)
            m_onFault = [this](const NodeIndexFault &fault) {
                const auto [known, isNew] = m_faults.emplace(fault.node, fault);
                if (!isNew)
                    known->second.count += fault.count;
            };
    }

    Result<Done> run(std::span<const NodeId> members)
    {
        std::map<NodeId, HostTensor> rows; // while they are filled
        // Without results nobody says what a step hands on.
        std::int64_t steps = m_scan.lasts.empty() && m_scan.rows.empty() ? 1 : m_scan.steps;
        if (m_options.end && m_options.end->scan == m_scan.number)
            steps = std::min(steps, m_options.end->step + 1);
        for (m_step = 0; m_step < steps; ++m_step) {
            for (const NodeId id : members) {
                const Node &node = m_graph.node(id);
                m_isEvaluated[id.value] = areMet(m_branches.of(id), m_values);
                if (!m_isEvaluated[id.value])
                    continue;
                if (node.kind == NodeKind::ScanRows) {
                    HostTensor &all = rows.try_emplace(id, node.dtype, node.shape).first->second;
                    store(node, all);
                    tell(id, all);
                    continue;
                }
                SW_TRY(m_values[id.value], valueOf(id));
                tell(id, m_values[id.value]);
            }
            m_handedOn.clear();
            for (const NodeId next : m_scan.nexts)
                m_handedOn.push_back(m_values[next.value]);
            if (m_scan.condition != kNoCondition && !m_handedOn.empty() && !handsOnTrue())
                break;
        }
        for (auto &[id, all] : rows)
            m_values[id.value] = std::move(all);
        for (const auto &[id, fault] : m_faults)
            m_options.onFault(fault);
        return Done{};
    }

private:
    void tell(NodeId id, const HostTensor &value) const
    {
        if (m_options.onStepValue)
            m_options.onStepValue(id, m_step, value);
    }

    Result<HostTensor> valueOf(NodeId id)
    {
        const Node &node = m_graph.node(id);
        if (node.kind == NodeKind::ScanCarry) {
            const auto index = static_cast<std::size_t>(scanAttributesOf(node).index);
            return m_step == 0 ? m_values[node.inputs[0].value] : m_handedOn[index];
        }
        if (node.kind == NodeKind::ScanSlice)
            return slice(node);
        if (node.kind == NodeKind::ScanLast)
            return m_values[node.inputs[static_cast<std::size_t>(scanAttributesOf(node).index)].value];
        std::vector<HostTensor> inputs;
        for (const NodeId input : node.inputs)
            inputs.push_back(m_values[input.value]);
        return evaluateNode(node, inputs, {m_options.stop, id, m_onFault});
    }

    // The row that the step has, in bytes.
    [[nodiscard]] std::size_t offset(const Node &node, std::size_t rowBytes) const
    {
        const std::int64_t row = scanAttributesOf(node).isReversed ? m_scan.steps - 1 - m_step : m_step;
        return static_cast<std::size_t>(row) * rowBytes;
    }

    [[nodiscard]] bool handsOnTrue() const { return m_handedOn[static_cast<std::size_t>(m_scan.condition)].at(0).asBool(); }

    [[nodiscard]] HostTensor slice(const Node &node) const
    {
        HostTensor part(node.dtype, node.shape);
        if (part.byteSize() > 0)
            std::memcpy(part.mutableBytes().data(),
                        m_values[node.inputs[0].value].bytes().subspan(offset(node, part.byteSize())).data(), part.byteSize());
        return part;
    }

    void store(const Node &node, HostTensor &all) const
    {
        const HostTensor &row = m_values[node.inputs.back().value];
        if (row.byteSize() > 0)
            std::memcpy(all.mutableBytes().subspan(offset(node, row.byteSize())).data(), row.bytes().data(), row.byteSize());
    }

    const Graph &m_graph;
    const Scan &m_scan;
    std::span<HostTensor> m_values;
    std::vector<bool> &m_isEvaluated;
    const BranchMap &m_branches;
    const InterpretOptions &m_options;
    std::function<void(const NodeIndexFault &)> m_onFault;
    std::map<NodeId, NodeIndexFault> m_faults;
    std::int64_t m_step = 0;
    std::vector<HostTensor> m_handedOn; // by carried value: from the step before
};

} // namespace

Result<Done> evaluateScan(const Graph &graph, const Scan &scan, std::span<const NodeId> members, ScanValues values,
                          const InterpretOptions &options)
{
    return ScanEvaluator(graph, scan, values, options).run(members);
}

} // namespace sw
