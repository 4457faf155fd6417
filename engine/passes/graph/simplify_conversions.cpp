#include "engine/passes/graph/simplify.h"

#include <array>

namespace sw {

namespace {

// Bits of the significand, the hidden one included.
std::uint32_t significandBits(DType dtype)
{
    if (dtype == DType::F8E5M2)
        return 3;
    if (dtype == DType::F8E4M3)
        return 4;
    if (dtype == DType::F16)
        return 11;
    if (dtype == DType::BF16)
        return 8;
    return dtype == DType::F32 ? 24 : 53;
}

// Every value of `from` is a value of `to`. An integer of n bits is exact in a float with n significand bits: the most negative
// integer is a power of two, and the float's range includes it.
bool isLossless(DType from, DType to)
{
    if (from == to)
        return true;
    if (from == DType::U32x4 || to == DType::U32x4)
        return false;
    if (from == DType::Bool)
        return true;
    if (to == DType::Bool)
        return false;
    const std::uint32_t magnitudeBits = infoOf(from).bits - (isSigned(from) ? 1 : 0);
    if (isInteger(from) && isFloat(to))
        return magnitudeBits <= significandBits(to);
    if (isInteger(from) && isInteger(to))
        return (isUnsigned(from) || isSigned(to)) && magnitudeBits <= infoOf(to).bits - (isSigned(to) ? 1 : 0);
    if (isFloat(from) && isFloat(to))
        return to == DType::F64 || (to == DType::F32 && from != DType::F64);
    return false;
}

// Integers wrap where floats saturate, so an integer that goes through a float must fit its goal.
bool isSameThrough(DType from, DType between, DType to)
{
    if (!isLossless(from, between))
        return false;
    return !(isInteger(from) && isFloat(between) && isInteger(to)) || isLossless(from, to);
}

Replacement castOnce(RewriteContext &context)
{
    const Node &node = context.node();
    if (node.kind != NodeKind::Cast || context.input(0).kind != NodeKind::Cast)
        return noMatch();
    const NodeId inner = context.input(0).inputs[0];
    if (!isSameThrough(context.builder().node(inner).dtype, context.input(0).dtype, node.dtype))
        return noMatch();
    context.absorb(context.inputId(0));
    SW_TRY(const NodeId cast, context.builder().cast(context.origin(), inner, node.dtype));
    return std::optional(cast);
}

Replacement bitcastOnce(RewriteContext &context)
{
    const Node &node = context.node();
    if (node.kind != NodeKind::Bitcast)
        return noMatch();
    if (context.input(0).dtype == node.dtype)
        return std::optional(context.inputId(0));
    if (context.input(0).kind != NodeKind::Bitcast)
        return noMatch();
    const NodeId inner = context.absorb(context.inputId(0)).inputs[0];
    SW_TRY(const NodeId bitcast, context.builder().bitcast(context.origin(), inner, node.dtype));
    return std::optional(bitcast);
}

Replacement castToTheSame(RewriteContext &context)
{
    if (context.node().kind != NodeKind::Cast || context.input(0).dtype != context.node().dtype)
        return noMatch();
    return std::optional(context.inputId(0));
}

constexpr std::array kRules = {
    GraphRule{"cast-to-the-same", "Drop a cast to the same type", "A cast that changes no type is its input.", castToTheSame},
    GraphRule{"cast-once", "Cast once", "A cast of a cast is one cast when the first loses nothing.", castOnce},
    GraphRule{"bitcast-once", "Bitcast once", "A bitcast of a bitcast is one; to the type of its input it is the input.",
              bitcastOnce},
};

} // namespace

std::span<const GraphRule> conversionRules()
{
    return kRules;
}

} // namespace sw
