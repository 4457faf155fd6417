#include "engine/passes/graph/split_weighted_sums.h"

#include "engine/graph/kernel_body.h"
#include "engine/passes/graph/axis_parts.h"
#include "engine/passes/graph/pair_rules.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace sw {

namespace {

constexpr std::int64_t kBlockRows = 64;    // that a work item goes through at a time
constexpr std::int64_t kKept = 2;          // values of the part of a row: what is weighed, and what it is made of
constexpr std::int64_t kPartOfCache = 4;   // so much of a core's cache; the rest is for what the rows are multiplied with
constexpr std::int64_t kFewestParts = 4;   // with fewer, whole rows are almost as near
constexpr std::int64_t kFewestSteps = 256; // of a part: the tiles of its products want some length
constexpr std::int64_t kMostParts = 16;    // each has a result of its own in memory, until they are combined
constexpr std::int64_t kMostBytes = std::int64_t{1} << 30; // of those results
constexpr int kMostViews = 8;                              // between the weights and the product
constexpr std::int64_t kSearchFactor = 4;                  // parts may be so much shorter, to divide the row

constexpr std::array kRules{
    StepRule{kWeightedSumRule,
             "For each part of a row: its maximum m, the sum s of its exponentials, and the sum that they weigh, over s. "
             "In the whole, it counts s exp(m - M), with M the maximum of all."}};

// softmax(scores) * others, added up along the softmax's rows.
struct WeightedSum {
    NodeId sum = {};
    NodeId maximum;
    NodeId power; // the exponentials
    NodeId total; // their sum
    NodeId scores;
    NodeId weights;
    std::size_t operand = 0;    // of the product: the weights
    AxisInParts ofWeights = {}; // the axis along the rows, and that of the rows
    AxisInParts ofProduct = {}; // likewise, of what is added up
    std::int64_t steps = 1;     // of a part
};

bool isSumAlong(const Node &node, Op op, std::size_t axis)
{
    return node.kind == NodeKind::ReduceAxis && node.op == op &&
           attributesOf<AxesAttributes>(node).axes == std::vector<std::size_t>{axis};
}

// As long as the cache allows, and long enough that the parts are not too many; near it, what divides the row if there is such.
// The whole row, where that leaves too few parts.
std::int64_t partSteps(std::int64_t row, std::int64_t bytes, std::int64_t resultBytes, const DeviceInfo &device)
{
    const std::int64_t most = std::clamp(kMostBytes / std::max<std::int64_t>(resultBytes, 1), kFewestParts, kMostParts);
    const std::int64_t fitting = device.cacheBytesPerCore / kPartOfCache / (kBlockRows * kKept * bytes);
    const std::int64_t wanted = std::max({fitting, (row + most - 1) / most, kFewestSteps});
    if (row / wanted < kFewestParts)
        return row;
    for (std::int64_t steps = wanted; steps >= std::max(wanted / kSearchFactor, kFewestSteps); --steps)
        if (row % steps == 0 && row / steps <= most)
            return steps;
    return wanted;
}

class WeightedSplitter {
public:
    WeightedSplitter(const Graph &graph, PassContext &context)
        : m_graph(graph), m_context(context), m_builder(graph), m_readers(graph.size(), 0)
    {
        // What no output depends on is still there, and does not count.
        m_readers[graph.sink().value] = 1;
        for (std::size_t i = graph.size(); i-- > 0;)
            if (m_readers[i] > 0)
                for (const NodeId input : graph.node(NodeId(i)).inputs)
                    ++m_readers[input.value];
    }

