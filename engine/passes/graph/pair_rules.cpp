#include "engine/passes/graph/pair_rules.h"

#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace sw {

namespace {

Result<NodeId> apply(GraphBuilder &builder, const Origin &origin, Op op, std::initializer_list<NodeId> operands)
{
    return builder.broadcasted(origin, op, std::vector<NodeId>(operands));
}

NodeId number(GraphBuilder &builder, const Origin &origin, DType dtype, double value)
{
    return builder.constScalar(origin, Scalar::of(dtype, value));
}

} // namespace

bool isOperation(const Node &node, Op op)
{
    return familyOf(node.kind) == NodeFamily::Elementwise && infoOf(node.kind).op == NodeOp::Is && node.op == op;
}

NodeId underExpand(const Graph &graph, NodeId id)
{
    return graph.node(id).kind == NodeKind::Expand ? graph.node(id).inputs.front() : id;
}

Result<NodeId> finiteOrZero(GraphBuilder &builder, const Origin &origin, NodeId value)
{
    const DType dtype = builder.node(value).dtype;
    SW_TRY(const NodeId size, apply(builder, origin, Op::Abs, {value}));
    SW_TRY(const NodeId isInfinite,
           apply(builder, origin, Op::Cmpeq, {size, number(builder, origin, dtype, std::numeric_limits<double>::infinity())}));
    return apply(builder, origin, Op::Where, {isInfinite, number(builder, origin, dtype, 0), value});
}

