#include "engine/graph/builder.h"

#include "engine/graph/infer.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>

namespace sw {

namespace {

NodeKind kindOfArity(std::size_t arity)
{
    switch (arity) {
    case 1:
        return NodeKind::Unary;
    case 2:
        return NodeKind::Binary;
    case 3:
        return NodeKind::Ternary;
    }
    SW_UNREACHABLE();
}

void sortAndUnique(std::vector<std::size_t> &axes)
{
    std::ranges::sort(axes);
    const auto repeated = std::ranges::unique(axes);
    axes.erase(repeated.begin(), repeated.end());
}

} // namespace

GraphBuilder::GraphBuilder(SourceMapPtr sources) : m_sources(std::move(sources))
{
    SW_ASSERT(m_sources != nullptr, "a source map");
}

GraphBuilder::GraphBuilder(const Graph &from) : GraphBuilder(from.sourcesPtr())
{
    m_nodes.reserve(from.size());
}

void GraphBuilder::setName(NodeId id, std::string name)
{
    m_nodes.at(id.value).name = std::move(name);
}

NodeId GraphBuilder::placeholder(Origin origin, DType dtype, Shape shape, PlaceholderAttributes attributes)
{
    Node made = make(NodeKind::Placeholder, std::move(origin));
    made.dtype = dtype;
    made.shape = std::move(shape);
    made.name = attributes.name;
    made.attributes = std::move(attributes);
    return add(std::move(made));
}

Result<NodeId> GraphBuilder::iota(Origin origin, Shape shape)
{
    Node made = make(NodeKind::Iota, std::move(origin));
    made.dtype = DType::I64;
    made.shape = std::move(shape);
    return addChecked(std::move(made));
}

Result<NodeId> GraphBuilder::dimension(Origin origin, SymbolicVariable variable)
{
    Node made = make(NodeKind::DefineVar, std::move(origin));
    made.name = variable.name;
    made.attributes = DimensionAttributes{std::move(variable)};
    return addChecked(std::move(made));
}

Result<NodeId> GraphBuilder::bind(Origin origin, NodeId dimension, std::int64_t value)
{
    Node made = make(NodeKind::Bind, std::move(origin));
    made.attributes = BoundAttributes{value};
    made.inputs = {dimension};
    return addChecked(std::move(made));
}

Result<NodeId> GraphBuilder::buffer(Origin origin, DType dtype, std::int64_t elements)
{
    Node made = make(NodeKind::Buffer, std::move(origin));
    auto shape = Shape::checked({elements});
    if (!shape)
        return placed(made.origin, shape.failure());
    made.dtype = dtype;
    made.shape = std::move(shape).value();
    return addChecked(std::move(made));
}

NodeId GraphBuilder::constScalar(Origin origin, Scalar value)
{
    Node made = make(NodeKind::ConstScalar, std::move(origin));
    made.dtype = value.dtype();
    made.attributes = ScalarAttributes{value};
    return add(std::move(made));
}

NodeId GraphBuilder::vconst(Origin origin, HostTensor value)
{
    Node made = make(NodeKind::Vconst, std::move(origin));
    made.dtype = value.dtype();
    made.shape = value.shape();
    made.attributes = TensorAttributes{std::make_shared<const HostTensor>(std::move(value))};
    return add(std::move(made));
}

Result<NodeId> GraphBuilder::elementwise(Origin origin, Op op, std::span<const NodeId> operands)
{
    Node made = make(kindOfArity(arityOf(op)), std::move(origin));
    made.op = op;
    made.inputs.assign(operands.begin(), operands.end());
    return addChecked(std::move(made));
}

Result<NodeId> GraphBuilder::cast(Origin origin, NodeId input, DType dtype)
{
    if (node(input).dtype == dtype)
        return input;
    Node made = make(NodeKind::Cast, std::move(origin));
    made.dtype = dtype;
    made.inputs = {input};
    return addChecked(std::move(made));
}

Result<NodeId> GraphBuilder::bitcast(Origin origin, NodeId input, DType dtype)
{
    Node made = make(NodeKind::Bitcast, std::move(origin));
    made.dtype = dtype;
    made.inputs = {input};
    return addChecked(std::move(made));
}

Result<NodeId> GraphBuilder::view(Origin origin, NodeId input, Shape shape, ViewAttributes attributes)
{
    Node made = make(NodeKind::View, std::move(origin));
    made.shape = std::move(shape);
    made.attributes = std::move(attributes);
    made.inputs = {input};
    return addChecked(std::move(made));
}

Result<NodeId> GraphBuilder::reshape(Origin origin, NodeId input, Shape shape)
{
    if (node(input).shape == shape)
        return input;
    Node made = make(NodeKind::Reshape, std::move(origin));
    made.shape = std::move(shape);
    made.inputs = {input};
    return addChecked(std::move(made));
}

Result<NodeId> GraphBuilder::permute(Origin origin, NodeId input, std::vector<std::size_t> axes)
{
    Node made = make(NodeKind::Permute, std::move(origin));
    made.attributes = AxesAttributes{std::move(axes)};
    made.inputs = {input};
    return addChecked(std::move(made));
}

Result<NodeId> GraphBuilder::expand(Origin origin, NodeId input, Shape shape)
{
    if (node(input).shape == shape)
        return input;
    Node made = make(NodeKind::Expand, std::move(origin));
    made.shape = std::move(shape);
    made.inputs = {input};
    return addChecked(std::move(made));
}

Result<NodeId> GraphBuilder::pad(Origin origin, NodeId input, PadAttributes attributes)
{
    Node made = make(NodeKind::Pad, std::move(origin));
    made.attributes = std::move(attributes);
    made.inputs = {input};
    return addChecked(std::move(made));
}

Result<NodeId> GraphBuilder::shrink(Origin origin, NodeId input, ShrinkAttributes attributes, Shape shape)
{
    Node made = make(NodeKind::Shrink, std::move(origin));
    made.shape = std::move(shape);
    made.attributes = std::move(attributes);
    made.inputs = {input};
    return addChecked(std::move(made));
}

Result<NodeId> GraphBuilder::flip(Origin origin, NodeId input, std::vector<std::size_t> axes)
{
    Node made = make(NodeKind::Flip, std::move(origin));
    sortAndUnique(axes);
    made.attributes = AxesAttributes{std::move(axes)};
    made.inputs = {input};
    return addChecked(std::move(made));
}

Result<NodeId> GraphBuilder::reduce(Origin origin, Op op, NodeId input, std::vector<std::size_t> axes)
{
    if (axes.empty())
        return input;
    Node made = make(NodeKind::ReduceAxis, std::move(origin));
    sortAndUnique(axes);
    made.op = op;
    made.attributes = AxesAttributes{std::move(axes)};
    made.inputs = {input};
    return addChecked(std::move(made));
}

Result<NodeId> GraphBuilder::contiguous(Origin origin, NodeId input)
{
    Node made = make(NodeKind::Contiguous, std::move(origin));
    made.inputs = {input};
    return addChecked(std::move(made));
}

Result<NodeId> GraphBuilder::detach(Origin origin, NodeId input)
{
    Node made = make(NodeKind::Detach, std::move(origin));
    made.inputs = {input};
    return addChecked(std::move(made));
}

Result<NodeId> GraphBuilder::contiguousBackward(Origin origin, NodeId input)
{
    Node made = make(NodeKind::ContiguousBackward, std::move(origin));
    made.inputs = {input};
    return addChecked(std::move(made));
}

Result<NodeId> GraphBuilder::gradient(Origin origin, NodeId loss, NodeId wanted, std::optional<NodeId> weights)
{
    Node made = make(NodeKind::Gradient, std::move(origin));
    made.inputs = {loss, wanted};
    if (weights)
        made.inputs.push_back(*weights);
    return addChecked(std::move(made));
}

Result<NodeId> GraphBuilder::cat(Origin origin, std::span<const NodeId> inputs, std::size_t axis)
{
    Node made = make(NodeKind::Cat, std::move(origin));
    made.attributes = AxisAttributes{axis};
    made.inputs.assign(inputs.begin(), inputs.end());
    return addChecked(std::move(made));
}

Result<NodeId> GraphBuilder::gather(Origin origin, NodeId source, NodeId indices, std::size_t axis)
{
    Node made = make(NodeKind::Gather, std::move(origin));
    made.attributes = AxisAttributes{axis};
    made.inputs = {source, indices};
    return addChecked(std::move(made));
}

Result<NodeId> GraphBuilder::index(Origin origin, NodeId source, NodeId indices, std::optional<NodeId> valid,
                                   std::optional<std::size_t> axis)
{
    Node made = make(NodeKind::Index, std::move(origin));
    if (axis)
        made.attributes = AxisAttributes{*axis};
    made.inputs = {source, indices};
    if (valid)
        made.inputs.push_back(*valid);
    return addChecked(std::move(made));
}

Result<Graph> GraphBuilder::finish(Origin origin, std::vector<NodeId> outputs, std::vector<std::string> names) &&
{
    Node made = make(NodeKind::Sink, std::move(origin));
    made.scope = SourceMap::rootScope();
    std::unordered_set<std::string_view> seen;
    for (const std::string &name : names)
        if (!seen.insert(name).second)
            return error(Code::DuplicateName, made.origin, "there are two outputs of the name {}", quoted(name));
    made.inputs = std::move(outputs);
    made.attributes = SinkAttributes{std::move(names)};
    SW_TRY(const NodeId sink, addChecked(std::move(made)));
    SW_ASSERT(sink.value + 1 == m_nodes.size(), "the sink as the last node");
    return std::move(*this).finishUnchecked();
}

NodeId GraphBuilder::addUnchecked(Node node)
{
    return add(std::move(node));
}

std::vector<Node> GraphBuilder::takeBack(std::size_t size)
{
    SW_ASSERT(size <= m_nodes.size(), "a size that the builder had before");
    if (size == m_nodes.size())
        return {};
    const auto first = m_nodes.begin() + static_cast<std::ptrdiff_t>(size);
    std::vector<Node> taken(std::make_move_iterator(first), std::make_move_iterator(m_nodes.end()));
    m_nodes.erase(first, m_nodes.end());
    return taken;
}

void GraphBuilder::mergeOrigin(NodeId id, const Origin &origin)
{
    Node &found = m_nodes.at(id.value);
    found.origin = Origin::merged(found.origin, origin);
}

Graph GraphBuilder::finishUnchecked() &&
{
    return Graph(std::move(m_nodes), std::move(m_sources));
}

Failure GraphBuilder::placed(const Origin &origin, Failure failure) const
{
    for (Diagnostic &diagnostic : failure.diagnostics)
        if (!diagnostic.where.isKnown())
            diagnostic.where = m_sources->programRange(origin);
    return failure;
}

Node GraphBuilder::make(NodeKind kind, Origin origin) const
{
    return Node{kind, Op::Add, DType::F32, Shape(), {}, NoAttributes{}, std::move(origin), m_scope, {}};
}

NodeId GraphBuilder::add(Node node)
{
    m_nodes.push_back(std::move(node));
    return NodeId(m_nodes.size() - 1);
}

Result<NodeId> GraphBuilder::addChecked(Node made)
{
    std::vector<const Node *> inputs;
    inputs.reserve(made.inputs.size());
    for (const NodeId input : made.inputs)
        inputs.push_back(&node(input));
    auto inferred = inferType(made, inputs);
    if (!inferred)
        return placed(made.origin, inferred.failure());
    made.dtype = inferred->dtype;
    made.shape = std::move(inferred->shape);
    return add(std::move(made));
}

} // namespace sw
