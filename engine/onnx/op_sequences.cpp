// Sequences of tensors. Their length is known while importing, so the graph has none: a sequence is the list of its tensors.

#include "engine/onnx/handlers.h"
#include "engine/onnx/read_model.h"
#include "engine/onnx/select_axis.h"

#include <algorithm>

namespace sw::onnx {

namespace {

using Values = std::vector<Value *>;

OutputValue sequenceOf(Values values)
{
    OutputValue output{NodeId()};
    output.sequence = std::make_shared<const Values>(std::move(values));
    return output;
}

Result<Values> sequenceAt(NodeCall &call, std::size_t index)
{
    const Value &value = *call.value(index);
    if (!value.sequence)
        return call.error(Code::MalformedModel, "'{}' is a tensor, expected a sequence", displayText(value.name));
    return *value.sequence;
}

Result<Value *> tensorAt(NodeCall &call, std::size_t index)
{
    Value *value = call.value(index);
    if (value == nullptr)
        return call.error(Code::MalformedModel, "input {} is missing", index);
    if (value->sequence)
        return call.error(Code::MalformedModel, "'{}' is a sequence, expected a tensor", displayText(value->name));
    return value;
}

// A place in the list; places below 0 count from the end. `end`: one past the last place.
Result<std::size_t> placeOf(NodeCall &call, std::size_t operand, std::size_t end)
{
    SW_TRY(const Scalar given, call.constantScalar(operand, "position"));
    const std::int64_t place = given.asInt();
    const auto extent = static_cast<std::int64_t>(end);
    if (place < -extent || place >= extent)
        return call.error(Code::ShapeMismatch, "position {} is not in a sequence, which has {} places for it", place, extent);
    return static_cast<std::size_t>(place < 0 ? place + extent : place);
}

Value *keep(NodeCall &call, NodeId node, Narrow narrow)
{
    return call.bodies().keep(valueOf(call.builder(), OutputValue(node, narrow), call.origin(), {}));
}

// The extents of the parts of SplitToSequence, and whether they lose the axis.
struct Parts {
    std::vector<std::int64_t> extents;
    bool areFlat = false;
};

Result<Parts> partsOf(NodeCall &call, std::int64_t extent)
{
    if (!call.has(1))
        return Parts{std::vector<std::int64_t>(static_cast<std::size_t>(extent), 1), call.integer("keepdims", 1) == 0};
    SW_TRY(const HostTensor given, call.constant(1, "split"));
    if (given.shape().rank() > 0) {
        SW_TRY(std::vector<std::int64_t> extents, call.constantIntegers(1, "split"));
        return Parts{std::move(extents)};
    }
    const std::int64_t size = given.at(0).asInt();
    if (size < 1)
        return call.error(Code::Argument, "split is {}, expected at least 1", size);
    Parts parts;
    for (std::int64_t at = 0; at < extent; at += size)
        parts.extents.push_back(std::min(size, extent - at));
    return parts;
}

} // namespace

Result<Outputs> importSequenceConstruct(NodeCall &call)
{
    Values values;
    for (std::size_t i = 0; i < call.operandCount(); ++i) {
        SW_TRY(Value *const value, tensorAt(call, i));
        values.push_back(value);
    }
    return Outputs{sequenceOf(std::move(values))};
}

Result<Outputs> importSequenceEmpty(NodeCall &)
{
    return Outputs{sequenceOf({})};
}

Result<Outputs> importSequenceAt(NodeCall &call)
{
    SW_TRY(const Values values, sequenceAt(call, 0));
    SW_TRY(const std::size_t place, placeOf(call, 1, values.size()));
    return Outputs{outputOf(call.builder(), *values[place])};
}

Result<Outputs> importSequenceInsert(NodeCall &call)
{
    SW_TRY(Values values, sequenceAt(call, 0));
    SW_TRY(Value *const value, tensorAt(call, 1));
    std::size_t place = values.size();
    if (call.has(2)) {
        SW_TRY(const Scalar given, call.constantScalar(2, "position"));
        const auto extent = static_cast<std::int64_t>(values.size());
        if (given.asInt() < -extent || given.asInt() > extent)
            return call.error(Code::ShapeMismatch, "position {} is not in a sequence of {}", given.asInt(), extent);
        place = static_cast<std::size_t>(given.asInt() < 0 ? given.asInt() + extent : given.asInt());
    }
    values.insert(values.begin() + static_cast<std::ptrdiff_t>(place), value);
    return Outputs{sequenceOf(std::move(values))};
}

Result<Outputs> importSequenceErase(NodeCall &call)
{
    SW_TRY(Values values, sequenceAt(call, 0));
    if (values.empty())
        return call.error(Code::ShapeMismatch, "the sequence is empty");
    std::size_t place = values.size() - 1;
    if (call.has(1)) {
        SW_TRY(place, placeOf(call, 1, values.size()));
    }
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(place));
    return Outputs{sequenceOf(std::move(values))};
}

