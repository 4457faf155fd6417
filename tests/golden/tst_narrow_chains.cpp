// Products of narrow values that the program computes: each device, with its tensor instructions, gives what the reference gives.

#include "tests/golden/program_fixture.h"

#include <gtest/gtest.h>

#include <random>

namespace sw::test {
namespace {

constexpr std::string_view kProgram = R"(input x: bf16[64, 64]
input w: bf16[64, 64]
param u: bf16[64, 64]
input v: bf16[64, 64]
a = relu(x @ w)
output one = a @ u
output other = (a @ v).T
)";

class NarrowChainsOn : public ProgramTest, public testing::WithParamInterface<std::string_view> {};

// -1, 0 and 1: sums of 64 products are whole numbers that bf16 holds, and those of the next product whole numbers that f32 holds,
// in any order.
HostTensor signs(std::mt19937 &random)
{
    HostTensor made(DType::BF16, {64, 64});
    for (std::int64_t i = 0; i < made.elements(); ++i)
        made.set(i, Scalar::of(DType::BF16, static_cast<double>(random() % 3) - 1.0));
    return made;
}

TEST_P(NarrowChainsOn, areTheReference)
{
    const std::string device(GetParam());
    if (const std::string why = whyUnavailable(device); !why.empty())
        GTEST_SKIP() << why;
    std::mt19937 random(5);
    std::vector<NamedTensor> inputs;
    for (const char *name : {"x", "w", "u", "v"})
        inputs.push_back({name, signs(random)});
    ProgramCompiler compiler(m_registry);
    const auto expected = run(compiler, requestOf(std::string(kProgram), "interpreter"), inputs);
    const auto got = run(compiler, requestOf(std::string(kProgram), device), inputs);
    ASSERT_TRUE(expected && got) << toText(expected ? got.error() : expected.error());
    for (std::size_t i = 0; i < expected->outputs.size(); ++i)
        expectNear(got->outputs[i].value, expected->outputs[i].value, 0);
}

INSTANTIATE_TEST_SUITE_P(Devices, NarrowChainsOn, testing::Values("llvm", "c", "opencl"),
                         [](const auto &test) { return std::string(test.param); });

} // namespace
} // namespace sw::test
