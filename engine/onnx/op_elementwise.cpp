#include "engine/onnx/formula.h"
#include "engine/onnx/handlers.h"

namespace sw::onnx {

Result<Outputs> importMod(NodeCall &call)
{
    const bool isTruncating = call.isOn("fmod");
    if (!isTruncating && isFloat(call.dtype(0)))
        return call.error(Code::Type, "fmod must be 1 for {}", nameOf(call.dtype(0)));
    return isTruncating ? applyElementwise<Op::Mod>(call) : applyElementwise<Op::FloorMod>(call);
}

// The result has the type of the base, whatever type the exponent has.
Result<Outputs> importPow(NodeCall &call)
{
    SW_TRY(const NodeId power, call.apply(Op::Pow, {call.input(0), call.input(1)}));
    SW_TRY(const NodeId result, call.cast(power, call.dtype(0)));
    return Outputs{result};
}

Result<Outputs> importRelu(NodeCall &call)
{
    const Term x(call, call.input(0));
    SW_TRY(const NodeId result, maximum(x, x.number(0)).result());
    return Outputs{result};
}

} // namespace sw::onnx
