#pragma once
// Small kernels that several tests of the lowered form start from.

#include "engine/lowered/builder.h"

#include <string>

namespace sw::test {

inline Origin originOf(std::uint32_t source)
{
    return Origin(SourceId(source));
}

inline LoweredKernel emptyFrame(std::string name = "k0")
{
    return {.kernel = KernelId(0U),
            .name = name,
            .symbol = name,
            .instructions = {},
            .arguments = {},
            .globalSize = {1, 1, 1},
            .localSize = {1, 1, 1},
            .origin = originOf(0)};
}

// y[i] = op(x[i]) for `elements` elements of one type, `lanes` at a time; element 0 of x is argument 0.
inline LoweredKernel unaryKernel(Op op, DType dtype, std::int64_t elements, std::uint32_t lanes = 1)
{
    LoweredBuilder builder(emptyFrame());
    const Origin origin = originOf(1);
    const auto x = builder.defineGlobal(origin, {BufferId(0U), dtype, elements, false, "x"});
    const auto y = builder.defineGlobal(origin, {BufferId(1U), resultType(op, dtype), elements, true, "y"});
    const auto i = builder.beginRange(origin, elements / static_cast<std::int64_t>(lanes), "i");
    const auto step = builder.index(origin, static_cast<std::int64_t>(lanes));
    const auto at = builder.alu(origin, Op::Mul, {i, step});
    builder.store(origin, y, at, builder.alu(origin, op, {builder.load(origin, x, at, lanes)}));
    builder.endRange(origin);
    return builder.take();
}

// z[i] = op(x[i], y[i]), scalar by scalar.
inline LoweredKernel binaryKernel(Op op, DType dtype, std::int64_t elements)
{
    LoweredBuilder builder(emptyFrame());
    const Origin origin = originOf(1);
    const auto x = builder.defineGlobal(origin, {BufferId(0U), dtype, elements, false, "x"});
    const auto y = builder.defineGlobal(origin, {BufferId(1U), dtype, elements, false, "y"});
    const auto z = builder.defineGlobal(origin, {BufferId(2U), resultType(op, dtype), elements, true, "z"});
    const auto i = builder.beginRange(origin, elements, "i");
    builder.store(origin, z, i, builder.alu(origin, op, {builder.load(origin, x, i), builder.load(origin, y, i)}));
    builder.endRange(origin);
    return builder.take();
}

} // namespace sw::test
