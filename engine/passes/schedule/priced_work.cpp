#include "engine/passes/schedule/priced_work.h"

#include "engine/passes/graph/narrow_products.h"
#include "engine/passes/schedule/node_facts.h"

#include <algorithm>
#include <optional>

namespace sw {

namespace {

bool isOperation(const Node &node, Op op)
{
    return node.kind == NodeKind::Binary && node.op == op;
}

bool isSum(const Node &node)
{
    return node.kind == NodeKind::ReduceAxis ? node.op == Op::Add : isOperation(node, Op::Add) || isOperation(node, Op::Sub);
}

// By how much all elements are shifted; nothing: it is not one constant.
std::optional<std::int64_t> shiftOf(const Graph &graph, const Node &shift)
{
    const Node &by = graph.node(behindViews(graph, shift.inputs[1]));
    if (by.kind != NodeKind::ConstScalar)
        return std::nullopt;
    return attributesOf<ScalarAttributes>(by).value.asInt();
}

// x << n | x >> (bits - n), in either order, of an unsigned x.
bool isRotation(const Graph &graph, const Node &node)
{
    const Node *left = &graph.node(node.inputs[0]);
    const Node *right = &graph.node(node.inputs[1]);
    if (isOperation(*left, Op::Shr))
        std::swap(left, right);
    if (!isUnsigned(node.dtype) || !isOperation(*left, Op::Shl) || !isOperation(*right, Op::Shr) ||
        left->inputs[0] != right->inputs[0])
        return false;
    const std::optional<std::int64_t> up = shiftOf(graph, *left);
    const std::optional<std::int64_t> down = shiftOf(graph, *right);
    const std::int64_t bits = infoOf(node.dtype).bits;
    return up && down && *up > 0 && *up < bits && *down == bits - *up;
}

// Sums over a kernel may exceed what an integer holds, and what a double holds exactly.
std::int64_t limited(double work)
{
    constexpr double kMost = 9e18;
    return static_cast<std::int64_t>(std::clamp(work, 0.0, kMost));
}

class Counter {
public:
    Counter(const Graph &graph, std::span<const NodeId> members, std::span<const double> evaluations,
            const ArithmeticMeans &means)
        : m_graph(graph), m_members(members), m_evaluations(evaluations), m_means(means)
    {
    }

    KernelEstimate count() &&
    {
        for (const NodeId member : m_members) {
            const double evaluations = m_evaluations[member.value];
            m_flops += evaluations * static_cast<double>(operationsOf(m_graph.node(member)));
            m_priced += evaluations * static_cast<double>(pricedWorkOf(m_graph.node(member)));
            if (!addTensorWork(member))
                leaveOut(member, doneAlong(m_graph, m_graph.node(member), m_means.fuse));
        }
        m_estimate.flops = limited(m_flops);
        m_estimate.pricedWork = limited(m_priced);
        return std::move(m_estimate);
    }

private:
    // It is computed here, as often as the node.
    [[nodiscard]] bool isBeside(NodeId node, NodeId operand) const
    {
        return std::ranges::binary_search(m_members, operand) && m_evaluations[operand.value] == m_evaluations[node.value];
    }

    void leaveOut(NodeId node, const std::vector<NodeId> &operands)
    {
        for (const NodeId operand : operands)
            if (isBeside(node, operand))
                m_priced -= m_evaluations[operand.value] * static_cast<double>(pricedWorkOf(m_graph.node(operand)));
    }

    // Both factors stay narrow until the instruction reads them.
    bool addTensorWork(NodeId sum)
    {
        const std::optional<NarrowProduct> found = narrowProductOf(m_graph, m_graph.node(sum), m_means.tensorInstructions);
        if (!found || !isBeside(sum, found->product) ||
            !std::ranges::all_of(found->casts, [this](NodeId cast) { return std::ranges::binary_search(m_members, cast); }))
            return false;
        leaveOut(sum, {sum, found->product});
        const double steps = m_evaluations[sum.value];
        const std::int64_t operations = operationsOf(m_graph.node(sum)) + operationsOf(m_graph.node(found->product)); // of a step
        auto known = std::ranges::find(m_estimate.tensorWork, found->instruction, &TensorWork::instruction);
        if (known == m_estimate.tensorWork.end())
            known = m_estimate.tensorWork.insert(known, {.instruction = found->instruction});
        known->operations = limited(static_cast<double>(known->operations) + steps * static_cast<double>(operations));
        return true;
    }

    const Graph &m_graph;
    std::span<const NodeId> m_members;
    std::span<const double> m_evaluations;
    const ArithmeticMeans &m_means;
    double m_flops = 0;
    double m_priced = 0;
    KernelEstimate m_estimate;
};

} // namespace

std::int64_t pricedWorkOf(const Node &node)
{
    const NodeKindInfo &info = infoOf(node.kind);
    const std::int64_t instructions = info.op == NodeOp::None ? info.operations : infoOf(node.op).price;
    return kOperationsPerInstruction * instructions;
}

std::vector<NodeId> doneAlong(const Graph &graph, const Node &node, FuseProducts fuse)
{
    if (isOperation(node, Op::Or) && isRotation(graph, node))
        return {node.inputs[0], node.inputs[1]};
    const bool isOfFloats = node.dtype == DType::F32 || node.dtype == DType::F64;
    if (fuse == FuseProducts::No || !isSum(node) || !isOfFloats)
        return {};
    for (const NodeId input : node.inputs) {
        const NodeId product = behindViews(graph, input);
        const bool isWhole = graph.node(product).shape.elements() == graph.node(input).shape.elements();
        if (isOperation(graph.node(product), Op::Mul) && isWhole)
            return {product};
    }
    return {};
}

ArithmeticMeans arithmeticMeans(const PassContext &context, DeviceSlot slot)
{
    return {.fuse = context.options().contract ? FuseProducts::Yes : FuseProducts::No,
            .tensorInstructions = usableTensorInstructions(context, slot)};
}

KernelEstimate arithmeticOf(const Graph &graph, std::span<const NodeId> members, std::span<const double> evaluations,
                            const ArithmeticMeans &means)
{
    return Counter(graph, members, evaluations, means).count();
}

} // namespace sw
