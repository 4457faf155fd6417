// Rules for the nodes that are sums of products.

#include "engine/graph/contraction.h"
#include "engine/passes/graph/decompose_nodes.h"

#include <array>
#include <numeric>

namespace sw {

namespace {

// The operand with one axis for each label, in the order of the labels, expanded to all extents.
Result<NodeId> aligned(RewriteContext &context, NodeId id, const std::string &own, const Contraction &contraction,
                       const std::vector<SymbolicExpr> &extents)
{
    std::vector<std::size_t> order;
    std::vector<SymbolicExpr> inserted;
    for (std::size_t i = 0; i < contraction.labels.size(); ++i) {
        const std::size_t axis = own.find(contraction.labels[i]);
        inserted.push_back(axis == std::string::npos ? SymbolicExpr(1) : extents[i]);
        if (axis != std::string::npos)
            order.push_back(axis);
    }
    GraphBuilder &builder = context.builder();
    SW_TRY(const NodeId ordered, builder.permute(context.origin(), id, std::move(order)));
    SW_TRY(Shape shape, Shape::checkedSymbolic(std::move(inserted)));
    SW_TRY(const NodeId spread, builder.reshape(context.origin(), ordered, std::move(shape)));
    SW_TRY(const Shape whole, Shape::checkedSymbolic(extents));
    return builder.expand(context.origin(), spread, whole);
}

// The sum over the labels that the result does not name, in the type that the operands are computed in.
Result<NodeId> sumOfProducts(RewriteContext &context, const Contraction &contraction, std::span<const NodeId> operands)
{
    GraphBuilder &builder = context.builder();
    std::vector<Shape> shapes;
    for (const NodeId id : operands)
        shapes.push_back(builder.node(id).shape);
    SW_TRY(const std::vector<SymbolicExpr> extents, symbolicLabelExtents(contraction, shapes));
    NodeId product;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        SW_TRY(const NodeId factor, aligned(context, operands[i], contraction.operands[i], contraction, extents));
        if (!product.isValid()) {
            product = factor;
            continue;
        }
        SW_TRY(product, builder.elementwise(context.origin(), Op::Mul, std::array{product, factor}));
    }
    std::vector<std::size_t> summed(extents.size() - contraction.result.size());
    std::iota(summed.begin(), summed.end(), contraction.result.size());
    SW_TRY(const NodeId sum, builder.reduce(context.origin(), Op::Add, product, std::move(summed)));
    SW_TRY(Shape result, Shape::checkedSymbolic({extents.begin(), extents.begin() + std::ssize(contraction.result)}));
    return builder.reshape(context.origin(), sum, std::move(result));
}

Replacement contract(RewriteContext &context)
{
    const Node &node = context.node();
    SW_TRY(const Contraction contraction, parseContraction(attributesOf<ContractAttributes>(node).subscripts));
    std::vector<NodeId> operands;
    for (const NodeId input : node.inputs) {
        SW_TRY(const NodeId wide, context.builder().cast(context.origin(), input, computeType(node.dtype)));
        operands.push_back(wide);
    }
    SW_TRY(const NodeId sum, sumOfProducts(context, contraction, operands));
    SW_TRY(const NodeId narrow, context.builder().cast(context.origin(), sum, node.dtype));
    return std::optional(narrow);
}

// Leading axes are batches.
Contraction matrixProduct(std::size_t rank)
{
    std::string batch;
    for (std::size_t axis = 0; axis + 2 < rank; ++axis)
        batch += static_cast<char>('a' + static_cast<char>(axis));
    return {{batch + "MK", batch + "KN"}, batch + "MN", batch + "MNK"};
}

Replacement wmma(RewriteContext &context)
{
    const Node &node = context.node();
    GraphBuilder &builder = context.builder();
    std::array<NodeId, 3> wide;
    for (std::size_t i = 0; i < wide.size(); ++i) {
        SW_TRY(wide.at(i), builder.cast(context.origin(), context.inputId(i), computeType(node.dtype)));
    }
    SW_TRY(const NodeId product, sumOfProducts(context, matrixProduct(node.shape.rank()), std::span(wide).first(2)));
    SW_TRY(const NodeId sum, builder.elementwise(context.origin(), Op::Add, std::array{product, wide[2]}));
    SW_TRY(const NodeId narrow, builder.cast(context.origin(), sum, node.dtype));
    return std::optional(narrow);
}

constexpr std::array kRules = {
    GraphRule{"contract", "Contraction", "Operands aligned by their labels, multiplied, summed over what the result leaves out.",
              contract, isOfKind<NodeKind::Contract>},
    GraphRule{"wmma", "Matrix multiply-accumulate", "The product of the two tiles, summed, and the third added.", wmma,
              isOfKind<NodeKind::Wmma>},
};

} // namespace

std::span<const GraphRule> productNodeRules()
{
    return kRules;
}

} // namespace sw
