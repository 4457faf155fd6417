#include "engine/onnx/node_call.h"

#include "engine/onnx/read_model.h"

#include <set>
#include <string_view>

namespace sw::onnx {

namespace {

// A larger constant becomes a parameter, so that no stage has to print it.
constexpr std::int64_t kMaxLiteralElements = 256;
// Large enough for the results of ConstantOfShape and shape arithmetic, where a single repeated value is worth finding.
constexpr std::int64_t kMaxComparedElements = 4096;

// Integers of 64 bits are no weights but indices, and passes do more with indices that they know.
constexpr std::int64_t kMaxTableElements = std::int64_t{1} << 16;

bool isLiteralTensor(const Value &value)
{
    if (value.dtype == DType::I64)
        return value.constant->elements() <= kMaxTableElements;
    return !value.isParameter && value.constant->elements() <= kMaxLiteralElements;
}

bool isOneValue(const HostTensor &constant)
{
    if (constant.elements() < 1 || constant.elements() > kMaxComparedElements)
        return false;
    const Scalar first = constant.at(0);
    for (std::int64_t i = 1; i < constant.elements(); ++i) {
        if (constant.at(i) != first)
            return false;
    }
    return true;
}

// A node may make several large constants, and nodes may have the same name, or none.
std::string unusedName(const GraphBuilder &builder, const std::string &wanted)
{
    std::set<std::string_view> taken;
    for (std::size_t i = 0; i < builder.size(); ++i)
        if (const auto *placeholder = std::get_if<PlaceholderAttributes>(&builder.node(NodeId(i)).attributes))
            taken.insert(placeholder->name);
    std::string name = wanted;
    for (std::size_t number = 2; taken.contains(name); ++number)
        name = format("{} {}", wanted, number);
    return name;
}

NodeId parameter(GraphBuilder &builder, const Value &value)
{
    return builder.placeholder(
        value.origin, value.dtype, value.shape,
        {.name = unusedName(builder, displayText(value.name)), .role = PlaceholderRole::Param, .initial = value.constant});
}

} // namespace

NodeId materialize(GraphBuilder &builder, Value &value)
{
    if (value.node.isValid())
        return value.node;
    const HostTensor &constant = *value.constant;
    const bool isLiteral = value.isParameter ? value.shape.rank() == 0 : isOneValue(constant);
    if (isLiteral) {
        const auto filled = builder.full(value.origin, constant.at(0), value.shape);
        SW_ASSERT(filled.has_value(), "a scalar takes any shape");
        value.node = *filled;
    } else if (!isLiteralTensor(value)) {
        value.node = parameter(builder, value);
    } else {
        value.node = builder.vconst(value.origin, constant);
    }
    builder.setName(value.node, displayText(value.name));
    return value.node;
}

Value valueOf(const GraphBuilder &builder, const OutputValue &output, Origin origin, std::string name)
{
    Value value{.origin = std::move(origin), .name = std::move(name), .narrow = output.narrow, .sequence = output.sequence};
    value.counted = output.counted;
    if (output.sequence)
        return value;
    if (output.constant) {
        value.dtype = output.constant->dtype();
        value.shape = output.constant->shape();
        value.constant = output.constant;
    } else {
        const Node &made = builder.node(output.node);
        value.dtype = made.dtype;
        value.shape = made.shape;
        value.node = output.node;
    }
    return value;
}

OutputValue outputOf(GraphBuilder &builder, Value &value)
{
    OutputValue output{NodeId(), value.narrow};
    output.sequence = value.sequence;
    output.counted = value.counted;
    if (value.sequence)
        return output;
    if (value.constant && !value.isParameter)
        output.constant = value.constant;
    else
        output.node = materialize(builder, value);
    return output;
}

Result<Done> checkNotCounted(const NodeCall &call, const Value &value, std::string_view what)
{
    if (value.counted)
        return call.unsupported("{} has as many elements along axis {} as the run finds", what, value.counted->axis);
    return Done{};
}

NodeCall::NodeCall(NodeTools tools, NodePlace place, std::vector<Value *> operands)
    : m_tools(tools), m_place(place), m_origin(place.source), m_operands(std::move(operands))
{
}

const Value &NodeCall::operand(std::size_t index) const
{
    SW_ASSERT(has(index), "an operand that is there");
    return *m_operands[index];
}

NodeId NodeCall::input(std::size_t index)
{
    SW_ASSERT(has(index), "an operand that is there");
    return materialize(m_tools.builder, *m_operands[index]);
}

std::vector<NodeId> NodeCall::inputs()
{
    std::vector<NodeId> ids;
    for (std::size_t i = 0; i < m_operands.size(); ++i) {
        if (has(i))
            ids.push_back(input(i));
    }
    return ids;
}

Result<HostTensor> NodeCall::constant(std::size_t index, std::string_view role)
{
    return constantOf(operand(index), role);
}

Result<HostTensor> NodeCall::constantOf(const Value &value, std::string_view role)
{
    if (value.sequence)
        return error(Code::MalformedModel, "{} is '{}', a sequence, expected a tensor", role, displayText(value.name));
    if (value.constant)
        return *value.constant;
    if (value.counted)
        return unsupported("{} is '{}', whose axis {} has as many elements as the run finds", role, displayText(value.name),
                           value.counted->axis);
    auto computed = m_tools.known.valueOf(value.node);
    if (computed)
        return computed;
    Diagnostics problems = computed.error();
    for (Diagnostic &problem : problems)
        if (problem.code != Code::Cancelled)
            problem.message =
                format("{} is '{}', which must be known to compile: {}", role, displayText(value.name), problem.message);
    return Failure(std::move(problems));
}

std::optional<HostTensor> NodeCall::quickConstantOf(const Value &value)
{
    if (value.constant)
        return *value.constant;
    if (value.sequence || value.counted || !m_tools.known.isQuick(value.node))
        return std::nullopt;
    const Result<HostTensor> computed = m_tools.known.valueOf(value.node);
    return computed ? std::optional(*computed) : std::nullopt;
}

Result<Scalar> NodeCall::constantScalar(std::size_t index, std::string_view role)
{
    SW_TRY(const HostTensor tensor, constant(index, role));
    if (tensor.elements() != 1)
        return error(Code::ShapeMismatch, "{} has {} elements, expected one", role, tensor.elements());
    return tensor.at(0);
}

Result<std::vector<std::int64_t>> NodeCall::constantIntegers(std::size_t index, std::string_view role)
{
    SW_TRY(const HostTensor tensor, constant(index, role));
    if (!isInteger(tensor.dtype()) || tensor.shape().rank() > 1)
        return error(Code::MalformedModel, "{} is {}, expected a list of integers", role,
                     typeText(tensor.dtype(), tensor.shape()));
    std::vector<std::int64_t> values;
    for (std::int64_t i = 0; i < tensor.elements(); ++i)
        values.push_back(tensor.at(i).asInt());
    return values;
}

const Attribute *NodeCall::find(std::string_view name) const
{
    for (const Attribute &attribute : node().attributes) {
        if (attribute.name == name)
            return &attribute;
    }
    return nullptr;
}

template <class T>
const T *NodeCall::get(std::string_view name, std::string_view expected)
{
    const Attribute *attribute = find(name);
    if (attribute == nullptr)
        return nullptr;
    if (const T *value = std::get_if<T>(&attribute->value))
        return value;
    note({error(Code::MalformedModel, "attribute '{}' is not {}", name, expected)});
    return nullptr;
}

std::int64_t NodeCall::integer(std::string_view name, std::int64_t otherwise)
{
    const auto *value = get<std::int64_t>(name, "an integer");
    return value != nullptr ? *value : otherwise;
}

double NodeCall::number(std::string_view name, double otherwise)
{
    const auto *value = get<float>(name, "a number");
    return value != nullptr ? static_cast<double>(*value) : otherwise;
}

std::string NodeCall::text(std::string_view name, std::string_view otherwise)
{
    const auto *value = get<std::string>(name, "a text");
    return value != nullptr ? *value : std::string(otherwise);
}

std::optional<std::vector<std::int64_t>> NodeCall::integers(std::string_view name)
{
    const auto *value = get<std::vector<std::int64_t>>(name, "a list of integers");
    return value != nullptr ? std::optional(*value) : std::nullopt;
}

std::optional<std::vector<float>> NodeCall::numbers(std::string_view name)
{
    const auto *value = get<std::vector<float>>(name, "a list of numbers");
    return value != nullptr ? std::optional(*value) : std::nullopt;
}

Result<HostTensor> NodeCall::tensor(std::string_view name)
{
    const auto *value = get<Result<HostTensor>>(name, "a tensor");
    if (value == nullptr)
        return error(Code::MalformedModel, "there is no tensor '{}'", name);
    return *value;
}

Result<Subgraph> NodeCall::body(std::string_view name)
{
    const auto *value = get<Subgraph>(name, "a graph");
    if (value == nullptr)
        return error(Code::MalformedModel, "there is no graph '{}'", name);
    return *value;
}

Result<NodeId> NodeCall::apply(Op op, std::initializer_list<NodeId> operands)
{
    return m_tools.builder.broadcasted(m_origin, op, std::span(operands.begin(), operands.size()));
}

Result<NodeId> NodeCall::reshape(NodeId input, std::vector<std::int64_t> extents)
{
    SW_TRY(Shape shape, Shape::checked(std::move(extents)));
    return m_tools.builder.reshape(m_origin, input, std::move(shape));
}

Result<NodeId> NodeCall::broadcastTo(NodeId input, std::vector<std::int64_t> extents)
{
    SW_TRY(const Shape shape, Shape::checked(std::move(extents)));
    return m_tools.builder.broadcastTo(m_origin, input, shape);
}

Result<NodeId> NodeCall::permute(NodeId input, std::vector<std::size_t> axes)
{
    return m_tools.builder.permute(m_origin, input, std::move(axes));
}

Result<NodeId> NodeCall::reduce(Op op, NodeId input, std::vector<std::size_t> axes)
{
    return m_tools.builder.reduce(m_origin, op, input, std::move(axes));
}

Result<NodeId> NodeCall::cast(NodeId input, DType dtype)
{
    return m_tools.builder.cast(m_origin, input, dtype);
}

NodeId NodeCall::scalar(DType dtype, double value)
{
    return m_tools.builder.constScalar(m_origin, Scalar::of(dtype, value));
}

NodeId NodeCall::tensorConstant(HostTensor value)
{
    Value constant{.dtype = value.dtype(), .shape = value.shape(), .origin = m_origin, .name = node().name};
    constant.constant = std::make_shared<const HostTensor>(std::move(value));
    return materialize(m_tools.builder, constant);
}

Result<language::Value> NodeCall::callFunction(std::string_view function, std::vector<language::LibraryArgument> arguments)
{
    return m_tools.library.call(m_tools.builder, {.function = function,
                                                  .arguments = std::move(arguments),
                                                  .scopeName = displayText(node().op),
                                                  .scope = m_place.scope,
                                                  .caller = m_place.source});
}

Result<NodeId> NodeCall::callTensor(std::string_view function, std::vector<language::LibraryArgument> arguments)
{
    SW_TRY(const language::Value made, callFunction(function, std::move(arguments)));
    const auto *tensor = made.as<language::TensorValue>();
    SW_ASSERT(tensor != nullptr, "a tensor from a function of the library that makes one");
    return tensor->node;
}

Result<std::size_t> NodeCall::axis(std::int64_t axis, std::size_t rank) const
{
    auto normalized = normalizedAxis(axis, rank);
    if (!normalized)
        return error(Code::ShapeMismatch, "{}", normalized.error().front().message);
    return normalized;
}

Result<std::vector<std::size_t>> NodeCall::axes(const std::vector<std::int64_t> &axes, std::size_t rank) const
{
    std::vector<std::size_t> normalized;
    for (const std::int64_t each : axes) {
        SW_TRY(const std::size_t one, axis(each, rank));
        normalized.push_back(one);
    }
    std::sort(normalized.begin(), normalized.end());
    if (std::adjacent_find(normalized.begin(), normalized.end()) != normalized.end())
        return error(Code::Argument, "axes [{}] name an axis twice", join(axes, ", "));
    return normalized;
}

void NodeCall::note(Diagnostics problems)
{
    m_problems.insert(m_problems.end(), std::make_move_iterator(problems.begin()), std::make_move_iterator(problems.end()));
}

} // namespace sw::onnx
