// Sums of powers that are joined with the maximum below which they are, on every device: what is infinite among the elements
// gives what two passes give, also in machine code.

#include "tests/golden/kernel_stages.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

namespace sw::test {
namespace {

// Rows of -inf alone, with one inf and with several, and others.
constexpr std::string_view kElements =
    "input x0: f32[12, 333]\nr = arange(12 * 333).reshape(12, 333)\n"
    "x = where(r % 1332 < 333, -inf, where((r == 500) | ((r >= 1900) & (r < 1903)), inf, x0 * 50))\n"
    "m = max(x, axis = 1, keepdims = true)\n";

class JoinedPowersOn : public KernelStages, public testing::WithParamInterface<std::tuple<std::string, std::string>> {};

TEST_P(JoinedPowersOn, areWhatTwoPassesGive)
{
    const auto &[device, base] = GetParam();
    if (const std::string reason = whyUnavailable(device); !reason.empty())
        GTEST_SKIP() << reason;
    ProgramCompiler compiler(m_registry);
    CompileRequest request = requestFor(format("{}output y = sum(exp(x - {}), axis = 1)\n", kElements, base), device);
    const std::string join = "stepwell overrides 1\nloops y: join r2 r1; split r2 8; set_type r2.i vector\n";
    request.options.overrides = parseOverrides(join, "test").value();
    const Compilation made = checkValues(compiler, request);
    ASSERT_TRUE(made.succeeded);
    ASSERT_EQ(made.loops->overrides.front().state, OverrideState::Applied) << made.loops->overrides.front().reason;
    EXPECT_NE(toText(*made.loops).find("rescaled="), std::string::npos) << toText(*made.loops);
}

INSTANTIATE_TEST_SUITE_P(All, JoinedPowersOn,
                         testing::Combine(testing::Values("interpreter", "llvm", "c", "opencl"),
                                          testing::Values("m", "where(abs(m) == inf, 0, m)")),
                         [](const auto &test) {
                             return std::get<0>(test.param) + (std::get<1>(test.param) == "m" ? "_max" : "_finite");
                         });

} // namespace
} // namespace sw::test