    Result<std::optional<Graph>> run()
    {
        // A kernel that the program asks for is not taken apart.
        const std::vector<NodeId> kernels = kernelsAround(m_graph);
        for (std::uint32_t i = 0; i < m_graph.size(); ++i)
            if (const std::optional<WeightedSum> found = weightedSumOf(NodeId(i)))
                if (!kernels[i].isValid() && !kernels[found->weights.value].isValid() && !kernels[found->maximum.value].isValid())
                    m_sums.emplace(NodeId(i), *found);
        if (m_sums.empty())
            return std::optional<Graph>();
        bool isChanged = false;
        for (std::uint32_t i = 0; i < m_graph.size(); ++i) {
            if (m_context.isCancelled())
                return Diagnostic::error(Code::Cancelled, {}, "the compilation was cancelled");
            const Node &node = m_graph.node(NodeId(i));
            m_builder.setScope(node.scope);
            const auto found = m_sums.find(NodeId(i));
            if (found == m_sums.end() || !m_context.mayRewrite()) {
                m_made.push_back(m_builder.addUnchecked(node.readingFrom(m_made)));
                continue;
            }
            SW_TRY(const NodeId made, rewritten(found->second));
            m_made.push_back(made);
            isChanged = true;
        }
        return isChanged ? std::optional(std::move(m_builder).finishUnchecked()) : std::nullopt;
    }

private:
    [[nodiscard]] std::optional<WeightedSum> weightedSumOf(NodeId id) const
    {
        const Node &sum = m_graph.node(id);
        const bool isFloatSum = sum.kind == NodeKind::ReduceAxis && sum.op == Op::Add && isFloat(sum.dtype);
        if (!isFloatSum || computeType(sum.dtype) != sum.dtype || attributesOf<AxesAttributes>(sum).axes.size() != 1)
            return std::nullopt;
        const Node &product = m_graph.node(sum.inputs.front());
        if (!isOperation(product, Op::Mul) || product.shape.isSymbolic() || product.shape.rank() >= Shape::kMaxRank)
            return std::nullopt;
        for (std::size_t operand = 0; operand < 2; ++operand)
            if (std::optional<WeightedSum> found = weighedBy(sum, operand)) {
                found->sum = id;
                return found;
            }
        return std::nullopt;
    }

    // With the operand of the product as the weights, perhaps repeated and with further axes.
    [[nodiscard]] std::optional<WeightedSum> weighedBy(const Node &sum, std::size_t operand) const
    {
        const std::size_t along = attributesOf<AxesAttributes>(sum).axes.front();
        const NodeId product = sum.inputs.front();
        NodeId weights = m_graph.node(product).inputs[operand];
        std::vector<std::optional<std::size_t>> axes; // of the weights, by those of the product
        for (std::size_t axis = 0; axis < m_graph.node(product).shape.rank(); ++axis)
            axes.emplace_back(axis);
        for (int views = 0; familyOf(m_graph.node(weights).kind) == NodeFamily::Movement; ++views) {
            const Node &view = m_graph.node(weights);
            if (m_readers[weights.value] != 1 || views == kMostViews)
                return std::nullopt;
            for (std::optional<std::size_t> &axis : axes)
                axis = axis ? axisBeforeView(m_graph, view, *axis) : std::nullopt;
            if (!axes[along])
                return std::nullopt;
            weights = view.inputs.front();
        }
        std::optional<WeightedSum> found = softmaxOf(weights, axes[along].value_or(0));
        if (!found)
            return std::nullopt;
        const auto rows = std::ranges::find(axes, std::optional(found->ofWeights.before));
        if (rows == axes.end())
            return std::nullopt;
        found->operand = operand;
        found->ofProduct = {along, static_cast<std::size_t>(rows - axes.begin())};
        return inParts(*found, sum);
    }

