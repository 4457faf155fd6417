#include "engine/api/inputs.h"

#include "engine/execute/dimensions.h"
#include "engine/execute/input_values.h"
#include "engine/execute/memory_limit.h"
#include "engine/types/npy.h"
#include "engine/types/random_fill.h"

#include <algorithm>
#include <cmath>

namespace sw {

namespace {

const PlaceholderAttributes &placeholder(const Graph &graph, NodeId id)
{
    return attributesOf<PlaceholderAttributes>(graph.node(id));
}

bool isDimension(const Graph &graph, NodeId id)
{
    return placeholder(graph, id).role == PlaceholderRole::Dimension;
}

HostTensor rangeTensor(DType dtype, const Shape &shape, double first, double step)
{
    HostTensor made(dtype, shape);
    for (std::int64_t i = 0; i < made.elements(); ++i)
        made.set(i, Scalar::of(dtype, first + step * static_cast<double>(i)));
    return made;
}

// Fills that are made of numbers.
bool needsNumbers(InputFill fill)
{
    switch (fill) {
    case InputFill::Range:
    case InputFill::Uniform:
    case InputFill::Normal:
        return true;
    case InputFill::Program:
    case InputFill::Zeros:
    case InputFill::Ones:
    case InputFill::Constant:
    case InputFill::Tensor:
        return false;
    }
    SW_UNREACHABLE();
}

std::string whyNotRange(const InputChoice &choice)
{
    if (!std::isfinite(choice.first) || !std::isfinite(choice.second))
        return format("{} and {} were given where finite numbers are expected", choice.first, choice.second);
    if (choice.fill == InputFill::Uniform && choice.first > choice.second)
        return format("the lower bound {} is above the upper bound {}", choice.first, choice.second);
    if (choice.fill == InputFill::Normal && choice.second < 0)
        return format("the standard deviation is {}, and it cannot be negative", choice.second);
    return {};
}

// Why the tensor is not a value of that type and shape, apart from open dimensions.
std::string whyOtherTensor(const TensorView &tensor, const InputEntry &entry, DType dtype)
{
    const HostTensor value = fromRawBits(tensor.tensor(), dtype).value_or(tensor.tensor());
    const bool fits = value.dtype() == dtype && value.shape().rank() == entry.shape.size() &&
                      (entry.hasOpenShape || std::ranges::equal(value.shape(), entry.shape));
    return fits ? std::string() : format("it is {}, but {} is {}", entry.type, tensor.name(), tensor.type());
}

std::string whyNotChange(const CellChange &change, const InputEntry &entry, DType dtype)
{
    bool isInside = change.coordinates.size() == entry.shape.size();
    for (std::size_t axis = 0; isInside && axis < entry.shape.size(); ++axis)
        isInside = change.coordinates[axis] >= 0 && change.coordinates[axis] < entry.shape[axis];
    if (!isInside)
        return format("it is {}, and has no element [{}]", entry.type, join(change.coordinates, ", "));
    if (!parseScalar(dtype, change.value))
        return format("{} is not a value of type {}", sw::quoted(change.value), entry.elementType);
    return {};
}

InputEntry entryOf(const Node &node)
{
    const auto &attributes = attributesOf<PlaceholderAttributes>(node);
    const Shape &shape = attributes.given.isSymbolic() ? attributes.given : node.shape;
    InputEntry entry;
    entry.name = attributes.name;
    entry.type = typeText(node.dtype, shape);
    entry.elementType = nameOf(node.dtype);
    entry.shape.assign(shape.begin(), shape.end());
    entry.hasOpenShape = shape.isSymbolic();
    entry.isParam = attributes.role == PlaceholderRole::Param;
    return entry;
}

// The choices of a run, checked, and the dimensions that they say.
class Chosen {
public:
    static Result<Chosen> of(const Graph &graph, const RunInputs &inputs)
    {
        Chosen chosen(graph, inputs);
        const std::vector<NodeId> all = graph.placeholders();
        std::vector<GivenShape> shapes;
        for (const InputChoice &choice : inputs.inputs) {
            const auto found = std::ranges::find_if(
                all, [&](NodeId id) { return !isDimension(graph, id) && placeholder(graph, id).name == choice.name; });
            if (found == all.end())
                return unknownInput(graph, choice.name);
            if (const std::string reason = whyUnfit(choice, entryOf(graph.node(*found))); !reason.empty())
                return chosen.unfit(*found, reason);
            if (choice.fill == InputFill::Tensor) {
                const HostTensor &given = choice.tensor->tensor();
                shapes.push_back({static_cast<std::size_t>(found - all.begin()),
                                  fromRawBits(given, graph.node(*found).dtype).value_or(given).shape()});
            }
        }
        SW_TRY(chosen.m_dimensions, dimensionsOf(graph, shapes, inputs.dimensions));
        return chosen;
    }

