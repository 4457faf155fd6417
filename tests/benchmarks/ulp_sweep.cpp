// The error of the decompositions over all f32 values, or every n-th: "ulp_sweep [n [operation]]". Prints, for each operation,
// its length, its largest error in units of the last place against libm in f64, and where that is.

#include "engine/base/text.h"
#include "tests/support/decomposed.h"
#include "tests/support/ulp.h"

#include <bit>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string_view>

namespace {

struct Row {
    sw::Op op;
    double (*exact)(double);
};

constexpr Row kRows[] = {
    {sw::Op::Exp, [](double x) { return std::exp(x); }},   {sw::Op::Exp2, [](double x) { return std::exp2(x); }},
    {sw::Op::Log, [](double x) { return std::log(x); }},   {sw::Op::Log2, [](double x) { return std::log2(x); }},
    {sw::Op::Sin, [](double x) { return std::sin(x); }},   {sw::Op::Cos, [](double x) { return std::cos(x); }},
    {sw::Op::Tanh, [](double x) { return std::tanh(x); }}, {sw::Op::Erf, [](double x) { return std::erf(x); }},
};

std::string sweep(const Row &row, std::uint64_t stride)
{
    const auto start = std::chrono::steady_clock::now();
    const sw::test::DecomposedOp op(row.op, sw::DType::F32);
    double worst = 0;
    float worstAt = 0;
    std::vector<float> values(sw::test::DecomposedOp::kBatch);
    for (std::uint64_t bits = 0; bits <= 0xffffffffU;) {
        for (float &value : values) {
            value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
            bits = bits + stride;
        }
        const std::vector<float> results = op.run<float>({values});
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double error = sw::test::ulpDistance(results[i], row.exact(values[i]));
            if (error > worst) {
                worst = error;
                worstAt = values[i];
            }
        }
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    return sw::format("{:8} {:3} operations, at most {:.3f} ULP, at {} ({:.1f} s)\n", sw::nameOf(row.op), op.operations(), worst,
                      sw::floatText(worstAt), seconds.count());
}

} // namespace

int main(int count, char **arguments)
{
    std::uint64_t stride = 1;
    const std::string_view given = count > 1 ? arguments[1] : "1";
    std::from_chars(given.data(), given.data() + given.size(), stride);
    const std::string_view wanted = count > 2 ? arguments[2] : "";
    for (const Row &row : kRows)
        if (wanted.empty() || wanted == sw::nameOf(row.op))
            std::fputs(sweep(row, stride == 0 ? 1 : stride).c_str(), stdout);
    return 0;
}