    // The exponentials below the maximum over their sum, which nothing else reads, along rows that are too long.
    [[nodiscard]] std::optional<WeightedSum> softmaxOf(NodeId id, std::size_t along) const
    {
        const Node &weights = m_graph.node(id);
        NodeId power;
        NodeId total;
        if (isOperation(weights, Op::Fdiv)) {
            power = weights.inputs[0];
            total = underExpand(m_graph, weights.inputs[1]);
        } else if (isOperation(weights, Op::Mul)) {
            for (std::size_t i = 0; i < 2; ++i)
                if (const NodeId factor = underExpand(m_graph, weights.inputs[i]); isOperation(m_graph.node(factor), Op::Recip)) {
                    power = weights.inputs[1 - i];
                    total = underExpand(m_graph, m_graph.node(factor).inputs.front());
                }
        }
        if (!power.isValid() || !isSumAlong(m_graph.node(total), Op::Add, along) || m_graph.node(total).inputs.front() != power)
            return std::nullopt;
        const NodeId maximum = maximumUnder(power);
        if (!maximum.isValid() || !isSumAlong(m_graph.node(maximum), Op::Max, along))
            return std::nullopt;
        const bool isSoftmax = std::ranges::any_of(pairRules(), [&](const PairRule &rule) {
            return rule.first == Op::Max && rule.second == Op::Add && rule.match(m_graph, power, m_graph.node(maximum));
        });
        const NodeId scores = m_graph.node(maximum).inputs.front();
        if (!isSoftmax || m_graph.node(scores).shape.rank() >= Shape::kMaxRank || isReadOutside(scores, id))
            return std::nullopt;
        const bool hasRows = along > 0 && m_graph.node(scores).shape[along - 1] >= kBlockRows;
        return hasRows ? std::optional(WeightedSum{.maximum = maximum,
                                                   .power = power,
                                                   .total = total,
                                                   .scores = scores,
                                                   .weights = id,
                                                   .ofWeights = {along, along - 1}})
                       : std::nullopt;
    }

    // Whether anything between the two, or one of them, is needed by something else: it would be computed twice.
    [[nodiscard]] bool isReadOutside(NodeId scores, NodeId weights) const
    {
        constexpr std::size_t kMost = 24; // nodes: a softmax has fewer
        std::vector<NodeId> nodes{weights};
        std::map<NodeId, std::uint32_t> reads{{weights, 1}}; // the product's
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            if (nodes[i] == scores || isConstant(nodes[i]))
                continue;
            for (const NodeId input : m_graph.node(nodes[i]).inputs)
                if (++reads[input] == 1)
                    nodes.push_back(input);
            if (nodes.size() > kMost)
                return true;
        }
        return std::ranges::any_of(nodes,
                                   [&](NodeId node) { return !isConstant(node) && m_readers[node.value] != reads.at(node); });
    }

    [[nodiscard]] bool isConstant(NodeId id) const
    {
        while (m_graph.node(id).kind == NodeKind::Reshape || m_graph.node(id).kind == NodeKind::Expand)
            id = m_graph.node(id).inputs.front();
        return m_graph.node(id).kind == NodeKind::ConstScalar;
    }

    // What is taken away before the exponential: the maximum, or where it is finite.
    [[nodiscard]] NodeId maximumUnder(NodeId power) const
    {
        if (!isOperation(m_graph.node(power), Op::Exp))
            return NodeId();
        const Node &below = m_graph.node(m_graph.node(power).inputs.front());
        if (!isOperation(below, Op::Sub))
            return NodeId();
        const NodeId base = underExpand(m_graph, below.inputs[1]);
        return isOperation(m_graph.node(base), Op::Where) ? m_graph.node(base).inputs[2] : base;
    }

    // Nothing: the caches keep enough of it.
    [[nodiscard]] std::optional<WeightedSum> inParts(WeightedSum found, const Node &sum) const
    {
        const Node &scores = m_graph.node(found.scores);
        const DeviceInfo &device = m_context.device();
        const auto bytes = static_cast<std::int64_t>(bytesOf(scores.dtype));
        const std::int64_t row = scores.shape[found.ofWeights.axis];
        found.steps = partSteps(row, bytes, sum.shape.elements() * bytes, device);
        const bool isLarge = scores.shape.elements() * bytes > device.cacheBytesPerCore;
        return isLarge && row / found.steps >= kFewestParts ? std::optional(found) : std::nullopt;
    }

