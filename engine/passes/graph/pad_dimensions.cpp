#include "engine/passes/graph/pad_dimensions.h"

#include "engine/graph/dimension_nodes.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>
#include <utility>

namespace sw {

namespace {

constexpr std::array kRules{
    StepRule{"dimension-input", "A dimension becomes an input of the program, so that each run can give another number."},
    StepRule{"drop-bind", "A dimension that is bound to a number is the dimension itself; the number is its usual value."},
    StepRule{"largest-shape",
             "The value has the largest extents; what lies beyond the real ones is never read, and need not be computed."},
    StepRule{"mask-reduction", "Beyond the real extents the reduction reads its identity, which changes no result."},
    StepRule{"move-border", "The border begins directly behind the real elements, however many there are."},
    StepRule{"reverse-real", "Only the real elements change places: element i is element n - 1 - i."},
    StepRule{"join-real", "Each part begins where the real elements of the parts before it end."},
    StepRule{"mask-indices", "Beyond the real extents the index is 0, so that no index that nobody gave is out of range."},
    StepRule{"crop-outputs", "The outputs remember their real shapes, to which a run crops them."},
};

class DimensionPadder {
public:
    DimensionPadder(const Graph &graph, PassContext &context) : m_graph(graph), m_context(context), m_builder(graph) {}

    Result<Graph> run()
    {
        for (std::size_t i = 0; i < m_graph.size(); ++i) {
            const Node &node = m_graph.node(NodeId(i));
            m_builder.setScope(node.scope);
            const std::string_view rule = ruleFor(node);
            const bool isDone = !rule.empty() && m_context.mayRewrite();
            const std::size_t first = m_builder.size();
            SW_TRY(const NodeId made, isDone ? rewritten(node, rule) : left(node));
            if (m_builder.node(made).name.empty() && !node.name.empty())
                m_builder.setName(made, node.name);
            m_builder.mergeOrigin(made, node.origin);
            m_made.push_back(made);
            if (isDone)
                record(rule, NodeId(i), first);
        }
        return std::move(m_builder).finishUnchecked();
    }

private:
    [[nodiscard]] const Shape &shapeOf(const Node &node, std::size_t input) const
    {
        return m_graph.node(node.inputs[input]).shape;
    }
    [[nodiscard]] NodeId made(const Node &node, std::size_t input) const { return m_made[node.inputs[input].value]; }

    void record(std::string_view rule, NodeId old, std::size_t first)
    {
        const NodeId made = m_made.back();
        m_context.record(rule, [&] {
            const Node &node = m_graph.node(old);
            const Node &now = m_builder.node(made);
            RewriteDetail detail{format("{}{} {} -> {} {}", operationText(node), node.name.empty() ? "" : " " + node.name,
                                        toText(node.shape), operationText(now), toText(now.shape)),
                                 {old.value}};
            for (std::size_t id = first; id < m_builder.size(); ++id)
                detail.after.push_back(static_cast<std::uint32_t>(id));
            return detail;
        });
    }

    // The rule for the node; empty when it has no dimension.
    [[nodiscard]] std::string_view ruleFor(const Node &node) const
    {
        const bool readsSymbolic = !node.inputs.empty() && shapeOf(node, 0).isSymbolic();
        if (node.kind == NodeKind::DefineVar)
            return "dimension-input";
        if (node.kind == NodeKind::Bind)
            return "drop-bind";
        if (node.kind == NodeKind::ReduceAxis && readsSymbolic)
            return "mask-reduction";
        if (node.kind == NodeKind::Pad && readsSymbolic)
            return "move-border";
        if (node.kind == NodeKind::Flip && readsSymbolic)
            return "reverse-real";
        if (node.kind == NodeKind::Cat && node.shape.isSymbolic(attributesOf<AxisAttributes>(node).axis))
            return "join-real";
        if (familyOf(node.kind) == NodeFamily::Indexing && shapeOf(node, 1).isSymbolic())
            return "mask-indices";
        if (node.kind == NodeKind::Sink) {
            const bool isSymbolic =
                std::ranges::any_of(node.inputs, [this](NodeId input) { return m_graph.node(input).shape.isSymbolic(); });
            return isSymbolic ? "crop-outputs" : "";
        }
        return node.shape.isSymbolic() ? "largest-shape" : "";
    }

