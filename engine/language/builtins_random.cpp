// The counter-based random functions.

#include "engine/language/builtins.h"

#include <array>

namespace sw::language {

namespace {

// The arguments key and counter, converted to one type and broadcast to one shape.
struct RandomOperands {
    NodeId key;
    NodeId counter;
};

Result<NodeId> broadcastTo(const BuiltinCall &call, NodeId id, const Shape &shape)
{
    return call.tracer().placed(call.item(), call.builder().broadcastTo(call.origin(), id, shape));
}

Result<RandomOperands> broadcasted(const BuiltinCall &call, RandomOperands given)
{
    SW_TRY(const Shape shape, call.tracer().placed(call.item(), broadcast(call.tracer().node(given.key).shape,
                                                                          call.tracer().node(given.counter).shape)));
    SW_TRY(given.key, broadcastTo(call, given.key, shape));
    SW_TRY(given.counter, broadcastTo(call, given.counter, shape));
    return given;
}

Result<RandomStream> streamOf(const BuiltinCall &call, std::size_t index, RandomStream otherwise)
{
    if (!call.has(index))
        return otherwise;
    SW_TRY(const std::string name, call.text(index));
    const auto stream = randomStreamNamed(name);
    if (!stream)
        return call.wrongArgument(index, "\"random123\" or \"ocannl\"");
    return *stream;
}

Result<Value> threefry2x32(const BuiltinCall &call)
{
    // A list of numbers takes the type of the other operand.
    const auto typeOf = [&](std::size_t index) {
        const TensorValue *tensor = call.value(index).as<TensorValue>();
        return tensor == nullptr ? DType::U32 : call.tracer().node(tensor->node).dtype;
    };
    RandomOperands given;
    SW_TRY(given.key, call.tensor(0, typeOf(1)));
    SW_TRY(given.counter, call.tensor(1, typeOf(0)));
    SW_TRY(const RandomOperands operands, broadcasted(call, given));
    return call.madeInScope([&] {
        return call.builder().threefry(call.origin(), operands.key, operands.counter,
                                       {ThreefryVariant::TwoByThirtyTwo, RandomStream::Random123});
    });
}

Result<NodeId> cellsOf(const BuiltinCall &call, std::size_t index)
{
    SW_TRY(const NodeId given, call.tensor(index, DType::U32x4));
    return call.tracer().placed(call.item(), call.builder().cast(call.origin(), given, DType::U32x4));
}

Result<Value> threefry4x32(const BuiltinCall &call, ThreefryVariant variant, RandomStream usual)
{
    SW_TRY(const RandomStream stream, streamOf(call, 2, usual));
    RandomOperands given;
    SW_TRY(given.key, cellsOf(call, 0));
    SW_TRY(given.counter, cellsOf(call, 1));
    SW_TRY(const RandomOperands operands, broadcasted(call, given));
    return call.madeInScope(
        [&] { return call.builder().threefry(call.origin(), operands.key, operands.counter, {variant, stream}); });
}

Result<Value> threefryCrypto(const BuiltinCall &call)
{
    return threefry4x32(call, ThreefryVariant::FourByThirtyTwoCrypto, RandomStream::Random123);
}

Result<Value> threefryLight(const BuiltinCall &call)
{
    return threefry4x32(call, ThreefryVariant::FourByThirtyTwoLight, RandomStream::Ocannl);
}

Result<Value> uniformOf(const BuiltinCall &call, UniformForm form)
{
    SW_TRY(const NodeId input, call.tensor(0, DType::U32x4));
    SW_TRY(const DType type, call.dtype(1));
    return call.madeInScope([&] { return call.builder().uniform(call.origin(), input, type, form); });
}

Result<Value> uniform(const BuiltinCall &call)
{
    return uniformOf(call, UniformForm::Vector);
}

Result<Value> uniform1(const BuiltinCall &call)
{
    return uniformOf(call, UniformForm::Scalar);
}

constexpr std::array<Builtin, 5> kTable = {{
    {"threefry2x32", "key, counter", threefry2x32,
     "Threefry-2x32-20 (that of Random123 and JAX) of pairs of u32 along the last axis."},
    {"threefry4x32_crypto", "key, counter, stream = \"random123\"", threefryCrypto,
     "Threefry-4x32-20 of u32x4; integers are converted. The stream \"ocannl\" is that of OCANNL."},
    {"threefry4x32_light", "key, counter, stream = \"ocannl\"", threefryLight,
     "Two rounds of threefry 4x32 of u32x4, with OCANNL's rotations or Random123's; integers are converted."},
    {"uint4x32_to_prec_uniform", "x, dtype", uniform,
     "The bits of u32x4 as numbers: floats from 0 up to, but never, 1; each element gives as many as fit, along the last axis."},
    {"uint4x32_to_prec_uniform1", "x, dtype", uniform1, "Likewise, one number for each element of u32x4."},
}};

} // namespace

std::span<const Builtin> randomBuiltins()
{
    return kTable;
}

} // namespace sw::language