    // Of some parts of equal length.
    struct Piece {
        PartsOfAxis parts;
        NodeId maximum = {}; // [.., parts, rows, 1]
        NodeId total = {};   // the sum of the exponentials, likewise
        NodeId mean = {};    // what they weigh, [.., parts, rows, .., 1]
    };

    Result<NodeId> rewritten(const WeightedSum &found)
    {
        const std::size_t rewrite = m_context.rewrites().size();
        const Node &sum = m_graph.node(found.sum);
        const std::int64_t row = m_graph.node(found.scores).shape[found.ofWeights.axis];
        m_context.record(kWeightedSumRule, [&] {
            return RewriteDetail{format("rows of {} in parts of {}, and what their softmax weighs", row, found.steps),
                                 {found.sum.value}};
        });
        const std::int64_t even = row / found.steps * found.steps;
        m_builder.setScope(m_graph.node(found.maximum).scope); // of the softmax
        std::vector<Piece> pieces;
        SW_TRY(pieces.emplace_back(), pieceOf(found, {0, even, found.steps}));
        if (even < row) {
            SW_TRY(pieces.emplace_back(), pieceOf(found, {even, row, row - even}));
        }
        SW_TRY(const NodeId made, combined(found, pieces));
        if (!sum.name.empty())
            m_builder.setName(made, sum.name);
        m_builder.mergeOrigin(made, sum.origin);
        m_context.rewrites().complete(rewrite, [&](RewriteEvent &event) { event.after = {made.value}; });
        return made;
    }

    Result<NodeId> apply(const Origin &origin, Op op, std::initializer_list<NodeId> operands)
    {
        return m_builder.broadcasted(origin, op, std::vector<NodeId>(operands));
    }

    NodeId number(const Origin &origin, DType dtype, double value)
    {
        return m_builder.constScalar(origin, Scalar::of(dtype, value));
    }

    // The softmax of each part, and the sum that it weighs. A part of which all scores are -inf has the weights 0.
    Result<Piece> pieceOf(const WeightedSum &found, PartsOfAxis parts)
    {
        const Origin &ofPower = m_graph.node(found.power).origin;
        const Origin &ofTotal = m_graph.node(found.total).origin;
        const Origin &origin = m_graph.node(found.weights).origin;
        ValueInParts value(m_graph, m_readers, m_builder, m_made, parts);
        Piece piece{.parts = parts};
        SW_TRY(const NodeId scores, value.of(found.scores, found.ofWeights));
        const std::size_t along = found.ofWeights.steps();
        SW_TRY(piece.maximum, m_builder.reduce(m_graph.node(found.maximum).origin, Op::Max, scores, {along}));
        SW_TRY(const NodeId base, finiteOrZero(m_builder, ofPower, piece.maximum));
        SW_TRY(const NodeId below, apply(ofPower, Op::Sub, {scores, base}));
        SW_TRY(const NodeId power, apply(ofPower, Op::Exp, {below}));
        SW_TRY(piece.total, m_builder.reduce(ofTotal, Op::Add, power, {along}));
        const DType dtype = m_builder.node(scores).dtype;
        SW_TRY(const NodeId isNothing, apply(ofTotal, Op::Cmpeq, {piece.total, number(ofTotal, dtype, 0)}));
        SW_TRY(const NodeId divisor, apply(ofTotal, Op::Where, {isNothing, number(ofTotal, dtype, 1), piece.total}));
        SW_TRY(const NodeId factor, apply(origin, Op::Recip, {divisor}));
        SW_TRY(const NodeId weights, apply(origin, Op::Mul, {power, factor}));
        value.know(found.weights, found.ofWeights, weights);

        const Node &sum = m_graph.node(found.sum);
        SW_TRY(const NodeId product, value.ofProduct(sum.inputs.front(), found.ofProduct));
        SW_TRY(const NodeId mean, m_builder.reduce(sum.origin, Op::Add, product, {found.ofProduct.steps()}));
        SW_TRY(piece.mean, m_builder.contiguous(sum.origin, mean));
        return piece;
    }

