// Reductions that are done in pairs and down columns, on every device, against the reference: more elements than a cache holds,
// odd sizes, ties, infinities and NaN.

#include "tests/golden/program_fixture.h"

#include "engine/execute/input_values.h"
#include "engine/schedule/printer.h"
#include "tests/support/meaning.h"

#include <cmath>
#include <limits>

namespace sw::test {
namespace {

class PairsOn : public ProgramTest, public testing::WithParamInterface<const char *> {
protected:
    void SetUp() override
    {
        if (const std::string reason = whyUnavailable(GetParam()); !reason.empty())
            GTEST_SKIP() << reason;
    }

    [[nodiscard]] CompileRequest requestFor(const std::string &text, CompileUntil until) const
    {
        CompileRequest request = ProgramTest::requestFor("pairs.sw", GetParam(), until);
        request.program.text = text;
        request.program.isText = true;
        return request;
    }

    // The value stands at three places of the input.
    void check(const std::string &text, double special)
    {
        SCOPED_TRACE(format("{} with {}", text, special));
        ProgramCompiler compiler(m_registry);
        const Compilation read = compiler.compile(requestFor(text, CompileUntil::Program), {});
        ASSERT_TRUE(read.succeeded) << toText(read.diagnostics);
        auto values = placeholderValues(*read.graph, {}, 5);
        ASSERT_TRUE(values);
        HostTensor &x = values->front();
        for (const std::int64_t place : {std::int64_t{3}, x.elements() / 2 + 1, x.elements() - 1})
            x.set(place, Scalar::of(x.dtype(), special));
        const auto expected = meaningAndLimitsOf(read.graph, *values);
        ASSERT_TRUE(expected) << toText(expected.error());
        const auto result = run(compiler, requestFor(text, CompileUntil::Machine), {{"x", x}});
        ASSERT_TRUE(result) << toText(result.error());
        for (std::size_t i = 0; i < expected->values.size(); ++i) {
            const Comparison comparison = expected->compared(i, result->outputs.at(i).value);
            EXPECT_TRUE(comparison.equal) << "output " << i << ": " << comparison.maxAbsolute << " off in "
                                          << comparison.divergences << " elements\n"
                                          << toText(expected->values[i].at(0)) << " expected, "
                                          << toText(result->outputs.at(i).value.at(0));
        }
    }
};

TEST_P(PairsOn, areTheReference)
{
    const std::string all = "output argmax(x)\noutput argmin(x)\noutput var(x)\noutput mean(x)\noutput logsumexp(x)\n";
    const std::string columns = "output argmax(x, axis = 0)\noutput argmin(x, axis = 0)\noutput var(x, axis = 0)\n"
                                "output logsumexp(x, axis = 0)\noutput sum(x, axis = 0)\noutput max(x, axis = 0)\n";
    check("input x: f32[1217, 907]\n" + all, 4); // ties: the largest element stands there three times
    check("input x: f32[1217, 907]\n" + columns, 4);
    if (GetParam() == std::string_view("interpreter"))
        return;
    check("input x: f32[1217, 907]\n" + columns, std::nan(""));
    check("input x: f16[1217, 907]\noutput argmax(x)\noutput max(x, axis = 0)\noutput argmin(x, axis = 0)\n", 9);
    check("input x: i32[1217, 907]\noutput argmax(x)\noutput argmin(x, axis = 0)\noutput sum(x, axis = 0)\n", -77);
    if (GetParam() != std::string_view("llvm"))
        return;
    for (const double special :
         {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(), std::nan("")}) {
        check("input x: f32[1217, 907]\n" + all, special);
        check("input x: f32[1217, 907]\n" + columns, special);
    }
    check("input x: f32[3, 400009]\noutput argmax(x, axis = -1)\noutput var(x, axis = -1)\noutput logsumexp(x, axis = -1)\n", 4);
    check("input x: f64[619, 907]\noutput argmax(x)\noutput var(x, axis = 0)\noutput sum(x, axis = 0)\n", 9);
    check("input x: u8[1217, 1907]\noutput argmax(x)\noutput max(x, axis = 0)\n", 255);
}

TEST_P(PairsOn, readsTheInputInOneKernel)
{
    if (GetParam() == std::string_view("interpreter"))
        return;
    if (const std::string reason = whyNoProcessor(GetParam()); !reason.empty())
        GTEST_SKIP() << reason;
    for (const char *value : {"argmax(x)", "var(x)", "logsumexp(x)", "argmax(x, axis = 0)", "var(x, axis = 0)"}) {
        ProgramCompiler compiler(m_registry);
        const std::string text = format("input x: f32[1024, 1024]\noutput {}\n", value);
        const Compilation made = compiler.compile(requestFor(text, CompileUntil::Lowered), {});
        ASSERT_TRUE(made.succeeded) << toText(made.diagnostics);
        std::size_t readers = 0;
        for (const ScheduledKernel &kernel : made.schedule->kernels)
            for (const BufferId read : kernel.reads)
                readers += made.schedule->buffer(read).name == "x" ? 1 : 0;
        EXPECT_EQ(readers, 1U) << value << "\n" << printSchedule(*made.schedule).text;
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, PairsOn, testing::Values("interpreter", "llvm", "c", "opencl"),
                         [](const auto &parameter) { return std::string(parameter.param); });

} // namespace
} // namespace sw::test
