// The training example really trains its network, on every device.

#include "tests/golden/program_fixture.h"

#include <cmath>

namespace sw::test {
namespace {

class Training : public ProgramTest, public testing::WithParamInterface<const char *> {};

TEST_P(Training, lowersTheLossWithEveryStep)
{
    if (const std::string reason = whyUnavailable(GetParam()); !reason.empty())
        GTEST_SKIP() << reason;
    ProgramCompiler compiler(m_registry);
    const auto result = run(compiler, requestFor(sourceFolder() / "resources/examples/train_mlp.sw", GetParam()));
    ASSERT_TRUE(result) << toText(result.error());
    ASSERT_EQ(result->outputs.size(), 3U);
    const HostTensor &losses = result->outputs[0].value;
    ASSERT_GT(losses.elements(), 2);
    // About the loss of guessing among three kinds, or slightly more.
    EXPECT_GT(losses.at(0).asDouble(), std::log(3.0) - 0.2);
    for (std::int64_t i = 1; i < losses.elements(); ++i)
        EXPECT_LT(losses.at(i).asDouble(), losses.at(i - 1).asDouble()) << "step " << i;
    EXPECT_LT(result->outputs[1].value.at(0).asDouble(), losses.at(losses.elements() - 1).asDouble());
    EXPECT_GT(result->outputs[2].value.at(0).asDouble(), 0.8);
}

INSTANTIATE_TEST_SUITE_P(All, Training, testing::Values("interpreter", "llvm", "c", "opencl"),
                         [](const auto &test) { return std::string(test.param); });

} // namespace
} // namespace sw::test
