#include "tests/fuzz/error_bounds.h"

#include "engine/graph/evaluate_node.h"
#include "tests/fuzz/composite_bounds.h"
#include "tests/fuzz/error_rules.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace sw {

namespace {

// The sums that the error of a reduction depends on, for one element of the result.
struct Tally {
    double error = 0;      // sum of the elements' errors
    double magnitude = 0;  // sum of their magnitudes
    double logarithms = 0; // sum of |log2| of those that are finite and not zero
    double relative = 0;   // sum of their relative errors
    std::int64_t count = 0;
};

class BoundComputer {
public:
    explicit BoundComputer(const Graph &graph) : m_graph(graph), m_values(graph.size()), m_bounds(graph.size()) {}

    void add(NodeId id, const HostTensor &value)
    {
        m_values[id.value] = value;
        m_bounds[id.value] = boundsOf(id);
    }
    [[nodiscard]] const HostTensor &bounds(NodeId id) const { return m_bounds[id.value]; }

private:
    [[nodiscard]] const HostTensor &inputValue(const Node &node, std::size_t i) const { return m_values[node.inputs[i].value]; }
    [[nodiscard]] const HostTensor &inputBounds(const Node &node, std::size_t i) const { return m_bounds[node.inputs[i].value]; }

    HostTensor boundsOf(NodeId id)
    {
        const Node &node = m_graph.node(id);
        switch (familyOf(node.kind)) {
        case NodeFamily::Leaf:
            return HostTensor(DType::F64, node.shape);
        case NodeFamily::Elementwise:
            return elementwise(id);
        case NodeFamily::Movement:
        case NodeFamily::Structural:
            return moved(node, false);
        case NodeFamily::Reduce:
            return reduced(id);
        case NodeFamily::Indexing:
            return indexed(node);
        case NodeFamily::Composite:
            return composite(id);
        case NodeFamily::Marker:
            return moved(node, false);
        case NodeFamily::Root:
            break;
        }
        SW_UNREACHABLE();
    }

    // The bounds go where the elements go. With indices, only the first input carries bounds.
    HostTensor moved(Node node, bool hasIndices)
    {
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
        return compositeBounds(node, m_values[id.value], inputs);
    }

    HostTensor elementwise(NodeId id)
    {
        const Node &node = m_graph.node(id);
        const HostTensor &value = m_values[id.value];
        const bool mayFuse = std::ranges::any_of(node.inputs, [this](NodeId input) { return isProduct(input); });
        HostTensor out(DType::F64, node.shape);
        std::array<Approximate, 3> operands;
        for (std::int64_t i = 0; i < out.elements(); ++i) {
            for (std::size_t k = 0; k < node.inputs.size(); ++k)
                operands[k] = {inputValue(node, k).at(i), inputBounds(node, k).at(i).asDouble()};
            out.set(i, Scalar::of(DType::F64,
                                  elementError(node, value.at(i), std::span(operands).first(node.inputs.size()), mayFuse)));
        }
        return out;
    }

    static double elementError(const Node &node, const Scalar &result, std::span<const Approximate> operands, bool mayFuse)
    {
        if (node.kind == NodeKind::Cast && std::holds_alternative<SaturateAttributes>(node.attributes))
            return operands[0].error == 0 ? 0 : kAnything; // near the limit it could be either side
        if (node.kind == NodeKind::Cast)
            return errorOfCast(result, operands[0]);
        if (node.kind == NodeKind::Bitcast)
            return errorOfBitcast(result, operands[0]);
        return errorOf(node.op, result, operands, mayFuse);
    }

    // Looks through what moves elements about. Products of f16 and bf16 are rounded before they are added.
    [[nodiscard]] bool isProduct(NodeId id) const
    {
        const Node *node = &m_graph.node(id);
        while (familyOf(node->kind) == NodeFamily::Movement)
            node = &m_graph.node(node->inputs[0]);
        return node->kind == NodeKind::Binary && node->op == Op::Mul && !isStorageOnly(node->dtype);
    }

    HostTensor reduced(NodeId id)
    {
        const Node &node = m_graph.node(id);
        HostTensor out(DType::F64, node.shape);
        std::vector<Tally> tallies(static_cast<std::size_t>(out.elements()));
        const HostTensor &elements = inputValue(node, 0);
        std::vector<std::int64_t> strides = rowMajorStrides(node.shape);
        for (const std::size_t axis : attributesOf<AxesAttributes>(node).axes)
            strides[axis] = 0;
        std::vector<std::int64_t> at(elements.shape().rank());
        for (std::int64_t i = 0; i < elements.elements(); ++i) {
            unravel(i, elements.shape(), at);
            tally(tallies[static_cast<std::size_t>(ravel(at, strides))], elements.at(i), inputBounds(node, 0).at(i).asDouble());
        }
        for (std::size_t i = 0; i < tallies.size(); ++i) {
            const auto flat = static_cast<std::int64_t>(i);
            const double error = reductionError(node, m_values[id.value].at(flat), tallies[i], isProduct(node.inputs[0]));
            out.set(flat, Scalar::of(DType::F64, error));
        }
        return out;
    }

