#include "engine/passes/graph/fold_constants.h"

#include "engine/graph/evaluate_node.h"
#include "engine/passes/graph/constants.h"
#include "engine/passes/graph/narrow_products.h"
#include "engine/passes/graph/rewriter.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sw {

namespace {

// Copy nodes say where a constant is, and Kernel nodes say that a kernel computes it: neither is folded. Nodes of a scan have
// another value in each step.
bool isNeverFolded(NodeKind kind)
{
    return familyOf(kind) == NodeFamily::Leaf || familyOf(kind) == NodeFamily::Root || isTransfer(kind) ||
           kind == NodeKind::Kernel;
}

// An elementwise operation on constants that are each one value: evaluate it once and spread the result.
Replacement foldSplats(RewriteContext &context)
{
    const Node &node = context.node();
    if (familyOf(node.kind) != NodeFamily::Elementwise)
        return noMatch();
    std::vector<HostTensor> values;
    for (const NodeId input : node.inputs) {
        const auto splat = splatOf(context.builder(), input);
        if (!splat)
            return noMatch();
        values.push_back(HostTensor::ofScalar(*splat));
    }
    for (const NodeId input : node.inputs)
        context.absorb(input);
    Node scalar = node;
    scalar.shape = Shape();
    SW_TRY(const HostTensor value, evaluateNode(scalar, values, {}));
    SW_TRY(const NodeId full, context.builder().full(context.origin(), value.at(0), node.shape));
    return std::optional(full);
}

// Moving a constant is index arithmetic; storing the moved elements is worth it only if there are not more of them.
bool isWorthStoring(const Node &node, const GraphBuilder &builder)
{
    if (familyOf(node.kind) != NodeFamily::Movement)
        return true;
    return node.kind != NodeKind::Expand && node.shape.elements() <= builder.node(node.inputs[0]).shape.elements();
}

Replacement foldTensors(RewriteContext &context)
{
    const Node &node = context.node();
    GraphBuilder &builder = context.builder();
    if (isNeverFolded(node.kind) || node.shape.elements() > kMaxFoldedElements || !isWorthStoring(node, builder))
        return noMatch();
    // A spread scalar is already as small as it can be.
    if (familyOf(node.kind) == NodeFamily::Movement && splatOf(builder, node.inputs[0]))
        return noMatch();
    if (!std::ranges::all_of(node.inputs, [&](NodeId input) { return isConstant(builder, input); }))
        return noMatch();
    std::vector<HostTensor> values;
    for (const NodeId input : node.inputs)
        values.push_back(constantOf(builder, input).value());
    bool isFaulty = false;
    EvaluateContext evaluation;
    evaluation.onFault = [&isFaulty](const NodeIndexFault & /*fault*/) { isFaulty = true; };
    SW_TRY(HostTensor value, evaluateNode(node, values, evaluation));
    if (isFaulty)
        return noMatch();
    for (const NodeId input : node.inputs)
        context.absorb(input);
    if (node.shape.rank() == 0)
        return std::optional(builder.constScalar(context.origin(), value.at(0)));
    return std::optional(builder.vconst(context.origin(), std::move(value)));
}

constexpr std::int64_t kLeastNarrow = 256; // elements of a factor: fewer are no tile of a tensor instruction

constexpr std::array kRules = {
    GraphRule{"fold-spread-scalars", "Fold spread scalars",
              "An elementwise operation on constants that are each one value is evaluated once and spread.", foldSplats},
    GraphRule{"fold-tensors", "Fold tensors", "A node whose inputs are all constant becomes a constant.", foldTensors},
};

} // namespace

Result<std::optional<Graph>> foldConstants(const Graph &graph, PassContext &context)
{
    // A tensor instruction multiplies the narrow elements themselves.
    std::vector<bool> isKept = castsOfNarrowFactors(graph, usableTensorInstructions(context));
    for (std::size_t i = 0; i < isKept.size(); ++i)
        isKept[i] = isKept[i] && graph.node(NodeId(i)).shape.elements() >= kLeastNarrow;
    return rewriteGraph(graph, kRules, context, isKept);
}

} // namespace sw
