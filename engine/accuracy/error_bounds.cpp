#include "engine/accuracy/error_bounds.h"

#include "engine/accuracy/composite_bounds.h"
#include "engine/accuracy/convolution_bounds.h"
#include "engine/accuracy/error_rules.h"
#include "engine/accuracy/reduction_bounds.h"
#include "engine/graph/evaluate_node.h"
#include "engine/graph/interpreter.h"
#include "engine/graph/output_crops.h"
#include "engine/graph/scan.h"
#include "engine/types/elements.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace sw {

namespace {

// The known data about a node's value: how far it may be off under each model.
struct Bounded {
    HostTensor value;
    std::vector<HostTensor> bounds; // by model
    bool isExact = false;           // all bounds are 0
};

class BoundComputer {
public:
    BoundComputer(const Graph &graph, std::vector<ErrorModel> models)
        : m_graph(graph),
          m_models(std::move(models)),
          m_last(lastReaders(graph)),
          m_nodes(graph.size()),
          m_scans(scansOf(graph)),
          m_order(scanOrderOf(graph, m_scans))
    {
        findConvolutions();
    }

    void add(NodeId id, const HostTensor &value)
    {
        Bounded &bounded = m_nodes[id.value];
        bounded.value = value;
        bounded.bounds.clear();
        m_model = 0;
        bounded.bounds.push_back(boundsOf(id));
        bounded.isExact = isZero(bounded.bounds.front());
        while (++m_model < m_models.size())
            bounded.bounds.push_back(bounded.isExact ? bounded.bounds.front() : boundsOf(id));
        if (isOfScan(id))
            return; // what it reads is read again in the next step
        for (const NodeId input : m_graph.node(id).inputs)
            if (m_last[input.value] == id)
                m_nodes[input.value] = {};
        if (const auto made = m_convolutions.find(id); made != m_convolutions.end())
            for (const NodeId factor : {made->second.windowFactor, made->second.kernelFactor})
                if (m_last[factor.value] == id)
                    m_nodes[factor.value] = {};
    }
    // The same for a node of a scan, in each step.
    void addStep(NodeId id, std::int64_t step, const HostTensor &value)
    {
        const Scan &scan = m_scans.scans[m_order.scans[id.value]];
        if (step != m_step) {
            m_handedOn.clear();
            for (const NodeId next : scan.nexts)
                m_handedOn.push_back(m_nodes[next.value].bounds);
        }
        m_step = step;
        if (m_graph.node(id).kind == NodeKind::ScanRows)
            addRow(id);
        if (m_graph.node(id).kind != NodeKind::ScanRows || isLastStep(scan))
            add(id, value);
    }
    // Rows come behind what the step hands on.
    [[nodiscard]] bool isLastStep(const Scan &scan) const
    {
        if (m_step + 1 == scan.steps)
            return true;
        return scan.condition != kNoCondition &&
               !m_nodes[scan.nexts[static_cast<std::size_t>(scan.condition)].value].value.at(0).asBool();
    }
    [[nodiscard]] bool isOfScan(NodeId id) const { return !m_order.scans.empty() && m_order.scans[id.value] != kNoScan; }
    [[nodiscard]] const HostTensor &bounds(NodeId id, std::size_t model) const { return m_nodes[id.value].bounds[model]; }

private:
    static bool isZero(const HostTensor &bounds)
    {
        return std::ranges::all_of(bounds.bytes(), [](std::byte byte) { return byte == std::byte{0}; });
    }

    [[nodiscard]] const HostTensor &inputValue(const Node &node, std::size_t i) const
    {
        return m_nodes[node.inputs[i].value].value;
    }
    [[nodiscard]] const HostTensor &inputBounds(const Node &node, std::size_t i) const
    {
        return m_nodes[node.inputs[i].value].bounds[m_model];
    }
    [[nodiscard]] bool areInputsExact(const Node &node) const
    {
        return std::ranges::all_of(node.inputs, [this](NodeId input) { return m_nodes[input.value].isExact; });
    }

    HostTensor boundsOf(NodeId id)
    {
        const Node &node = m_graph.node(id);
        if (sw::isOfScan(node.kind))
            return scanned(id);
        if (node.kind == NodeKind::Choose)
            return chosen(node);
        switch (familyOf(node.kind)) {
        case NodeFamily::Leaf:
            return HostTensor(DType::F64, node.shape);
        case NodeFamily::Elementwise:
            return elementwise(id);
        case NodeFamily::Movement:
        case NodeFamily::Structural:
        case NodeFamily::Marker:
            return moved(node, false);
        case NodeFamily::Reduce:
            return reduced(id);
        case NodeFamily::Indexing:
            return indexed(node);
        case NodeFamily::Composite:
            return composite(id);
        case NodeFamily::Root:
            break;
        }
        SW_UNREACHABLE();
    }

