#include "engine/onnx/control_values.h"

#include "engine/onnx/read_model.h"

#include <algorithm>

namespace sw::onnx {

namespace {

bool areConstant(const Values &values)
{
    return std::ranges::all_of(values, [](const Value *value) { return value->constant && !value->isParameter; });
}

// Equal tensors side by side along a new axis.
Result<Value *> stacked(NodeCall &call, const Values &parts, std::int64_t newAxis)
{
    const Value &first = *parts.front();
    if (first.sequence)
        return call.error(Code::MalformedModel, "'{}' is a sequence, expected a tensor", displayText(first.name));
    SW_TRY(const std::size_t axis, call.axis(newAxis, first.shape.rank() + 1));
    for (const Value *part : parts)
        SW_CHECK(checkNotCounted(call, *part, "what the body gives"));
    for (const Value *part : parts)
        if (part->sequence || part->shape != first.shape || part->dtype != first.dtype)
            return call.unsupported("what the body gives is {} in one step, {} in another", typeText(first.dtype, first.shape),
                                    typeText(part->dtype, part->shape));
    std::vector<std::int64_t> extents = extentsOf(first.shape);
    extents.insert(extents.begin() + static_cast<std::ptrdiff_t>(axis), 1);
    if (axis == 0 && areConstant(parts)) {
        extents.front() = static_cast<std::int64_t>(parts.size());
        SW_TRY(Shape shape, Shape::checked(extents));
        HostTensor all(first.dtype, std::move(shape));
        std::int64_t next = 0;
        for (const Value *part : parts)
            for (std::int64_t i = 0; i < part->constant->elements(); ++i)
                all.set(next++, part->constant->at(i));
        Value *value = keepConstant(call, std::move(all));
        value->narrow = first.narrow;
        return value;
    }
    std::vector<NodeId> nodes;
    for (Value *part : parts) {
        SW_TRY(const NodeId node, call.reshape(materialize(call.builder(), *part), extents));
        nodes.push_back(node);
    }
    SW_TRY(const NodeId result, call.builder().cat(call.origin(), nodes, axis));
    return keepNode(call, result, first.narrow);
}

// Of a loop without steps: a tensor with no elements, of the type that the body says.
Result<Value *> emptyStack(NodeCall &call, const ValueInfo &info, std::int64_t newAxis)
{
    SW_TRY(const DType dtype, info.dtype);
    if (!info.shape || std::ranges::any_of(*info.shape, isOpen))
        return call.unsupported("the loop makes no step, and its body does not say of what shape '{}' is",
                                displayText(info.name));
    SW_TRY(const std::size_t axis, call.axis(newAxis, info.shape->size() + 1));
    std::vector<std::int64_t> extents;
    for (const Dimension &dimension : *info.shape)
        extents.push_back(dimension.extent);
    extents.insert(extents.begin() + static_cast<std::ptrdiff_t>(axis), 0);
    SW_TRY(Shape shape, Shape::checked(extents));
    return keepConstant(call, HostTensor(dtype, std::move(shape)));
}

} // namespace

Value *keepConstant(NodeCall &call, HostTensor tensor)
{
    Value value{.dtype = tensor.dtype(), .shape = tensor.shape(), .origin = call.origin(), .name = call.node().name};
    value.constant = std::make_shared<const HostTensor>(std::move(tensor));
    return call.bodies().keep(std::move(value));
}

Value *keepNode(NodeCall &call, NodeId node, Narrow narrow)
{
    return call.bodies().keep(valueOf(call.builder(), OutputValue(node, narrow), call.origin(), {}));
}

Outputs outputsOf(NodeCall &call, const Values &values)
{
    Outputs outputs;
    for (Value *value : values)
        outputs.push_back(outputOf(call.builder(), *value));
    return outputs;
}

Result<bool> isTrue(NodeCall &call, const HostTensor &condition)
{
    if (condition.elements() != 1 || condition.dtype() != DType::Bool)
        return call.error(Code::ShapeMismatch, "the condition is {}, expected one bool",
                          typeText(condition.dtype(), condition.shape()));
    return condition.at(0).asInt() != 0;
}

Result<NodeId> conditionNode(NodeCall &call, Value &condition)
{
    if (condition.sequence)
        return call.error(Code::MalformedModel, "the condition is a sequence, expected one bool");
    SW_CHECK(checkNotCounted(call, condition, "the condition"));
    if (condition.shape.elements() != 1 || condition.dtype != DType::Bool)
        return call.error(Code::ShapeMismatch, "the condition is {}, expected one bool",
                          typeText(condition.dtype, condition.shape));
    return call.reshape(materialize(call.builder(), condition), {});
}

Result<Value *> chosen(NodeCall &call, NodeId condition, Value *yes, Value *no, std::string_view what)
{
    if (yes == no)
        return yes;
    if (yes->sequence || no->sequence)
        return call.unsupported("{} is a sequence, and a condition that is computed when the model runs says which", what);
    SW_CHECK(checkNotCounted(call, *yes, what));
    SW_CHECK(checkNotCounted(call, *no, what));
    if (yes->dtype != no->dtype || yes->shape != no->shape || yes->narrow != no->narrow)
        return call.unsupported("{} is {} or {}, as a condition says that is computed when the model runs", what,
                                typeText(yes->dtype, yes->shape), typeText(no->dtype, no->shape));
    const NodeId whenTrue = materialize(call.builder(), *yes);
    SW_TRY(const NodeId node, call.builder().choose(call.origin(), condition, whenTrue, materialize(call.builder(), *no)));
    return keepNode(call, node, yes->narrow);
}

Result<Value *> stackedOrEmpty(NodeCall &call, const Values &parts, const ValueInfo &info, std::int64_t axis)
{
    return parts.empty() ? emptyStack(call, info, axis) : stacked(call, parts, axis);
}

Result<Values> operandsFrom(NodeCall &call, std::size_t first)
{
    Values values;
    for (std::size_t i = first; i < call.operandCount(); ++i) {
        if (!call.has(i))
            return call.error(Code::MalformedModel, "input {} is missing", i);
        values.push_back(call.value(i));
    }
    return values;
}

Result<Done> checkOutputs(const NodeCall &call, const ModelGraph &body, std::size_t least)
{
    if (body.outputs.size() < least)
        return call.error(Code::MalformedModel, "its body has {} outputs, expected at least {}", body.outputs.size(), least);
    return Done{};
}

} // namespace sw::onnx
