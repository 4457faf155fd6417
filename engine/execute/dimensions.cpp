#include "engine/execute/dimensions.h"

#include "engine/types/box.h"
#include "engine/types/npy.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace sw {

namespace {

struct Dimension {
    SymbolicVariable variable;
    std::optional<std::int64_t> bound;
};

std::map<std::string, Dimension> declaredIn(const Graph &graph)
{
    std::map<std::string, Dimension> found;
    for (const Node &node : graph.nodes()) {
        if (const auto *made = std::get_if<DimensionAttributes>(&node.attributes))
            found[made->variable.name].variable = made->variable;
        if (const auto *bound = std::get_if<BoundAttributes>(&node.attributes))
            found[attributesOf<DimensionAttributes>(graph.node(node.inputs[0])).variable.name].bound = bound->value;
        const auto *given = std::get_if<PlaceholderAttributes>(&node.attributes);
        if (given != nullptr && given->dimension)
            found[given->dimension->name] = {*given->dimension, given->bound};
    }
    return found;
}

const Shape &symbolicShapeOf(const Node &placeholder)
{
    const Shape &given = attributesOf<PlaceholderAttributes>(placeholder).given;
    return given.isSymbolic() ? given : placeholder.shape;
}

Result<Done> checkWanted(const std::map<std::string, Dimension> &declared, const SymbolicBindings &wanted)
{
    for (const auto &[name, value] : wanted) {
        const auto found = declared.find(name);
        if (found == declared.end())
            return Diagnostic::error(Code::UnknownName, {}, "the program has no dimension {}; it has {}", sw::quoted(name),
                                     declared.empty() ? std::string("none")
                                                      : join(declared, ", ", [](const auto &known) { return known.first; }));
        const SymbolicVariable &variable = found->second.variable;
        if (value < variable.low || value > variable.high)
            return Diagnostic::error(Code::Argument, {}, "the dimension {} cannot be {}: it lies between {} and {}", name, value,
                                     variable.low, variable.high);
    }
    return Done{};
}

// The equations that the shapes of the given values imply.
Result<std::vector<SymbolicEquation>> equationsOf(const Graph &graph, std::span<const GivenShape> given)
{
    const std::vector<NodeId> placeholders = graph.placeholders();
    std::vector<SymbolicEquation> equations;
    for (const GivenShape &value : given) {
        const Node &node = graph.node(placeholders.at(value.placeholder));
        const Shape &shape = symbolicShapeOf(node);
        if (shape.rank() != value.shape.rank())
            return Diagnostic::error(Code::ShapeMismatch, graph.sources().programRange(node.origin),
                                     "input {} is {}, but the tensor given for it has shape {}",
                                     sw::quoted(attributesOf<PlaceholderAttributes>(node).name), typeText(node.dtype, shape),
                                     toText(value.shape));
        for (std::size_t axis = 0; axis < shape.rank(); ++axis)
            if (shape.isSymbolic(axis))
                equations.push_back({shape.extent(axis), value.shape[axis]});
    }
    return equations;
}

} // namespace

std::vector<GivenShape> givenShapesOf(const Graph &graph, std::span<const HostTensor> values)
{
    std::vector<GivenShape> shapes;
    std::size_t next = 0;
    const std::vector<NodeId> placeholders = graph.placeholders();
    for (std::size_t i = 0; i < placeholders.size(); ++i) {
        const auto &attributes = attributesOf<PlaceholderAttributes>(graph.node(placeholders[i]));
        if (attributes.role == PlaceholderRole::Dimension || next == values.size())
            continue;
        const HostTensor &value = values[next++];
        if (attributes.given.isSymbolic())
            shapes.push_back({i, value.dtype() == DType::U32x4 ? toRawBits(value).shape() : value.shape()});
    }
    return shapes;
}

Result<SymbolicBindings> dimensionsOf(const Graph &graph, std::span<const GivenShape> given, const SymbolicBindings &wanted)
{
    const auto declared = declaredIn(graph);
    SW_CHECK(checkWanted(declared, wanted));
    SW_TRY(std::vector<SymbolicEquation> equations, equationsOf(graph, given));
    for (const auto &[name, value] : wanted)
        equations.push_back({SymbolicExpr(declared.at(name).variable), value});
    SW_TRY(SymbolicBindings bindings, solve(equations));
    for (const auto &[name, dimension] : declared)
        bindings.emplace(name, dimension.bound.value_or(dimension.variable.high));
    return bindings;
}

Shape givenShapeOf(const Node &placeholder, const SymbolicBindings &bindings)
{
    return symbolicShapeOf(placeholder).bound(bindings).value();
}

Result<std::vector<HostTensor>> paddedValues(const Graph &padded, std::span<const HostTensor> values,
                                             const SymbolicBindings &bindings)
{
    std::vector<HostTensor> all;
    std::size_t next = 0;
    for (const NodeId id : padded.placeholders()) {
        const Node &node = padded.node(id);
        const auto &attributes = attributesOf<PlaceholderAttributes>(node);
        if (attributes.role == PlaceholderRole::Dimension) {
            all.push_back(HostTensor::ofScalar(Scalar::of(DType::I64, bindings.at(attributes.name))));
            continue;
        }
        SW_ASSERT(next < values.size(), "a value for every placeholder");
        const HostTensor &value = values[next++];
        if (!attributes.given.isSymbolic()) {
            all.push_back(value);
            continue;
        }
        // Kernels see a u32x4 as its words.
        const HostTensor given = value.dtype() == DType::U32x4 ? toRawBits(value) : value;
        const Shape shape = givenShapeOf(node, bindings);
        if (given.shape() != shape)
            return Diagnostic::error(Code::ShapeMismatch, padded.sources().programRange(node.origin),
                                     "input {} is {} here, but the tensor given for it has shape {}", sw::quoted(attributes.name),
                                     typeText(node.dtype, shape), toText(given.shape()));
        HostTensor wide(given.dtype(), node.shape);
        copyBox(given, wide, shape);
        all.push_back(std::move(wide));
    }
    return all;
}

Shape neededShapeOf(const Graph &padded, const NeededExtents &needed, NodeId node, const SymbolicBindings &bindings)
{
    const Shape &whole = padded.node(node).shape;
    const NeededEnds *ends = needed.of(node);
    if (ends == nullptr)
        return whole;
    std::vector<std::int64_t> extents;
    for (std::size_t axis = 0; axis < whole.rank(); ++axis)
        extents.push_back(std::clamp<std::int64_t>((*ends)[axis].evaluate(bindings).value_or(whole[axis]), 0, whole[axis]));
    return Shape(std::move(extents));
}

std::vector<std::int64_t> usedBytesOf(const Schedule &schedule, const SymbolicBindings &bindings)
{
    const Graph &graph = *schedule.graph;
    const NeededExtents needed(graph);
    std::vector<std::int64_t> bytes;
    for (const ScheduledBuffer &buffer : schedule.buffers) {
        bytes.push_back(buffer.bytes());
        const Node &node = graph.node(buffer.node);
        const bool isGiven = node.kind == NodeKind::Placeholder;
        const Shape used = isGiven ? givenShapeOf(node, bindings) : neededShapeOf(graph, needed, buffer.node, bindings);
        if (used.rank() != node.shape.rank() || node.shape.elements() != buffer.shape.elements())
            continue;
        std::vector<std::int64_t> last(used.begin(), used.end());
        for (std::int64_t &place : last)
            --place;
        bytes.back() = used.isEmpty() ? 0 : (ravel(last, rowMajorStrides(node.shape)) + 1) * bytesOf(buffer.dtype);
    }
    return bytes;
}

} // namespace sw