    [[nodiscard]] const SymbolicBindings &dimensions() const { return m_dimensions; }

    [[nodiscard]] Result<HostTensor> value(NodeId id) const
    {
        const auto found = std::ranges::find(m_inputs.inputs, placeholder(m_graph, id).name, &InputChoice::name);
        if (found == m_inputs.inputs.end())
            return ownValue(m_graph.node(id), m_inputs.seed, m_dimensions);
        SW_TRY(HostTensor value, filled(id, *found));
        return changed(id, std::move(value), found->changes);
    }

private:
    Chosen(const Graph &graph, const RunInputs &inputs) : m_graph(graph), m_inputs(inputs) {}

    [[nodiscard]] Diagnostic unfit(NodeId id, const std::string &reason) const
    {
        return Diagnostic::error(Code::Argument, m_graph.sources().programRange(m_graph.node(id).origin), "input {}: {}",
                                 sw::quoted(placeholder(m_graph, id).name), reason);
    }

    [[nodiscard]] Result<HostTensor> filled(NodeId id, const InputChoice &choice) const
    {
        const Node &node = m_graph.node(id);
        const Shape shape = givenShapeOf(node, m_dimensions);
        switch (choice.fill) {
        case InputFill::Program:
            return ownValue(node, m_inputs.seed, m_dimensions);
        case InputFill::Zeros:
            return HostTensor(node.dtype, shape);
        case InputFill::Ones:
            return HostTensor::filled(Scalar::of(node.dtype, std::int64_t{1}), shape);
        case InputFill::Range:
            return rangeTensor(node.dtype, shape, choice.first, choice.second);
        case InputFill::Constant: {
            SW_TRY(const Scalar value, parseScalar(node.dtype, choice.constant));
            return HostTensor::filled(value, shape);
        }
        case InputFill::Uniform:
            return uniformTensor(node.dtype, shape, choice.seed, choice.first, choice.second);
        case InputFill::Normal:
            return normalTensor(node.dtype, shape, choice.seed, choice.first, choice.second);
        case InputFill::Tensor:
            return checkedValue(m_graph, id, choice.tensor->tensor(), m_dimensions);
        }
        SW_UNREACHABLE();
    }

    [[nodiscard]] Result<HostTensor> changed(NodeId id, HostTensor value, const std::vector<CellChange> &changes) const
    {
        if (changes.empty())
            return value;
        HostTensor copy(value.dtype(), value.shape());
        std::ranges::copy(value.bytes(), copy.mutableBytes().begin());
        const std::vector<std::int64_t> strides = rowMajorStrides(value.shape());
        for (const CellChange &change : changes) {
            for (std::size_t axis = 0; axis < change.coordinates.size(); ++axis)
                if (change.coordinates[axis] >= value.shape()[axis])
                    return unfit(id, format("it is {} here, and has no element [{}]", typeText(value.dtype(), value.shape()),
                                            join(change.coordinates, ", ")));
            SW_TRY(const Scalar cell, parseScalar(value.dtype(), change.value));
            copy.set(ravel(change.coordinates, strides), cell);
        }
        return copy;
    }