    // The factors of a convolution's products stay until the products are summed.
    void findConvolutions()
    {
        const auto nodeOf = [this](NodeId id) -> const Node & { return m_graph.node(id); };
        for (NodeId id(0U); id < m_graph.sink(); ++id.value)
            if (const auto found = convolutionOf(nodeOf, m_graph.node(id))) {
                m_convolutions.emplace(id, *found);
                for (const NodeId factor : {found->windowFactor, found->kernelFactor})
                    m_last[factor.value] = std::max(m_last[factor.value], id);
            }
    }

    HostTensor reduced(NodeId id)
    {
        const Node &node = m_graph.node(id);
        HostTensor bounds =
            reductionBounds(node, m_nodes[id.value].value,
                            {&inputValue(node, 0), &inputBounds(node, 0), isProduct(node.inputs[0])}, m_models[m_model]);
        const auto made = m_convolutions.find(id);
        if (made == m_convolutions.end())
            return bounds;
        const auto factor = [this](NodeId of) {
            return ConvolutionFactor{&m_nodes[of.value].value, &m_nodes[of.value].bounds[m_model]};
        };
        widenToTiles(bounds, made->second, factor(made->second.windowFactor), factor(made->second.kernelFactor),
                     m_models[m_model]);
        return bounds;
    }

    // The other branch may have no value. Where the condition may be another one on a device, so may everything.
    HostTensor chosen(const Node &node)
    {
        if (inputBounds(node, 0).at(0).asDouble() != 0)
            return HostTensor::filled(Scalar::of(DType::F64, kAnything), node.shape);
        return inputBounds(node, inputValue(node, 0).at(0).asBool() ? 1 : 2);
    }

    // The bounds of what a scan reads, hands on and collects, which move with it.
    HostTensor scanned(NodeId id)
    {
        const Node &node = m_graph.node(id);
        const ScanAttributes &scan = scanAttributesOf(node);
        const auto index = static_cast<std::size_t>(scan.index);
        if (node.kind == NodeKind::ScanCarry)
            return m_step == 0 ? inputBounds(node, 0) : m_handedOn[index][m_model];
        if (node.kind == NodeKind::ScanLast)
            return inputBounds(node, index);
        if (node.kind == NodeKind::ScanSlice) {
            HostTensor part(DType::F64, node.shape);
            const auto from = inputBounds(node, 0).bytes().subspan(rowOf(node) * part.byteSize(), part.byteSize());
            std::ranges::copy(from, part.mutableBytes().begin());
            return part;
        }
        return m_rows.at(id).at(m_model);
    }

    void addRow(NodeId id)
    {
        const Node &node = m_graph.node(id);
        std::vector<HostTensor> &all = m_rows[id];
        for (std::size_t model = 0; model < m_models.size(); ++model) {
            if (all.size() == model)
                all.emplace_back(DType::F64, node.shape);
            const HostTensor &row = m_nodes[node.inputs.back().value].bounds[model];
            std::ranges::copy(row.bytes(), all[model].mutableBytes().subspan(rowOf(node) * row.byteSize()).begin());
        }
    }

    [[nodiscard]] std::size_t rowOf(const Node &node) const
    {
        const ScanAttributes &scan = scanAttributesOf(node);
        return static_cast<std::size_t>(scan.isReversed ? scan.steps - 1 - m_step : m_step);
    }

    // The bounds move with the elements. In indexing, only the first input carries bounds.
    HostTensor moved(Node node, bool hasIndices)
    {
        if (areInputsExact(node))
            return HostTensor(DType::F64, node.shape);
        std::vector<HostTensor> inputs;
        for (std::size_t i = 0; i < node.inputs.size(); ++i)
            inputs.push_back(hasIndices && i > 0 ? inputValue(node, i) : inputBounds(node, i));
        node.dtype = DType::F64;
        if (auto *pad = std::get_if<PadAttributes>(&node.attributes))
            pad->fill = Scalar::of(DType::F64, 0.0);
        return evaluateNode(node, inputs, {}).value();
    }

    HostTensor indexed(const Node &node)
    {
        HostTensor out = moved(node, true);
        for (std::size_t k = 1; k < node.inputs.size(); ++k)
            for (std::int64_t i = 0; i < out.elements(); ++i)
                if (inputBounds(node, k).at(i).asDouble() != 0)
                    out.set(i, Scalar::of(DType::F64, kAnything));
        return out;
    }

    HostTensor composite(NodeId id)
    {
        const Node &node = m_graph.node(id);
        std::vector<BoundedInput> inputs;
        for (std::size_t i = 0; i < node.inputs.size(); ++i)
            inputs.push_back({&inputValue(node, i), &inputBounds(node, i)});
        return compositeBounds(node, m_nodes[id.value].value, inputs);
    }

