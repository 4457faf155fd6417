#include "engine/onnx/narrow_values.h"

namespace sw::onnx {

namespace {

language::Value kindOf(Narrow narrow)
{
    return {std::string(nameOf(narrow))};
}

bool isSmallFloat(DType dtype)
{
    return isFloat(dtype) && bytesOf(dtype) == 1;
}

} // namespace

Result<NodeId> widenedInput(NodeCall &call, std::size_t index)
{
    const NodeId input = call.input(index);
    if (call.narrow(index) == Narrow::None)
        return input;
    return call.callTensor("from_narrow", {{language::TensorValue{input}}, {kindOf(call.narrow(index))}});
}

Result<OutputValue> converted(NodeCall &call, NodeId numbers, ElementType type)
{
    const bool saturates = call.integer("saturate", 1) != 0;
    if (type.narrow != Narrow::None) {
        SW_TRY(const NodeId made,
               call.callTensor(
                   "to_narrow",
                   {{language::TensorValue{numbers}}, {kindOf(type.narrow)}, {saturates}, {call.text("round_mode", "up")}}));
        return OutputValue(made, type.narrow);
    }
    if (isSmallFloat(type.dtype) && saturates) {
        SW_TRY(const NodeId made, call.callTensor("to_small_float", {{language::TensorValue{numbers}}, {type.dtype}}));
        return OutputValue(made);
    }
    SW_TRY(const NodeId made, call.cast(numbers, type.dtype));
    return OutputValue(made);
}

Result<ElementType> elementTypeAttribute(NodeCall &call, std::string_view name)
{
    return elementTypeOfOnnx(call.integer(name, 0), {});
}

} // namespace sw::onnx
