// Cast and CastLike.

#include "engine/onnx/handlers.h"
#include "engine/onnx/narrow_values.h"

namespace sw::onnx {

namespace {

Result<Outputs> castTo(NodeCall &call, ElementType type)
{
    if (call.narrow(0) == type.narrow && call.dtype(0) == type.dtype)
        return Outputs{OutputValue(call.input(0), type.narrow)};
    SW_TRY(const NodeId numbers, widenedInput(call, 0));
    SW_TRY(const OutputValue made, converted(call, numbers, type));
    return Outputs{made};
}

} // namespace

Result<Outputs> importCast(NodeCall &call)
{
    SW_TRY(const ElementType type, elementTypeAttribute(call, "to"));
    return castTo(call, type);
}

Result<Outputs> importCastByName(NodeCall &call)
{
    SW_TRY(const ElementType type, elementTypeNamed(call.text("to", "")));
    return castTo(call, type);
}

Result<Outputs> importCastLike(NodeCall &call)
{
    return castTo(call, {call.dtype(1), call.narrow(1)});
}

} // namespace sw::onnx