    static void tally(Tally &tally, const Scalar &element, double error)
    {
        const double size = std::abs(element.asDouble());
        ++tally.count;
        tally.error += error;
        if (!std::isfinite(size))
            return;
        tally.magnitude += size;
        if (size > 0)
            tally.logarithms += std::abs(std::log2(size));
        if (error > 0)
            tally.relative += size > error ? error / (size - error) : kAnything;
    }

    static double reductionError(const Node &node, const Scalar &result, const Tally &tally, bool mayFuse)
    {
        const bool isChoice = node.op == Op::Max || node.op == Op::Min;
        if (!isFloat(node.dtype) || isChoice)
            return rounded(result, tally.error);
        // Gathered in f32 or f64, in any order.
        const FloatFormat format = formatOf(computeType(node.dtype));
        const auto roundings = static_cast<double>(tally.count > 1 || mayFuse ? tally.count : 0);
        if (node.op == Op::Add) {
            if (tally.magnitude >= formatOf(node.dtype).largest / 2)
                return kAnything;
            const double error = tally.error + roundings * format.epsilon * tally.magnitude;
            return std::isfinite(result.asDouble()) || tally.error > 0 ? rounded(result, error) : 0;
        }
        // A product may overflow or vanish on the way, depending on the order.
        constexpr double kSafeExponents = 12;
        if (tally.logarithms > kSafeExponents)
            return kAnything;
        const double relative = std::expm1(tally.relative + roundings * format.epsilon);
        const double error = relative * std::abs(result.asDouble());
        return std::isfinite(result.asDouble()) || tally.error > 0 ? rounded(result, error) : 0;
    }

    const Graph &m_graph;
    std::vector<HostTensor> m_values;
    std::vector<HostTensor> m_bounds;
};

bool isSameClass(const Scalar &a, const Scalar &b)
{
    if (a.isNan() || b.isNan())
        return a.isNan() && b.isNan();
    if (std::isinf(a.asDouble()) || std::isinf(b.asDouble()))
        return a.asDouble() == b.asDouble();
    return true;
}

bool isWithin(const Scalar &expected, const Scalar &actual, double bound, const ComparisonLimits &limits)
{
    if (bound == kAnything)
        return true;
    if (!isFloat(expected.dtype()))
        return expected == actual;
    if (!isSameClass(expected, actual))
        return false;
    if (!std::isfinite(expected.asDouble()))
        return true;
    if (limits.zeroSigns && bound == 0 && expected.asDouble() == 0 && actual.asDouble() == 0)
        return expected == actual;
    const double difference = std::abs(expected.asDouble() - actual.asDouble());
    return difference <= bound + limits.absolute + limits.relative * std::abs(expected.asDouble());
}

} // namespace

Result<BoundedOutputs> interpretWithBounds(const Graph &graph, std::span<const HostTensor> inputs)
{
    BoundComputer computer(graph);
    InterpretOptions options;
    options.onValue = [&computer](NodeId id, const HostTensor &value) { computer.add(id, value); };
    BoundedOutputs out;
    SW_TRY(out.values, interpretGraph(graph, inputs, options));
    for (const NodeId output : graph.outputs())
        out.bounds.push_back(computer.bounds(output));
    return out;
}

std::optional<std::string> firstDifference(const HostTensor &expected, const HostTensor &actual, const HostTensor &bounds,
                                           const ComparisonLimits &limits)
{
    if (expected.dtype() != actual.dtype() || expected.shape() != actual.shape())
        return format("expected {}, not {}", typeText(expected.dtype(), expected.shape()),
                      typeText(actual.dtype(), actual.shape()));
    for (std::int64_t i = 0; i < expected.elements(); ++i) {
        const double bound = bounds.at(i).asDouble();
        if (!isWithin(expected.at(i), actual.at(i), bound, limits))
            return format("element {} of {}: expected {}, not {}; bound {}", i, typeText(expected.dtype(), expected.shape()),
                          toText(expected.at(i)), toText(actual.at(i)), bound);
    }
    return std::nullopt;
}

} // namespace sw
