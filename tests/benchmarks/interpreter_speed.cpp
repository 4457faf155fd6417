// How fast the lowered interpreter is: a matrix product, scalar by scalar and in vectors of 16 lanes.

#include "engine/base/text.h"
#include "engine/lowered/builder.h"
#include "engine/lowered/interpreter.h"

#include <chrono>
#include <cstdio>
#include <vector>

namespace {

using namespace sw;

constexpr std::int64_t kSize = 256;

LoweredKernel productKernel(std::uint32_t lanes)
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
    const auto a = builder.defineGlobal(origin, {BufferId(0U), DType::F32, kSize * kSize, false, "a"});
    const auto b = builder.defineGlobal(origin, {BufferId(1U), DType::F32, kSize * kSize, false, "b"});
    const auto c = builder.defineGlobal(origin, {BufferId(2U), DType::F32, kSize * kSize, true, "c"});
    const auto size = builder.index(origin, kSize);
    const auto width = builder.index(origin, lanes);
    const auto i = builder.beginRange(origin, size, "i");
    const auto j = builder.beginRange(origin, kSize / lanes, "j");
    const auto sum = builder.acc(origin, DType::F32, lanes, "sum");
    builder.assign(origin, sum, builder.constant(origin, Scalar::of(DType::F32, 0.0), lanes));
    const auto row = builder.alu(origin, Op::Mul, {i, size});
    const auto column = builder.alu(origin, Op::Mul, {j, width});
    const auto k = builder.beginRange(origin, size, "k");
    const auto left = builder.load(origin, a, builder.alu(origin, Op::Add, {row, k}));
    const auto at = builder.alu(origin, Op::Add, {builder.alu(origin, Op::Mul, {k, size}), column});
    const auto right = builder.load(origin, b, at, lanes);
    builder.assign(origin, sum, builder.alu(origin, Op::Fma, {builder.broadcast(origin, left, lanes), right, sum}));
    builder.endRange(origin);
    builder.store(origin, c, builder.alu(origin, Op::Add, {row, column}), sum);
    builder.endRange(origin);
    builder.endRange(origin);
    return builder.take();
}

std::string measure(std::uint32_t lanes)
{
    const PreparedKernel prepared = PreparedKernel::prepare(productKernel(lanes)).value();
    std::vector<std::vector<float>> matrices(3, std::vector<float>(kSize * kSize, 1.0F));
    InterpretRequest request;
    for (auto &matrix : matrices)
        request.buffers.push_back(std::as_writable_bytes(std::span(matrix)));
    const auto start = std::chrono::steady_clock::now();
    const auto faults = prepared.run(request);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    SW_ASSERT(faults.has_value(), "a kernel that runs");
    const double multiplications = static_cast<double>(kSize) * kSize * kSize;
    return sw::format("{:2} lanes: {:.1f} million multiply-adds, {:.1f} million instructions per second\n", lanes,
                      multiplications / seconds.count() * 1e-6,
                      multiplications / lanes * (lanes == 1 ? 8 : 9) / seconds.count() * 1e-6);
}

} // namespace

int main()
{
    for (const std::uint32_t lanes : {1U, 16U})
        std::fputs(measure(lanes).c_str(), stdout);
    return 0;
}
