// Quantized numbers: to and from floats, also of types that the graph does not have, and convolutions, whose sums are exact in
// i32 and count from the operands' zero points.

#include "engine/onnx/convolution.h"
#include "engine/onnx/handlers.h"
#include "engine/onnx/narrow_values.h"

namespace sw::onnx {

namespace {

language::Value tensorOrNone(NodeCall &call, std::size_t index)
{
    return call.has(index) ? language::Value(language::TensorValue{call.input(index)}) : language::Value();
}

struct ZeroBased {
    std::size_t input;
    std::size_t zero;
    std::int64_t axis; // that several zero points lie along
};

Result<NodeId> counted(NodeCall &call, const ZeroBased &from)
{
    return call.callTensor("from_zero",
                           {{language::TensorValue{call.input(from.input)}}, {tensorOrNone(call, from.zero)}, {from.axis}});
}

Result<language::Value> numbersOrNone(NodeCall &call, std::size_t index)
{
    if (!call.has(index))
        return language::Value();
    SW_TRY(const NodeId numbers, widenedInput(call, index));
    return language::Value(language::TensorValue{numbers});
}

// The result's type: that of the zero point, or of the attribute, or u8.
Result<ElementType> quantizedType(NodeCall &call)
{
    if (call.has(2))
        return ElementType{call.dtype(2), call.narrow(2)};
    return call.integer("output_dtype", 0) == 0 ? Result<ElementType>(ElementType{DType::U8})
                                                : elementTypeAttribute(call, "output_dtype");
}

} // namespace

Result<Outputs> importDequantizeLinear(NodeCall &call)
{
    SW_TRY(const NodeId x, widenedInput(call, 0));
    SW_TRY(const language::Value zero, numbersOrNone(call, 2));
    SW_TRY(const NodeId y, call.callTensor("dequantize_linear", {{language::TensorValue{x}},
                                                                 {language::TensorValue{call.input(1)}},
                                                                 {zero},
                                                                 {call.integer("axis", 1)},
                                                                 {call.integer("block_size", 0)}}));
    if (call.integer("output_dtype", 0) == 0)
        return Outputs{y};
    SW_TRY(const ElementType type, elementTypeAttribute(call, "output_dtype"));
    SW_TRY(const NodeId typed, call.cast(y, type.dtype));
    return Outputs{typed};
}

Result<Outputs> importQuantizeLinear(NodeCall &call)
{
    SW_TRY(const ElementType type, quantizedType(call));
    SW_TRY(const language::Value zero, numbersOrNone(call, 2));
    const bool isKnown = type.narrow == Narrow::None;
    SW_TRY(const NodeId y, call.callTensor("quantize_linear", {{language::TensorValue{call.input(0)}},
                                                               {language::TensorValue{call.input(1)}},
                                                               {zero},
                                                               {call.integer("axis", 1)},
                                                               {call.integer("block_size", 0)},
                                                               {isKnown ? language::Value(type.dtype)
                                                                        : language::Value(std::string(nameOf(type.narrow)))}}));
    return Outputs{OutputValue(y, type.narrow)};
}

Result<Outputs> importConvInteger(NodeCall &call)
{
    SW_TRY(const NodeId input, counted(call, {.input = 0, .zero = 2, .axis = 1}));
    SW_TRY(const NodeId weights, counted(call, {.input = 1, .zero = 3, .axis = 0}));
    SW_TRY(const NodeId result, convolution(call, input, weights));
    return Outputs{result};
}

// Inputs: x, its scale and zero point, weights, their scale and zero point, the result's scale and zero point, bias.
Result<Outputs> importQLinearConv(NodeCall &call)
{
    SW_TRY(const NodeId input, counted(call, {.input = 0, .zero = 2, .axis = 1}));
    SW_TRY(const NodeId weights, counted(call, {.input = 3, .zero = 5, .axis = 0}));
    SW_TRY(const NodeId sums, convolution(call, input, weights));
    SW_TRY(const NodeId result, call.callTensor("requantized", {{language::TensorValue{sums}, {}},
                                                                {tensorOrNone(call, 1)},
                                                                {tensorOrNone(call, 4)},
                                                                {tensorOrNone(call, 6)},
                                                                {tensorOrNone(call, 7)},
                                                                {tensorOrNone(call, 8)},
                                                                {std::int64_t{1}, "axis"}}));
    return Outputs{result};
}

} // namespace sw::onnx
