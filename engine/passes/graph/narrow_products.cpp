#include "engine/passes/graph/narrow_products.h"

#include "engine/ops/tensor_instructions.h"

#include <algorithm>

namespace sw {

namespace {

constexpr std::size_t kMostViews = 64; // between what is stored and a product

NodeId behindViews(const Graph &graph, NodeId id)
{
    const auto isView = [](const Node &node) { return familyOf(node.kind) == NodeFamily::Movement && node.inputs.size() == 1; };
    for (std::size_t views = 0; isView(graph.node(id)) && views < kMostViews; ++views)
        id = graph.node(id).inputs[0];
    return id;
}

bool multiplies(std::uint32_t instructions, DType a, DType b, DType sum)
{
    return std::ranges::any_of(allTensorInstructions(), [&](TensorInstruction one) {
        const TensorInstructionInfo &info = infoOf(one);
        const bool isOfTypes = (info.a == a && info.b == b) || (info.a == b && info.b == a);
        return hasTensorInstruction(instructions, one) && isOfTypes && info.sum == sum;
    });
}

} // namespace

std::uint32_t usableTensorInstructions(const PassContext &context)
{
    const CompileOptions &options = context.options();
    std::uint32_t set = options.tensorInstructions ? context.device().tensorInstructions : 0;
    for (const TensorInstruction one : allTensorInstructions())
        if (options.strict && roundsEachStep(Op::Add, infoOf(one).sum))
            set &= ~bitOf(one);
    return set;
}

DType storedTypeOf(const Graph &graph, NodeId factor)
{
    const Node &node = graph.node(behindViews(graph, factor));
    return node.kind == NodeKind::Cast ? graph.node(node.inputs[0]).dtype : node.dtype;
}

std::vector<bool> castsOfNarrowFactors(const Graph &graph, std::uint32_t instructions)
{
    std::vector<bool> areCasts(graph.size(), false);
    for (const Node &reduction : graph.nodes()) {
        if (instructions == 0 || reduction.kind != NodeKind::ReduceAxis || reduction.op != Op::Add)
            continue;
        const Node &product = graph.node(reduction.inputs[0]);
        if (product.kind != NodeKind::Binary || product.op != Op::Mul)
            continue;
        const NodeId left = behindViews(graph, product.inputs[0]);
        const NodeId right = behindViews(graph, product.inputs[1]);
        const bool areBothCasts = graph.node(left).kind == NodeKind::Cast && graph.node(right).kind == NodeKind::Cast;
        if (areBothCasts && multiplies(instructions, storedTypeOf(graph, left), storedTypeOf(graph, right), reduction.dtype))
            areCasts[left.value] = areCasts[right.value] = true;
    }
    return areCasts;
}

} // namespace sw