    // The node as it is, for a graph in between: what it reads may have its largest shape already.
    Result<NodeId> left(const Node &node)
    {
        Node copy = node;
        for (std::size_t i = 0; i < node.inputs.size(); ++i)
            copy.inputs[i] = made(node, i);
        return m_builder.addUnchecked(std::move(copy));
    }

    Result<NodeId> rewritten(const Node &node, std::string_view rule)
    {
        if (rule == "dimension-input")
            return dimension(node);
        if (rule == "drop-bind")
            return made(node, 0);
        if (rule == "mask-reduction")
            return reduced(node);
        if (rule == "move-border")
            return padded(node);
        if (rule == "reverse-real")
            return flipped(node);
        if (rule == "join-real")
            return joined(node);
        if (rule == "mask-indices")
            return looked(node);
        return copied(node);
    }

    // An index beyond the real ones is not a fault, whatever its value.
    Result<NodeId> looked(const Node &node)
    {
        const Shape &real = shapeOf(node, 1);
        std::vector<std::size_t> axes(real.rank());
        std::iota(axes.begin(), axes.end(), std::size_t{0});
        const DType dtype = m_graph.node(node.inputs[1]).dtype;
        SW_TRY(const NodeId indices, masked(node, made(node, 1), real, axes, Scalar::of(dtype, std::int64_t{0})));
        Node copy = node;
        copy.shape = node.shape.largest();
        for (std::size_t i = 0; i < node.inputs.size(); ++i)
            copy.inputs[i] = i == 1 ? indices : made(node, i);
        return m_builder.addUnchecked(std::move(copy));
    }

    // The node unchanged, with the largest shape.
    Result<NodeId> copied(const Node &node)
    {
        Node copy = node;
        copy.shape = node.shape.largest();
        for (std::size_t i = 0; i < node.inputs.size(); ++i)
            copy.inputs[i] = made(node, i);
        if (auto *placeholder = std::get_if<PlaceholderAttributes>(&copy.attributes); placeholder && node.shape.isSymbolic())
            placeholder->given = node.shape;
        if (auto *sink = std::get_if<SinkAttributes>(&copy.attributes)) {
            bool isSymbolic = false;
            for (std::size_t i = 0; i < node.inputs.size(); ++i) {
                sink->shapes.push_back(shapeOf(node, i));
                isSymbolic = isSymbolic || sink->shapes.back().isSymbolic();
            }
            if (!isSymbolic)
                sink->shapes.clear();
        }
        return m_builder.addUnchecked(std::move(copy));
    }

    Result<NodeId> dimension(const Node &node)
    {
        const SymbolicVariable &variable = attributesOf<DimensionAttributes>(node).variable;
        PlaceholderAttributes attributes;
        attributes.name = variable.name;
        attributes.role = PlaceholderRole::Dimension;
        attributes.dimension = variable;
        for (const Node &other : m_graph.nodes())
            if (other.kind == NodeKind::Bind && &m_graph.node(other.inputs[0]) == &node)
                attributes.bound = attributesOf<BoundAttributes>(other).value;
        const NodeId made = m_builder.placeholder(node.origin, DType::I64, Shape(), std::move(attributes));
        m_dimensions.insert_or_assign(variable.name, made);
        return made;
    }

    // ---- places along an axis

    // 0, 1, 2 ... along the axis of a shape.
    Result<NodeId> places(const Node &node, const Shape &shape, std::size_t axis)
    {
        std::vector<std::int64_t> extents(shape.rank(), 1);
        extents[axis] = shape[axis];
        SW_TRY(const NodeId numbers, m_builder.iota(node.origin, Shape{shape[axis]}));
        return m_builder.reshape(node.origin, numbers, Shape(std::move(extents)));
    }