namespace {

NodeId withoutViews(const Graph &graph, NodeId id)
{
    while (graph.node(id).kind == NodeKind::Reshape || graph.node(id).kind == NodeKind::Expand)
        id = graph.node(id).inputs.front();
    return id;
}

// The value of a constant that was only reshaped and expanded.
std::optional<double> constantOf(const Graph &graph, NodeId id)
{
    const Node &node = graph.node(withoutViews(graph, id));
    if (node.kind != NodeKind::ConstScalar)
        return std::nullopt;
    return attributesOf<ScalarAttributes>(node).value.asDouble();
}

// Views of a reduction's result may only repeat it: each element reads the result for its own row.
bool isRepeated(const Graph &graph, NodeId id, NodeId result)
{
    if (id == result)
        return true;
    return graph.node(id).kind == NodeKind::Expand && graph.node(id).inputs.front() == result;
}

std::int64_t reducedElements(const Graph &graph, const Node &reduction)
{
    return graph.node(reduction.inputs.front()).shape.elements() / reduction.shape.elements();
}

NodeId idOf(const Graph &graph, const Node &node)
{
    return NodeId(static_cast<std::uint32_t>(&node - graph.nodes().data()));
}

// ---- the place of the first largest or smallest element

// x == value, or NaN.
Result<NodeId> isFound(GraphBuilder &builder, const Origin &origin, NodeId x, NodeId value)
{
    SW_TRY(const NodeId equal, apply(builder, origin, Op::Cmpeq, {x, value}));
    if (!isFloat(builder.node(x).dtype))
        return equal;
    SW_TRY(const NodeId isNan, apply(builder, origin, Op::Cmpne, {x, x}));
    return apply(builder, origin, Op::Or, {equal, isNan});
}

bool matchesFound(const Graph &graph, NodeId id, NodeId x, NodeId first)
{
    const Node &found = graph.node(id);
    if (!isFloat(graph.node(x).dtype))
        return isOperation(found, Op::Cmpeq) && found.inputs[0] == x && isRepeated(graph, found.inputs[1], first);
    if (!isOperation(found, Op::Or))
        return false;
    const Node &equal = graph.node(found.inputs[0]);
    const Node &isNan = graph.node(found.inputs[1]);
    return isOperation(equal, Op::Cmpeq) && equal.inputs[0] == x && isRepeated(graph, equal.inputs[1], first) &&
           isOperation(isNan, Op::Cmpne) && isNan.inputs[0] == x && isNan.inputs[1] == x;
}

// Every place is below their number, which stands for "not here".
std::optional<PairValues> matchPlace(const Graph &graph, NodeId operand, const Node &first)
{
    const Node &where = graph.node(operand);
    const NodeId x = first.inputs.front();
    if (!isOperation(where, Op::Where) || !matchesFound(graph, where.inputs[0], x, idOf(graph, first)))
        return std::nullopt;
    const std::optional<double> none = constantOf(graph, where.inputs[2]);
    NodeId count = withoutViews(graph, where.inputs[1]);
    if (graph.node(count).kind == NodeKind::Cast)
        count = withoutViews(graph, graph.node(count).inputs.front());
    const std::int64_t all = reducedElements(graph, first);
    const bool counts = graph.node(count).kind == NodeKind::Iota && graph.node(count).shape.elements() == all;
    if (!counts || none != static_cast<double>(all))
        return std::nullopt;
    return PairValues{.x = x, .places = where.inputs[1]};
}

Result<NodeId> placeInPart(GraphBuilder &builder, const Origin &origin, const PairValues &pair)
{
    const NodeId none = number(builder, origin, builder.node(pair.places).dtype, static_cast<double>(pair.all));
    SW_TRY(const NodeId found, isFound(builder, origin, pair.x, pair.first));
    return apply(builder, origin, Op::Where, {found, pair.places, none});
}

Result<NodeId> placeInWhole(GraphBuilder &builder, const Origin &origin, const PairValues &pair)
{
    const NodeId none = number(builder, origin, builder.node(pair.second).dtype, static_cast<double>(pair.all));
    SW_TRY(const NodeId found, isFound(builder, origin, pair.first, pair.whole));
    return apply(builder, origin, Op::Where, {found, pair.second, none});
}

// ---- the sum of squared distances from the mean

std::optional<PairValues> matchDistances(const Graph &graph, NodeId operand, const Node &first)
{
    const Node &square = graph.node(operand);
    const NodeId x = first.inputs.front();
    if (!isOperation(square, Op::Mul) || square.inputs[0] != square.inputs[1])
        return std::nullopt;
    const Node &distance = graph.node(square.inputs[0]);
    if (!isOperation(distance, Op::Sub) || distance.inputs[0] != x)
        return std::nullopt;
    const Node &mean = graph.node(underExpand(graph, distance.inputs[1]));
    const bool isProduct = isOperation(mean, Op::Mul);
    if ((!isProduct && !isOperation(mean, Op::Fdiv)) || mean.inputs[0] != idOf(graph, first) || mean.shape != first.shape)
        return std::nullopt;
    const std::optional<double> factor = constantOf(graph, mean.inputs[1]);
    const auto all = static_cast<double>(reducedElements(graph, first));
    const double ratio = !factor ? 0 : isProduct ? *factor * all : *factor / all;
    if (std::abs(ratio - 1) > 1e-6)
        return std::nullopt;
    return PairValues{.x = x};
}

// A product is cheap enough to be computed again where it is read.
Result<NodeId> meanOf(GraphBuilder &builder, const Origin &origin, NodeId sum, std::int64_t elements)
{
    const NodeId factor = number(builder, origin, builder.node(sum).dtype, 1.0 / static_cast<double>(elements));
    return apply(builder, origin, Op::Mul, {sum, factor});
}

Result<NodeId> distanceInPart(GraphBuilder &builder, const Origin &origin, const PairValues &pair)
{
    SW_TRY(const NodeId mean, meanOf(builder, origin, pair.first, pair.elements));
    SW_TRY(const NodeId distance, apply(builder, origin, Op::Sub, {pair.x, mean}));
    return apply(builder, origin, Op::Mul, {distance, distance});
}

// T. F. Chan, G. H. Golub, R. J. LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances", 1979: what
// the part's mean is away from the whole's counts once per element.
Result<NodeId> distanceInWhole(GraphBuilder &builder, const Origin &origin, const PairValues &pair)
{
    SW_TRY(const NodeId mean, meanOf(builder, origin, pair.first, pair.elements));
    SW_TRY(const NodeId wholeMean, meanOf(builder, origin, pair.whole, pair.all));
    SW_TRY(const NodeId away, apply(builder, origin, Op::Sub, {mean, wholeMean}));
    const NodeId count = number(builder, origin, builder.node(pair.first).dtype, static_cast<double>(pair.elements));
    SW_TRY(const NodeId once, apply(builder, origin, Op::Mul, {away, away}));
    SW_TRY(const NodeId moved, apply(builder, origin, Op::Mul, {once, count}));
    return apply(builder, origin, Op::Add, {pair.second, moved});
}

// ---- the sum of exponentials below the maximum

// The maximum itself, or with 0 in place of an infinite one.
bool isBase(const Graph &graph, NodeId id, NodeId first)
{
    if (id == first)
        return true;
    const Node &base = graph.node(id);
    if (!isOperation(base, Op::Where) || base.inputs[2] != first || constantOf(graph, base.inputs[1]) != 0.0)
        return false;
    const Node &test = graph.node(base.inputs[0]);
    if (!isOperation(test, Op::Cmpeq) || constantOf(graph, test.inputs[1]) != std::numeric_limits<double>::infinity())
        return false;
    const Node &size = graph.node(test.inputs[0]);
    return isOperation(size, Op::Abs) && size.inputs[0] == first;
}

std::optional<PairValues> matchExponentials(const Graph &graph, NodeId operand, const Node &first)
{
    const Node &power = graph.node(operand);
    if (!isOperation(power, Op::Exp))
        return std::nullopt;
    const Node &below = graph.node(power.inputs[0]);
    const NodeId x = first.inputs.front();
    if (!isOperation(below, Op::Sub) || below.inputs[0] != x)
        return std::nullopt;
    const NodeId base = underExpand(graph, below.inputs[1]);
    if (!isBase(graph, base, idOf(graph, first)))
        return std::nullopt;
    return PairValues{.x = x};
}

Result<NodeId> powerInPart(GraphBuilder &builder, const Origin &origin, const PairValues &pair)
{
    SW_TRY(const NodeId base, finiteOrZero(builder, origin, pair.first));
    SW_TRY(const NodeId below, apply(builder, origin, Op::Sub, {pair.x, base}));
    return apply(builder, origin, Op::Exp, {below});
}

// A part whose maximum is -inf has only zeros, and exp(-inf) keeps them so.
Result<NodeId> powerInWhole(GraphBuilder &builder, const Origin &origin, const PairValues &pair)
{
    SW_TRY(const NodeId below, apply(builder, origin, Op::Sub, {pair.first, pair.whole}));
    SW_TRY(const NodeId factor, apply(builder, origin, Op::Exp, {below}));
    return apply(builder, origin, Op::Mul, {pair.second, factor});
}

Result<NodeId> finitePowerInWhole(GraphBuilder &builder, const Origin &origin, const PairValues &pair)
{
    PairValues safe = pair;
    SW_TRY(safe.whole, finiteOrZero(builder, origin, pair.whole));
    return powerInWhole(builder, origin, safe);
}

std::optional<PairValues> matchFiniteExponentials(const Graph &graph, NodeId operand, const Node &first)
{
    std::optional<PairValues> pair = matchExponentials(graph, operand, first);
    const bool isPlain = pair && underExpand(graph, graph.node(graph.node(operand).inputs[0]).inputs[1]) == idOf(graph, first);
    return isPlain ? std::nullopt : pair;
}

constexpr std::array kRules{
    PairRule{"place-of-largest", "Largest element and its place",
             "The place of a part counts where the part's largest element is the whole's, or NaN; the first place wins.", Op::Max,
             Op::Min, true, matchPlace, placeInPart, placeInWhole},
    PairRule{"place-of-smallest", "Smallest element and its place",
             "The place of a part counts where the part's smallest element is the whole's, or NaN; the first place wins.",
             Op::Min, Op::Min, true, matchPlace, placeInPart, placeInWhole},
    PairRule{"mean-and-distances", "Mean and squared distances",
             "The squared distances from a part's mean, and for each element the square of what that mean is away from the "
             "whole's.",
             Op::Add, Op::Add, true, matchDistances, distanceInPart, distanceInWhole},
    PairRule{"finite-maximum-and-exponentials", "Maximum and sum of exponentials, of infinite ones too",
             "The sum of a part is scaled by the exponential of what its maximum is below the whole's; an infinite maximum is "
             "not taken away.",
             Op::Max, Op::Add, false, matchFiniteExponentials, powerInPart, finitePowerInWhole},
    PairRule{"maximum-and-exponentials", "Maximum and sum of exponentials",
             "The sum of a part is scaled by the exponential of what its maximum is below the whole's.", Op::Max, Op::Add, false,
             matchExponentials, powerInPart, powerInWhole},
};

} // namespace

std::span<const PairRule> pairRules()
{
    return kRules;
}

} // namespace sw