Result<Outputs> importSequenceLength(NodeCall &call)
{
    SW_TRY(const Values values, sequenceAt(call, 0));
    return Outputs{HostTensor::ofScalar(Scalar::of(DType::I64, static_cast<std::int64_t>(values.size())))};
}

Result<Outputs> importSplitToSequence(NodeCall &call)
{
    SW_TRY(Value *const whole, tensorAt(call, 0));
    SW_TRY(const std::size_t axis, call.axis(call.integer("axis", 0), whole->shape.rank()));
    SW_TRY(const Parts parts, partsOf(call, whole->shape[axis]));
    Values values;
    std::int64_t at = 0;
    for (const std::int64_t extent : parts.extents) {
        if (extent < 0 || extent > whole->shape[axis] - at)
            return call.error(Code::ShapeMismatch, "parts [{}] do not fill axis {} of {}", join(parts.extents, ", "), axis,
                              toText(whole->shape));
        SW_TRY(NodeId part, shrinkAxis(call, call.input(0), axis, {at, at + extent}));
        if (parts.areFlat) {
            std::vector<std::int64_t> extents = extentsOf(call.shapeOf(part));
            extents.erase(extents.begin() + static_cast<std::ptrdiff_t>(axis));
            SW_TRY(part, call.reshape(part, std::move(extents)));
        }
        values.push_back(keep(call, part, whole->narrow));
        at += extent;
    }
    if (at != whole->shape[axis])
        return call.error(Code::ShapeMismatch, "parts [{}] do not fill axis {} of {}", join(parts.extents, ", "), axis,
                          toText(whole->shape));
    return Outputs{sequenceOf(std::move(values))};
}

Result<Outputs> importConcatFromSequence(NodeCall &call)
{
    SW_TRY(const Values values, sequenceAt(call, 0));
    if (values.empty())
        return call.error(Code::ShapeMismatch, "the sequence is empty");
    const bool isNew = call.isOn("new_axis");
    const std::size_t rank = values.front()->shape.rank() + (isNew ? 1 : 0);
    SW_TRY(const std::size_t axis, call.axis(call.integer("axis", 0), rank));
    std::vector<NodeId> nodes;
    for (Value *value : values) {
        NodeId node = materialize(call.builder(), *value);
        if (isNew) {
            std::vector<std::int64_t> extents = extentsOf(value->shape);
            if (extents.size() + 1 != rank)
                return call.error(Code::ShapeMismatch, "the sequence has tensors of {} and {} axes", rank - 1, extents.size());
            extents.insert(extents.begin() + static_cast<std::ptrdiff_t>(axis), 1);
            SW_TRY(node, call.reshape(node, std::move(extents)));
        }
        nodes.push_back(node);
    }
    SW_TRY(const NodeId result, call.builder().cat(call.origin(), nodes, axis));
    return Outputs{OutputValue(result, values.front()->narrow)};
}

// Calls the body for each element; further inputs that are tensors go to every call as they are.
Result<Outputs> importSequenceMap(NodeCall &call)
{
    SW_TRY(const Subgraph body, call.body("body"));
    SW_TRY(const Values first, sequenceAt(call, 0));
    std::vector<Values> results(body->outputs.size());
    for (std::size_t element = 0; element < first.size(); ++element) {
        Values inputs;
        for (std::size_t i = 0; i < call.operandCount(); ++i) {
            Value *input = call.value(i);
            if (input == nullptr)
                return call.error(Code::MalformedModel, "input {} is missing", i);
            if (input->sequence && input->sequence->size() != first.size())
                return call.error(Code::ShapeMismatch, "'{}' has {} elements, '{}' has {}", displayText(call.value(0)->name),
                                  first.size(), displayText(input->name), input->sequence->size());
            inputs.push_back(input->sequence ? (*input->sequence)[element] : input);
        }
        SW_TRY(const auto made, call.bodies().call(*body, inputs, format("element {}", element)));
        if (!made)
            return Outputs{};
        for (std::size_t i = 0; i < results.size(); ++i)
            results[i].push_back((*made)[i]);
    }
    Outputs outputs;
    for (Values &values : results)
        outputs.push_back(sequenceOf(std::move(values)));
    return outputs;
}

} // namespace sw::onnx