    Result<NodeId> combined(const Node &node, Op op, NodeId left, NodeId right)
    {
        return m_builder.broadcasted(node.origin, op, std::array{left, right});
    }

    Result<NodeId> valueOf(const Node &node, const SymbolicExpr &expr)
    {
        return dimensionValue(m_builder, node.origin, expr, m_dimensions);
    }

    // Whether each place along the axis is below the end.
    Result<NodeId> isBelow(const Node &node, const Shape &shape, std::size_t axis, const SymbolicExpr &end)
    {
        SW_TRY(const NodeId numbers, places(node, shape, axis));
        SW_TRY(const NodeId last, valueOf(node, end));
        return combined(node, Op::Cmplt, numbers, last);
    }

    Result<NodeId> chosen(const Node &node, NodeId condition, NodeId value, NodeId otherwise)
    {
        return m_builder.broadcasted(node.origin, Op::Where, std::array{condition, value, otherwise});
    }

    // The input with `beyond` in place of the elements past the real extents, along those of the axes that are symbolic.
    Result<NodeId> masked(const Node &node, NodeId input, const Shape &real, std::span<const std::size_t> axes, Scalar beyond)
    {
        const NodeId otherwise = m_builder.constScalar(node.origin, beyond);
        NodeId value = input;
        for (const std::size_t axis : axes) {
            if (!real.isSymbolic(axis))
                continue;
            SW_TRY(const NodeId isInside, isBelow(node, real.largest(), axis, real.extent(axis)));
            SW_TRY(value, chosen(node, isInside, value, otherwise));
        }
        return value;
    }

    // ---- nodes

    Result<NodeId> reduced(const Node &node)
    {
        const auto &axes = attributesOf<AxesAttributes>(node).axes;
        SW_TRY(const NodeId input, masked(node, made(node, 0), shapeOf(node, 0), axes, identityOf(node.op, node.dtype)));
        return m_builder.reduce(node.origin, node.op, input, axes);
    }

    // The border follows directly after the real elements, however many there are.
    Result<NodeId> padded(const Node &node)
    {
        const auto &attributes = attributesOf<PadAttributes>(node);
        const Shape &real = shapeOf(node, 0);
        SW_TRY(NodeId value, m_builder.pad(node.origin, made(node, 0), attributes));
        const NodeId fill = m_builder.constScalar(node.origin, attributes.fill);
        for (std::size_t axis = 0; axis < real.rank(); ++axis) {
            if (!real.isSymbolic(axis) || attributes.after[axis] == 0)
                continue;
            SW_TRY(const SymbolicExpr end, add(real.extent(axis), attributes.before[axis]));
            SW_TRY(const NodeId isInside, isBelow(node, node.shape.largest(), axis, end));
            SW_TRY(value, chosen(node, isInside, value, fill));
        }
        return value;
    }

    // The elements at the places `at` along the axis; the places are clamped to the real extent, so that what lies beyond it is
    // not read.
    Result<NodeId> taken(const Node &node, NodeId source, NodeId at, std::size_t axis, const SymbolicExpr &extent)
    {
        const NodeId zero = m_builder.constScalar(node.origin, Scalar::of(DType::I64, std::int64_t{0}));
        SW_TRY(const SymbolicExpr end, subtract(extent, 1));
        SW_TRY(const SymbolicExpr last, maximum(end, 0));
        SW_TRY(const NodeId most, valueOf(node, last));
        SW_TRY(const NodeId notBelow, combined(node, Op::Max, at, zero));
        SW_TRY(const NodeId inside, combined(node, Op::Min, notBelow, most));
        std::vector<std::int64_t> extents(m_builder.node(source).shape.begin(), m_builder.node(source).shape.end());
        extents[axis] = m_builder.node(at).shape[axis];
        SW_TRY(const NodeId everywhere, m_builder.broadcastTo(node.origin, inside, Shape(std::move(extents))));
        return m_builder.gather(node.origin, source, everywhere, axis);
    }

