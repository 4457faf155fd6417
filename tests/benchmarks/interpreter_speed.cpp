// How fast the lowered interpreter is: a matrix product, scalar by scalar and in vectors of 16 lanes.

#include "engine/base/text.h"
#include "engine/lowered/interpreter.h"
#include "tests/benchmarks/product_kernel.h"

#include <chrono>
#include <cstdio>
#include <vector>

namespace {

using namespace sw;

constexpr std::int64_t kSize = 256;

std::string measure(std::uint32_t lanes)
{
    const PreparedKernel prepared = PreparedKernel::prepare(benchmark::productKernel(kSize, lanes)).value();
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