    const Graph &m_graph;
    const RunInputs &m_inputs;
    SymbolicBindings m_dimensions;
};

Result<std::vector<HostTensor>> valuesOf(const Graph &graph, const Chosen &chosen)
{
    std::vector<HostTensor> values;
    for (const NodeId id : graph.placeholders()) {
        if (isDimension(graph, id))
            continue;
        SW_TRY(HostTensor value, chosen.value(id));
        values.push_back(std::move(value));
    }
    return values;
}

} // namespace

std::string whyUnfit(const InputChoice &choice, const InputEntry &entry)
{
    const auto dtype = dtypeNamed(entry.elementType);
    SW_ASSERT(dtype, "a type of the table");
    const bool hasNumbers = isFloat(*dtype) || isInteger(*dtype);
    if (needsNumbers(choice.fill)) {
        if (!hasNumbers)
            return format("it is {}, and {} has no numbers to choose from", entry.type, entry.elementType);
        if (std::string reason = whyNotRange(choice); !reason.empty())
            return reason;
    }
    if (choice.fill == InputFill::Ones && *dtype == DType::U32x4)
        return format("it is {}, and {} has no one", entry.type, entry.elementType);
    if (choice.fill == InputFill::Constant && !parseScalar(*dtype, choice.constant))
        return format("{} is not a value of type {}", sw::quoted(choice.constant), entry.elementType);
    if (choice.fill == InputFill::Tensor) {
        if (choice.tensor == nullptr)
            return format("it is {}, and no tensor was given for it", entry.type);
        if (std::string reason = whyOtherTensor(*choice.tensor, entry, *dtype); !reason.empty())
            return reason;
    }
    for (const CellChange &change : choice.changes)
        if (std::string reason = whyNotChange(change, entry, *dtype); !reason.empty())
            return reason;
    return {};
}

std::string describe(const InputChoice &choice)
{
    const auto fill = [&]() -> std::string {
        switch (choice.fill) {
        case InputFill::Program:
            return "as the program says";
        case InputFill::Zeros:
            return "zeros";
        case InputFill::Ones:
            return "ones";
        case InputFill::Range:
            return format("range from {} in steps of {}", choice.first, choice.second);
        case InputFill::Constant:
            return format("all {}", choice.constant);
        case InputFill::Uniform:
            return format("uniform from {} to {}, seed {}", choice.first, choice.second, choice.seed);
        case InputFill::Normal:
            return format("normal, mean {}, deviation {}, seed {}", choice.first, choice.second, choice.seed);
        case InputFill::Tensor:
            return choice.tensor != nullptr ? choice.tensor->name() : std::string();
        }
        SW_UNREACHABLE();
    };
    const std::size_t changes = choice.changes.size();
    return changes == 0 ? fill() : format("{}, {} {} changed", fill(), changes, changes == 1 ? "cell" : "cells");
}

std::vector<InputEntry> inputEntries(const Graph &graph)
{
    std::vector<InputEntry> entries;
    for (const NodeId id : graph.placeholders())
        if (!isDimension(graph, id))
            entries.push_back(entryOf(graph.node(id)));
    return entries;
}

Result<std::vector<HostTensor>> inputValues(const Graph &graph, const RunInputs &inputs)
{
    SW_CHECK(checkInputsFit(graph, memoryBytes()));
    SW_TRY(const Chosen chosen, Chosen::of(graph, inputs));
    return valuesOf(graph, chosen);
}

Result<std::vector<HostTensor>> interpretedValues(const Graph &graph, const RunInputs &inputs)
{
    SW_CHECK(checkInputsFit(graph, memoryBytes()));
    SW_TRY(const Chosen chosen, Chosen::of(graph, inputs));
    SW_TRY(const std::vector<HostTensor> values, valuesOf(graph, chosen));
    return paddedValues(graph, values, chosen.dimensions());
}

Result<HostTensor> inputValue(const Graph &graph, const RunInputs &inputs, std::string_view name)
{
    SW_CHECK(checkInputsFit(graph, memoryBytes()));
    SW_TRY(const Chosen chosen, Chosen::of(graph, inputs));
    for (const NodeId id : graph.placeholders())
        if (!isDimension(graph, id) && placeholder(graph, id).name == name) {
            SW_TRY(HostTensor value, chosen.value(id));
            SW_CHECK(value.checkUnchanged());
            return value;
        }
    return unknownInput(graph, name);
}

} // namespace sw