    // Element i of the result is element n - 1 - i of the input.
    Result<NodeId> flipped(const Node &node)
    {
        std::vector<std::size_t> fixed;
        NodeId value = made(node, 0);
        for (const std::size_t axis : attributesOf<AxesAttributes>(node).axes) {
            if (!node.shape.isSymbolic(axis)) {
                fixed.push_back(axis);
                continue;
            }
            SW_TRY(const NodeId numbers, places(node, node.shape.largest(), axis));
            SW_TRY(const SymbolicExpr last, subtract(node.shape.extent(axis), 1));
            SW_TRY(const NodeId from, valueOf(node, last));
            SW_TRY(const NodeId at, combined(node, Op::Sub, from, numbers));
            SW_TRY(value, taken(node, value, at, axis, node.shape.extent(axis)));
        }
        return fixed.empty() ? Result<NodeId>(value) : m_builder.flip(node.origin, value, std::move(fixed));
    }

    // Each input begins where the real elements of the inputs before it end.
    Result<NodeId> joined(const Node &node)
    {
        const std::size_t axis = attributesOf<AxisAttributes>(node).axis;
        const Shape shape = node.shape.largest();
        SymbolicExpr begin;
        std::optional<NodeId> value;
        for (std::size_t i = 0; i < node.inputs.size(); ++i) {
            const Shape &real = shapeOf(node, i);
            if (real[axis] == 0)
                continue;
            SW_TRY(const NodeId numbers, places(node, shape, axis));
            SW_TRY(const NodeId first, valueOf(node, begin));
            SW_TRY(const NodeId at, combined(node, Op::Sub, numbers, first));
            SW_TRY(const NodeId part, taken(node, made(node, i), at, axis, real.extent(axis)));
            if (value) {
                SW_TRY(const NodeId isBefore, combined(node, Op::Cmplt, numbers, first));
                SW_TRY(value, chosen(node, isBefore, *value, part));
            } else {
                value = part;
            }
            SW_TRY(begin, add(begin, real.extent(axis)));
        }
        SW_ASSERT(value.has_value(), "an input of a symbolic extent");
        return *value;
    }

    const Graph &m_graph;
    PassContext &m_context;
    GraphBuilder m_builder;
    DimensionNodes m_dimensions;
    std::vector<NodeId> m_made; // by node of the graph
};

// A run may go through the elements of the largest extents, even if there are fewer: not every loop ends with a dimension.
constexpr std::int64_t kMostElements = std::int64_t{1} << 34;

Result<Done> checkLargestExtents(const Graph &graph)
{
    for (const Node &node : graph.nodes()) {
        if (!node.shape.isSymbolic() || node.shape.elements() <= kMostElements)
            continue;
        return Diagnostic::error(
                   Code::Limit, graph.sources().programRange(node.origin),
                   "{} may have {} elements, {} of {}; a run may go through all that there may be, and at most {} are "
                   "supported",
                   operationText(node), node.shape.elements(), toText(node.shape.largest()), toText(node.shape), kMostElements)
            .withHint("give the dimensions lower upper bounds");
    }
    return Done{};
}

} // namespace

Result<std::optional<Graph>> padDimensions(const Graph &graph, PassContext &context)
{
    SW_CHECK(checkLargestExtents(graph));
    const bool hasDimensions = std::ranges::any_of(
        graph.nodes(), [](const Node &node) { return node.shape.isSymbolic() || node.kind == NodeKind::DefineVar; });
    if (!hasDimensions || !context.mayRewrite())
        return std::optional<Graph>();
    SW_TRY(Graph padded, DimensionPadder(graph, context).run());
    return std::optional(std::move(padded));
}

std::span<const StepRule> paddingRules()
{
    return kRules;
}

} // namespace sw
