#include "tests/benchmarks/product_kernel.h"

#include "engine/lowered/builder.h"

namespace sw::benchmark {

LoweredKernel productKernel(std::int64_t size, std::uint32_t lanes)
{
    const Origin origin(SourceId(0U));
    LoweredBuilder builder({.kernel = KernelId(0U),
                            .name = "product",
                            .symbol = "product",
                            .instructions = {},
                            .arguments = {},
                            .globalSize = {1, 1, 1},
                            .localSize = {1, 1, 1},
                            .origin = origin});
    const auto a = builder.defineGlobal(origin, {BufferId(0U), DType::F32, size * size, false, "a"});
    const auto b = builder.defineGlobal(origin, {BufferId(1U), DType::F32, size * size, false, "b"});
    const auto c = builder.defineGlobal(origin, {BufferId(2U), DType::F32, size * size, true, "c"});
    const auto rows = builder.index(origin, size);
    const auto width = builder.index(origin, lanes);
    const auto i = builder.beginRange(origin, rows, "i");
    const auto j = builder.beginRange(origin, size / lanes, "j");
    const auto sum = builder.acc(origin, DType::F32, lanes, "sum");
    builder.assign(origin, sum, builder.constant(origin, Scalar::of(DType::F32, 0.0), lanes));
    const auto row = builder.alu(origin, Op::Mul, {i, rows});
    const auto column = lanes == 1 ? j : builder.alu(origin, Op::Mul, {j, width});
    const auto k = builder.beginRange(origin, rows, "k");
    const auto element = builder.load(origin, a, builder.alu(origin, Op::Add, {row, k}));
    const auto left = lanes == 1 ? element : builder.broadcast(origin, element, lanes);
    const auto at = builder.alu(origin, Op::Add, {builder.alu(origin, Op::Mul, {k, rows}), column});
    builder.assign(origin, sum, builder.alu(origin, Op::Fma, {left, builder.load(origin, b, at, lanes), sum}));
    builder.endRange(origin);
    builder.store(origin, c, builder.alu(origin, Op::Add, {row, column}), sum);
    builder.endRange(origin);
    builder.endRange(origin);
    return builder.take();
}

} // namespace sw::benchmark
