#include "engine/passes/graph/split_words.h"

#include "engine/passes/graph/cell_words.h"
#include "engine/types/npy.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

namespace sw {

namespace {

constexpr std::array kRules{
    StepRule{"words", "A tensor of u32x4 becomes one of u32 with a last axis of 4: the same bytes, in a type that devices have."},
    StepRule{"generate-words", "The random generator computes its four words side by side along the last axis."},
    StepRule{"gather-words", "A conversion from u32x4 reads the words that make up its number."},
    StepRule{"uniform-of-words", "The uniform numbers are made from the words, each from as many bits as its type has."},
    StepRule{"cell-outputs", "The outputs remember which of them are u32x4."},
};

class WordSplitter {
public:
    WordSplitter(const Graph &graph, PassContext &context) : m_graph(graph), m_context(context), m_builder(graph) {}

    Result<Graph> run()
    {
        for (std::size_t i = 0; i < m_graph.size(); ++i) {
            const Node &node = m_graph.node(NodeId(i));
            m_builder.setScope(node.scope);
            const std::string_view rule = ruleFor(node);
            const bool isDone = !rule.empty() && m_context.mayRewrite();
            const std::size_t first = m_builder.size();
            SW_TRY(const NodeId made, isDone ? rewritten(node) : left(node));
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
    [[nodiscard]] const Node &source(const Node &node, std::size_t input) const { return m_graph.node(node.inputs[input]); }
    [[nodiscard]] NodeId made(const Node &node, std::size_t input) const { return m_made[node.inputs[input].value]; }

    void record(std::string_view rule, NodeId old, std::size_t first)
    {
        const NodeId made = m_made.back();
        m_context.record(rule, [&] {
            const Node &node = m_graph.node(old);
            const Node &now = m_builder.node(made);
            RewriteDetail detail{format("{}{} {} -> {} {}", operationText(node), node.name.empty() ? "" : " " + node.name,
                                        typeOf(node), operationText(now), typeOf(now)),
                                 {old.value}};
            for (std::size_t id = first; id < m_builder.size(); ++id)
                detail.after.push_back(static_cast<std::uint32_t>(id));
            return detail;
        });
    }

    static std::string typeOf(const Node &node) { return format("{}{}", nameOf(node.dtype), toText(node.shape)); }

    // The rule for the node; empty when it has nothing to do with cells.
    [[nodiscard]] std::string_view ruleFor(const Node &node) const
    {
        if (node.kind == NodeKind::Sink) {
            const bool hasCells =
                std::ranges::any_of(node.inputs, [this](NodeId input) { return m_graph.node(input).dtype == DType::U32x4; });
            return hasCells ? "cell-outputs" : "";
        }
        if (node.dtype == DType::U32x4)
            return node.kind == NodeKind::Threefry ? "generate-words" : "words";
        if (node.inputs.empty() || source(node, 0).dtype != DType::U32x4)
            return {};
        return node.kind == NodeKind::Cast ? "gather-words" : "uniform-of-words";
    }

    // The node as it is. In a graph in between, the cells that it reads may be words already.
    Result<NodeId> left(const Node &node)
    {
        Node copy = node;
        for (std::size_t i = 0; i < node.inputs.size(); ++i)
            copy.inputs[i] = made(node, i);
        return m_builder.addUnchecked(std::move(copy));
    }

    Result<NodeId> rewritten(const Node &node)
    {
        if (node.dtype == DType::U32x4 && node.kind != NodeKind::Sink)
            return cells(node);
        CellWords words(m_builder, node.origin);
        const bool readsCells = !node.inputs.empty() && source(node, 0).dtype == DType::U32x4;
        if (readsCells && node.kind == NodeKind::Cast)
            return words.gathered(made(node, 0), node.dtype);
        if (readsCells && node.kind == NodeKind::Uniform)
            return words.uniform(made(node, 0), node.dtype, attributesOf<UniformAttributes>(node).form, node.shape);
        SW_ASSERT(!readsCells || node.kind == NodeKind::Sink, "cells that casts, uniform numbers and outputs read");
        Node copy = node;
        for (std::size_t i = 0; i < node.inputs.size(); ++i) {
            copy.inputs[i] = made(node, i);
            if (node.kind != NodeKind::Sink || source(node, i).dtype != DType::U32x4)
                continue;
            auto &sink = std::get<SinkAttributes>(copy.attributes);
            sink.cells.push_back(i);
            if (!sink.shapes.empty()) {
                SW_TRY(sink.shapes[i], withWords(sink.shapes[i]));
            }
        }
        return m_builder.addUnchecked(std::move(copy));
    }

    static Result<Shape> withWords(const Shape &shape)
    {
        std::vector<SymbolicExpr> extents = shape.symbolicExtents();
        extents.emplace_back(kWordsPerCell);
        return Shape::checkedSymbolic(std::move(extents));
    }

    // The words of a node of type u32x4.
    Result<NodeId> cells(const Node &node)
    {
        switch (node.kind) {
        case NodeKind::Placeholder:
            return placeholder(node);
        case NodeKind::Buffer: {
            SW_TRY(const NodeId flat, m_builder.buffer(node.origin, DType::U32, kWordsPerCell * node.shape.elements()));
            return m_builder.reshape(node.origin, flat, withLastAxis(node.shape, kWordsPerCell));
        }
        case NodeKind::ConstScalar:
            return m_builder.vconst(node.origin, toRawBits(HostTensor::ofScalar(attributesOf<ScalarAttributes>(node).value)));
        case NodeKind::Vconst:
            return m_builder.vconst(node.origin, toRawBits(*attributesOf<TensorAttributes>(node).value));
        case NodeKind::Binary:
            return m_builder.elementwise(node.origin, node.op, std::array{made(node, 0), made(node, 1)});
        case NodeKind::Ternary: {
            SW_TRY(const NodeId condition, perWord(node.origin, made(node, 0)));
            return m_builder.elementwise(node.origin, node.op, std::array{condition, made(node, 1), made(node, 2)});
        }
        case NodeKind::Cast:
            return CellWords(m_builder, node.origin).spread(made(node, 0));
        case NodeKind::Bitcast:
        case NodeKind::Contiguous:
            return node.kind == NodeKind::Contiguous ? m_builder.contiguous(node.origin, made(node, 0))
                                                     : Result<NodeId>(made(node, 0));
        case NodeKind::Cat: {
            std::vector<NodeId> inputs;
            for (std::size_t i = 0; i < node.inputs.size(); ++i)
                inputs.push_back(made(node, i));
            return m_builder.cat(node.origin, inputs, attributesOf<AxisAttributes>(node).axis);
        }
        case NodeKind::Gather:
            return gather(node);
        case NodeKind::Index:
            return index(node);
        case NodeKind::Threefry: {
            const auto &attributes = attributesOf<ThreefryAttributes>(node);
            return CellWords(m_builder, node.origin)
                .threefry(attributes.variant, attributes.stream, made(node, 0), made(node, 1));
        }
        case NodeKind::Detach:
        case NodeKind::ContiguousBackward:
            return made(node, 0);
        case NodeKind::Fuse:
        case NodeKind::Unroll:
        case NodeKind::Unique:
        case NodeKind::Noop:
            return m_builder.marker(node.origin, node.kind, made(node, 0), node.attributes);
        case NodeKind::Device:
        case NodeKind::Copy:
        case NodeKind::Multi:
        case NodeKind::Crop:
        case NodeKind::Kernel:
        case NodeKind::Choose:
        case NodeKind::ScanCarry:
        case NodeKind::ScanSlice:
        case NodeKind::ScanLast:
        case NodeKind::ScanRows:
            return placed(node);
        case NodeKind::View:
        case NodeKind::Reshape:
        case NodeKind::Permute:
        case NodeKind::Expand:
        case NodeKind::Pad:
        case NodeKind::Shrink:
        case NodeKind::Flip:
            return moved(node);
        case NodeKind::Iota:
        case NodeKind::Scatter:
        case NodeKind::Custom:
        case NodeKind::Assign:
        case NodeKind::BufferView:
        case NodeKind::Valid:
        case NodeKind::Gep:
        case NodeKind::Vectorize:
        case NodeKind::Wmma:
        case NodeKind::Contract:
        case NodeKind::Gradient:
        case NodeKind::DefineVar:
        case NodeKind::Bind:
        case NodeKind::Uniform:
        case NodeKind::Unary:
        case NodeKind::ReduceAxis:
        case NodeKind::Sink:
            break;
        }
        SW_UNREACHABLE();
    }

    Result<NodeId> placeholder(const Node &node)
    {
        PlaceholderAttributes attributes = attributesOf<PlaceholderAttributes>(node);
        if (attributes.initial != nullptr)
            attributes.initial = std::make_shared<const HostTensor>(toRawBits(*attributes.initial));
        if (attributes.given.isSymbolic()) {
            SW_TRY(attributes.given, withWords(attributes.given));
        }
        return m_builder.placeholder(node.origin, DType::U32, withLastAxis(node.shape, kWordsPerCell), std::move(attributes));
    }

    // The words of a value have the same devices and parts as the value.
    Result<NodeId> placed(const Node &node)
    {
        Node copy = node;
        copy.dtype = DType::U32;
        copy.shape = withLastAxis(node.shape, kWordsPerCell);
        for (std::size_t i = 0; i < node.inputs.size(); ++i)
            copy.inputs[i] = made(node, i);
        return m_builder.addUnchecked(std::move(copy));
    }

    // The value repeated for the four words of each cell.
    Result<NodeId> perWord(const Origin &origin, NodeId id)
    {
        const Shape shape = m_builder.node(id).shape;
        SW_TRY(const NodeId spread, m_builder.reshape(origin, id, withLastAxis(shape, 1)));
        return m_builder.expand(origin, spread, withLastAxis(shape, kWordsPerCell));
    }

    Result<NodeId> moved(const Node &node)
    {
        const NodeId input = made(node, 0);
        Shape shape = withLastAxis(node.shape, kWordsPerCell);
        const auto rank = node.shape.rank();
        if (node.kind == NodeKind::Reshape)
            return m_builder.reshape(node.origin, input, std::move(shape));
        if (node.kind == NodeKind::Expand)
            return m_builder.expand(node.origin, input, std::move(shape));
        if (node.kind == NodeKind::Flip)
            return m_builder.flip(node.origin, input, attributesOf<AxesAttributes>(node).axes);
        if (node.kind == NodeKind::Permute) {
            std::vector<std::size_t> axes = attributesOf<AxesAttributes>(node).axes;
            axes.push_back(rank);
            return m_builder.permute(node.origin, input, std::move(axes));
        }
        if (node.kind == NodeKind::Shrink) {
            ShrinkAttributes range = attributesOf<ShrinkAttributes>(node);
            range.begin.push_back(0);
            range.end.push_back(kWordsPerCell);
            return m_builder.shrink(node.origin, input, std::move(range));
        }
        return node.kind == NodeKind::View ? view(node, input) : pad(node, input);
    }

    Result<NodeId> view(const Node &node, NodeId input)
    {
        ViewAttributes view = attributesOf<ViewAttributes>(node);
        for (std::int64_t &stride : view.strides)
            stride *= kWordsPerCell;
        view.strides.push_back(1);
        view.offset *= kWordsPerCell;
        if (!view.mask.empty())
            view.mask.emplace_back(0, kWordsPerCell);
        return m_builder.view(node.origin, input, withLastAxis(node.shape, kWordsPerCell), std::move(view));
    }

    // The border takes the words of the fill value.
    Result<NodeId> pad(const Node &node, NodeId input)
    {
        const auto &given = attributesOf<PadAttributes>(node);
        PadAttributes border{given.before, given.after, Scalar::fromBits(DType::U32, given.fill.words()[0])};
        border.before.push_back(0);
        border.after.push_back(0);
        SW_TRY(const NodeId padded, m_builder.pad(node.origin, input, border));
        const auto words = given.fill.words();
        if (std::ranges::count(words, words[0]) == kWordsPerCell)
            return padded;
        SW_TRY(const NodeId ones, m_builder.full(node.origin, Scalar::ofBool(true), m_builder.node(input).shape));
        border.fill = Scalar::ofBool(false);
        SW_TRY(const NodeId isInside, m_builder.pad(node.origin, ones, std::move(border)));
        const NodeId fill = m_builder.vconst(node.origin, toRawBits(HostTensor::ofScalar(given.fill)));
        return m_builder.broadcasted(node.origin, Op::Where, std::array{isInside, padded, fill});
    }

    // One more than each index, or 0 if it is out of range; checked once for the four words of a cell. The source has `extent`
    // elements along the axis.
    Result<NodeId> checkedPositions(const Node &node, std::int64_t extent, std::optional<std::size_t> axis)
    {
        HostTensor numbers(DType::I64, Shape{extent});
        for (std::int64_t i = 0; i < extent; ++i)
            numbers.set(i, Scalar::of(DType::I64, i + 1));
        const NodeId counting = m_builder.vconst(node.origin, std::move(numbers));
        const bool hasValid = node.inputs.size() == 3;
        SW_TRY(const NodeId checked, m_builder.index(node.origin, counting, made(node, 1),
                                                     hasValid ? std::optional(made(node, 2)) : std::nullopt, axis));
        return m_builder.contiguous(node.origin, checked);
    }

    // The words of the cells at the positions along the axis; zeros at position 0.
    Result<NodeId> wordsAt(const Node &node, NodeId words, NodeId positions, std::size_t axis)
    {
        const NodeId one = m_builder.constScalar(node.origin, Scalar::of(DType::I64, std::int64_t{1}));
        SW_TRY(const NodeId places, perWord(node.origin, positions));
        SW_TRY(const NodeId known, m_builder.broadcasted(node.origin, Op::Max, std::array{places, one}));
        SW_TRY(const NodeId indices, m_builder.broadcasted(node.origin, Op::Sub, std::array{known, one}));
        SW_TRY(const NodeId found, m_builder.gather(node.origin, words, indices, axis));
        SW_TRY(const NodeId isKnown, m_builder.broadcasted(node.origin, Op::Cmple, std::array{one, places}));
        const NodeId zero = m_builder.constScalar(node.origin, Scalar::fromBits(DType::U32, 0));
        return m_builder.broadcasted(node.origin, Op::Where, std::array{isKnown, found, zero});
    }

    Result<NodeId> gather(const Node &node)
    {
        const std::size_t axis = attributesOf<AxisAttributes>(node).axis;
        SW_TRY(const NodeId positions, checkedPositions(node, source(node, 0).shape[axis], axis));
        return wordsAt(node, made(node, 0), positions, axis);
    }

    static std::optional<std::size_t> axisOf(const Node &index)
    {
        const auto *attributes = std::get_if<AxisAttributes>(&index.attributes);
        return attributes == nullptr ? std::nullopt : std::optional(attributes->axis);
    }

    Result<NodeId> index(const Node &node)
    {
        const std::int64_t elements = source(node, 0).shape.elements();
        SW_TRY(const NodeId positions, checkedPositions(node, elements, axisOf(node)));
        SW_TRY(const NodeId flat, m_builder.reshape(node.origin, positions, Shape{node.shape.elements()}));
        SW_TRY(const NodeId words, m_builder.reshape(node.origin, made(node, 0), Shape{elements, kWordsPerCell}));
        SW_TRY(const NodeId found, wordsAt(node, words, flat, 0));
        return m_builder.reshape(node.origin, found, withLastAxis(node.shape, kWordsPerCell));
    }

    const Graph &m_graph;
    PassContext &m_context;
    GraphBuilder m_builder;
    std::vector<NodeId> m_made; // by node of the graph
};

} // namespace

Result<std::optional<Graph>> splitWords(const Graph &graph, PassContext &context)
{
    const bool hasCells = std::ranges::any_of(graph.nodes(), [](const Node &node) { return node.dtype == DType::U32x4; });
    if (!hasCells || !context.mayRewrite())
        return std::optional<Graph>();
    SW_TRY(Graph split, WordSplitter(graph, context).run());
    return std::optional(std::move(split));
}

std::span<const StepRule> wordRules()
{
    return kRules;
}

} // namespace sw