    // The sum of mean * total * exp(maximum - the whole's maximum) over all parts, over the sum of what they count.
    Result<NodeId> combined(const WeightedSum &found, const std::vector<Piece> &pieces)
    {
        const Node &sum = m_graph.node(found.sum);
        const Origin &origin = sum.origin;
        std::optional<NodeId> whole;
        for (const Piece &piece : pieces) {
            SW_TRY(const NodeId reduced, m_builder.reduce(origin, Op::Max, piece.maximum, {found.ofWeights.before}));
            SW_TRY(whole, whole ? apply(origin, Op::Max, {*whole, reduced}) : Result<NodeId>(reduced));
        }
        SW_TRY(const NodeId base, finiteOrZero(m_builder, origin, *whole));
        std::optional<NodeId> sums;
        std::optional<NodeId> counts;
        for (const Piece &piece : pieces) {
            m_builder.setScope(m_graph.node(found.maximum).scope);
            SW_TRY(const NodeId below, apply(origin, Op::Sub, {piece.maximum, base}));
            SW_TRY(const NodeId power, apply(origin, Op::Exp, {below}));
            SW_TRY(const NodeId product, apply(origin, Op::Mul, {piece.total, power}));
            // For all columns of a row: computed once.
            SW_TRY(const NodeId count, m_builder.contiguous(origin, product));
            m_builder.setScope(sum.scope);
            SW_TRY(const NodeId repeated, likeProduct(found, piece, count));
            SW_TRY(const NodeId counted, apply(origin, Op::Mul, {piece.mean, repeated}));
            SW_TRY(const NodeId part, m_builder.reduce(origin, Op::Add, counted, {found.ofProduct.before}));
            SW_TRY(const NodeId partCount, m_builder.reduce(origin, Op::Add, repeated, {found.ofProduct.before}));
            SW_TRY(sums, sums ? apply(origin, Op::Add, {*sums, part}) : Result<NodeId>(part));
            SW_TRY(counts, counts ? apply(origin, Op::Add, {*counts, partCount}) : Result<NodeId>(partCount));
        }
        SW_TRY(const NodeId quotient, apply(origin, Op::Fdiv, {*sums, *counts}));
        return m_builder.reshape(origin, quotient, sum.shape);
    }

    // What there is one of for each row of each part, with the axes of the product: as its weights have them.
    Result<NodeId> likeProduct(const WeightedSum &found, const Piece &piece, NodeId value)
    {
        ValueInParts views(m_graph, m_readers, m_builder, m_made, {0, piece.parts.parts(), 1});
        views.know(found.weights, found.ofWeights, value);
        return views.ofProduct(m_graph.node(m_graph.node(found.sum).inputs.front()).inputs[found.operand], found.ofProduct);
    }

    const Graph &m_graph;
    PassContext &m_context;
    GraphBuilder m_builder;
    std::vector<std::uint32_t> m_readers; // by node
    std::vector<NodeId> m_made;
    std::map<NodeId, WeightedSum> m_sums;
};

} // namespace

std::span<const StepRule> weightedSumRules()
{
    return kRules;
}

Result<std::optional<Graph>> splitWeightedSums(const Graph &graph, PassContext &context)
{
    const CompileOptions &options = context.options();
    if (!options.optimize || !options.fuse || options.strict || context.device().kind != DeviceKind::Cpu ||
        context.deviceCount() > 1)
        return std::optional<Graph>();
    // Rows that end where the run says have no stages.
    if (std::ranges::find(graph.nodes(), NodeKind::DefineVar, &Node::kind) != graph.nodes().end())
        return std::optional<Graph>();
    return WeightedSplitter(graph, context).run();
}

} // namespace sw