    HostTensor elementwise(NodeId id)
    {
        const Node &node = m_graph.node(id);
        // A user-defined expression may round in any way.
        if (node.kind == NodeKind::Custom)
            return HostTensor::filled(Scalar::of(DType::F64, kAnything), node.shape);
        const HostTensor &value = m_nodes[id.value].value;
        const bool mayFuse = std::ranges::any_of(node.inputs, [this](NodeId input) { return isProduct(input); });
        HostTensor out(DType::F64, node.shape);
        if (areInputsExact(node) && keepsExact(node, mayFuse))
            return out;
        std::array<Approximate, 3> operands;
        std::array<std::span<const double>, 3> errors;
        for (std::size_t k = 0; k < node.inputs.size(); ++k)
            errors[k] = elementsOf<double>(inputBounds(node, k));
        const std::span<double> bounds = mutableElementsOf<double>(out);
        for (std::size_t i = 0; i < bounds.size(); ++i) {
            const auto flat = static_cast<std::int64_t>(i);
            for (std::size_t k = 0; k < node.inputs.size(); ++k)
                operands[k] = {inputValue(node, k).at(flat), errors[k][i]};
            bounds[i] = elementError(node, value.at(flat), std::span(operands).first(node.inputs.size()), mayFuse);
        }
        return out;
    }

    // A single rounding gives the same result on every device.
    static bool keepsExact(const Node &node, bool mayFuse)
    {
        if (node.kind == NodeKind::Cast || node.kind == NodeKind::Bitcast)
            return false; // the bits of NaN are visible
        return !mayFuse && node.op != Op::Mulacc && !has(infoOf(node.op).traits, Trait::Transcendental);
    }

    static double elementError(const Node &node, const Scalar &result, std::span<const Approximate> operands, bool mayFuse)
    {
        if (node.kind == NodeKind::Cast && std::holds_alternative<SaturateAttributes>(node.attributes))
            return operands[0].error == 0 ? 0 : kAnything; // near the limit it could be on either side
        if (node.kind == NodeKind::Cast)
            return errorOfCast(result, operands[0]);
        if (node.kind == NodeKind::Bitcast)
            return errorOfBitcast(result, operands[0]);
        return errorOf(node.op, result, operands, mayFuse);
    }

    // Looks through movement nodes. Products of f16 and bf16 do not count: they are rounded before they are added.
    [[nodiscard]] bool isProduct(NodeId id) const
    {
        const Node *node = &m_graph.node(id);
        while (familyOf(node->kind) == NodeFamily::Movement)
            node = &m_graph.node(node->inputs[0]);
        return node->kind == NodeKind::Binary && node->op == Op::Mul && !isStorageOnly(node->dtype);
    }

    const Graph &m_graph;
    std::vector<ErrorModel> m_models;
    std::vector<NodeId> m_last;
    std::vector<Bounded> m_nodes;
    std::size_t m_model = 0; // the model that boundsOf refers to
    ScanMap m_scans;
    ScanOrder m_order;
    std::int64_t m_step = 0;                          // of the scan that is being evaluated
    std::vector<std::vector<HostTensor>> m_handedOn;  // by carried value, then model: from the step before
    std::map<NodeId, std::vector<HostTensor>> m_rows; // by model, as far as they are known
    std::map<NodeId, Convolution> m_convolutions;
};

} // namespace

Result<BoundedOutputs> interpretNodesWithBounds(const Graph &graph, std::span<const HostTensor> inputs,
                                                std::span<const NodeId> nodes, const BoundOptions &options)
{
    std::vector<ErrorModel> models{ErrorModel::Guaranteed};
    if (options.withTypical)
        models.push_back(ErrorModel::Typical);
    BoundComputer computer(graph, models);
    BoundedOutputs out;
    out.bounds.resize(nodes.size());
    out.typical.resize(options.withTypical ? nodes.size() : 0);
    InterpretOptions interpret;
    interpret.stop = options.stop;
    interpret.onStepValue = [&](NodeId id, std::int64_t step, const HostTensor &value) { computer.addStep(id, step, value); };
    interpret.onValue = [&](NodeId id, const HostTensor &value) {
        if (!computer.isOfScan(id))
            computer.add(id, value);
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            if (nodes[i] != id)
                continue;
            out.bounds[i] = computer.bounds(id, 0);
            if (options.withTypical)
                out.typical[i] = computer.bounds(id, 1);
        }
    };
    SW_TRY(out.values, interpretNodes(graph, inputs, nodes, interpret));
    return out;
}

Result<BoundedOutputs> interpretWithBounds(const Graph &graph, std::span<const HostTensor> inputs, const BoundOptions &options)
{
    const CountedOutputs counted = countedOutputsOf(graph);
    SW_TRY(BoundedOutputs made, interpretNodesWithBounds(graph, inputs, counted.nodes, options));
    if (!counted.isCounted())
        return made;
    made.bounds = croppedLike(counted, std::move(made.bounds), made.values);
    if (!made.typical.empty())
        made.typical = croppedLike(counted, std::move(made.typical), made.values);
    made.values = croppedOutputs(counted, std::move(made.values));
    return made;
}

} // namespace sw
