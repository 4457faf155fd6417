// Kernels in stages that store more than the value of their last stage: what there is one of for each row, such as the maximum
// and the sum of a softmax. Attention over very many places is done in parts with them, and the parts are combined.

#include "tests/golden/kernel_stages.h"

#include "engine/schedule/printer.h"

namespace sw::test {
namespace {

class RowResultsOn : public KernelsOnProcessors {
protected:
    Compilation checked(const std::string &text)
    {
        ProgramCompiler compiler(m_registry);
        CompileRequest request = requestFor(text, GetParam());
        if (GetParam() == std::string_view("llvm") || GetParam() == std::string_view("c"))
            request.threads = 2; // for more, there are too few blocks
        return checkValues(compiler, request);
    }
};

// The maxima and sums of the rows are outputs, or read by another kernel.
std::string weightedText(std::int64_t heads, const std::string &rest)
{
    return format("input q: f32[{0}, 307, 5]\ninput k: f32[{0}, 311, 5]\ninput v: f32[{0}, 311, 19]\n"
                  "scores = q @ swapaxes(k, 1, 2)\nm = max(scores, axis = -1, keepdims = true)\ne = exp(scores - m)\n"
                  "s = sum(e, axis = -1, keepdims = true)\n",
                  heads) +
           rest;
}

TEST_P(RowResultsOn, areStoredOnTheWay)
{
    const std::int64_t heads = 3 * cacheFactor(GetParam());
    for (const std::string rest : {"output contiguous((e / s) @ v)\noutput m\noutput s\n",
                                   "output contiguous((e / s) @ v)\noutput contiguous(m + log(s))\n"}) {
        const std::string text = weightedText(heads, rest);
        SCOPED_TRACE(text);
        const Compilation made = checked(text);
        ASSERT_TRUE(made.succeeded);
        const ScheduledKernel &kernel = made.schedule->kernels.front();
        EXPECT_EQ(kernel.results.size(), 3U) << printSchedule(*made.schedule).text;
        EXPECT_GE(kernel.stages.size(), 2U);
        EXPECT_EQ(made.schedule->kernels.size(), rest.find("log") == std::string::npos ? 1U : 2U);
        if (GetParam() != std::string_view("llvm"))
            return;
    }
}

// Rows that no cache holds enough of, with a length that parts divide and with a prime one; a mask hides whole parts.
TEST_P(RowResultsOn, combineThePartsOfLongRows)
{
    const auto opened = OpenedDevice::open(m_registry, GetParam(), {});
    ASSERT_TRUE(opened);
    const std::int64_t cache = (*opened)->info().cacheBytesPerCore;
    if ((*opened)->info().kind != DeviceKind::Cpu || cache > (4 << 20))
        GTEST_SKIP() << "no parts on this device, or in a cache of " << cache << " bytes";
    const std::int64_t steps = std::max<std::int64_t>(cache / 2048, 256);
    const auto isPrime = [](std::int64_t number) {
        std::int64_t factor = 2;
        while (number % factor != 0)
            ++factor;
        return factor == number;
    };
    std::int64_t prime = 4 * steps + 1;
    while (!isPrime(prime))
        ++prime;
    std::vector<std::string> texts{attentionText({1, 150, 4 * steps, 4, 6}, "")};
    if (GetParam() == std::string_view("llvm"))
        texts.insert(texts.end(), {attentionText({2, 80, prime, 4, 6}, ", mask = m"),
                                   attentionText({1, 160, 4 * steps, 3, 2}, ", causal = true")});
    for (const std::string &text : texts) {
        SCOPED_TRACE(text);
        const Compilation made = checked(text);
        ASSERT_TRUE(made.succeeded);
        const ScheduledKernel &kernel = made.schedule->kernels.front();
        EXPECT_EQ(kernel.results.size(), 3U) << "maxima, sums, and what they weigh: " << printSchedule(*made.schedule).text;
        EXPECT_EQ(kernel.stages.size(), 3U) << "scores, exponentials, weights";
        EXPECT_GT(made.schedule->kernels.size(), 1U);
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, RowResultsOn, testing::Values("interpreter", "llvm", "c", "opencl"),
                         [](const auto &test) { return std::string(test.param); });

class RowResults : public KernelStages {};

// One layer behind the other: where the first one is merged, kernels of the second one are gone.
TEST_F(RowResults, areThoseOfSeveralLayers)
{
    const std::int64_t heads = 3 * cacheFactor("llvm");
    std::string text = format("input x: f32[{0}, 307, 5]\ninput k: f32[{0}, 311, 5]\n", heads);
    for (int layer = 0; layer < 3; ++layer)
        text += format("s{0} = x @ swapaxes(k, 1, 2)\nm{0} = max(s{0}, axis = -1, keepdims = true)\ne{0} = exp(s{0} - m{0})\n"
                       "t{0} = sum(e{0}, axis = -1, keepdims = true)\n"
                       "x = contiguous((e{0} / t{0}) @ k) + contiguous(m{0} + log(t{0}))\n",
                       layer);
    ProgramCompiler compiler(m_registry);
    CompileRequest request = requestFor(text + "output x\n", "llvm", CompileUntil::Lowered);
    request.threads = 2;
    const Compilation made = compiler.compile(request, {});
    ASSERT_TRUE(made.succeeded) << toText(made.diagnostics);
    EXPECT_GE(stagesIn(made), 6U) << printSchedule(*made.schedule).text;
}

// A kernel between the two: it reads the maxima, and the last stage reads what it makes of them.
TEST_F(RowResults, arePartOfNoCycle)
{
    const std::string text = weightedText(3 * cacheFactor("llvm"), "f = contiguous(tanh(m))\noutput (e / s) @ v + f\n");
    ProgramCompiler compiler(m_registry);
    const Compilation made = checkValues(compiler, requestFor(text, "llvm"));
    ASSERT_TRUE(made.succeeded);
    EXPECT_GE(made.schedule->kernels.size(), 3U) << printSchedule(*made.schedule).text;
}

// What has several elements for each row keeps the kernels apart.
TEST_F(RowResults, areOneForEachRow)
{
    const std::string text = weightedText(3 * cacheFactor("llvm"), "output (e / s) @ v\noutput e / s\n");
    ProgramCompiler compiler(m_registry);
    const Compilation made = checkValues(compiler, requestFor(text, "llvm"));
    ASSERT_TRUE(made.succeeded);
    for (const ScheduledKernel &kernel : made.schedule->kernels)
        EXPECT_EQ(std::ranges::count(kernel.stages, made.graph->outputs()[1]), 0) << printSchedule(*made.schedule).text;
}

// The memory of attention grows with the places and not with their square: the results of the parts are 16 times as large as
// the output at most, and 1 GiB.
TEST_F(RowResults, keepTheArenaLinearInTheRows)
{
    for (const std::int64_t rows : {16384, 65536, 131072}) {
        ProgramCompiler compiler(m_registry);
        const Compilation made =
            compiler.compile(requestFor(attentionText({4, rows, rows, 64, 64}, ""), "llvm", CompileUntil::Lowered), {});
        ASSERT_TRUE(made.succeeded) << toText(made.diagnostics);
        const std::int64_t output = 4 * rows * 64 * 4;
        const std::int64_t parts = std::min(16 * output, std::max(4 * output, std::int64_t{1} << 30));
        EXPECT_LE(made.schedule->devices.front().arenaBytes, 4 * output + parts + parts / 10)
            << printSchedule(*made.schedule).text;
    }
}

} // namespace
} // namespace sw::test
