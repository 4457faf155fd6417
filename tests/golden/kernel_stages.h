#pragma once
// Compiles programs whose kernels have stages, and compares their values with the reference.

#include "engine/execute/input_values.h"
#include "engine/loops/printer.h"
#include "tests/golden/program_fixture.h"
#include "tests/support/meaning.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace sw::test {

struct AttentionSize {
    std::int64_t heads = 1;
    std::int64_t queries = 1;
    std::int64_t keys = 1;
    std::int64_t width = 1;
    std::int64_t valueWidth = 1;
};

[[nodiscard]] inline std::string attentionText(const AttentionSize &size, std::string_view options)
{
    std::string text =
        format("input q: f32[{}, {}, {}]\ninput k: f32[{}, {}, {}]\ninput v: f32[{}, {}, {}]\n", size.heads, size.queries,
               size.width, size.heads, size.keys, size.width, size.heads, size.keys, size.valueWidth);
    if (options.find("mask") != std::string_view::npos)
        text += format("input m: bool[{}, {}]\n", size.queries, size.keys);
    return text + format("output attention(q, k, v{})\n", options);
}

class KernelStages : public ProgramTest {
protected:
    [[nodiscard]] CompileRequest requestFor(const std::string &text, const std::string &device,
                                            CompileUntil until = CompileUntil::Machine) const
    {
        CompileRequest request = ProgramTest::requestFor("stages.sw", device, until);
        request.program.text = text;
        request.program.isText = true;
        return request;
    }

    // How many times 1 MiB a core's cache has, rounded up: problems that are to be larger than it grow by this.
    [[nodiscard]] std::int64_t cacheFactor(const std::string &device) const
    {
        const auto opened = OpenedDevice::open(m_registry, device, {});
        const std::int64_t bytes = opened ? (*opened)->info().cacheBytesPerCore : 0;
        return std::max<std::int64_t>((bytes + (1 << 20) - 1) >> 20U, 1);
    }

    // Compiles, and compares the values with the reference.
    Compilation checkValues(ProgramCompiler &compiler, const CompileRequest &request)
    {
        Compilation made = compiler.compile(request, {});
        EXPECT_TRUE(made.succeeded) << toText(made.diagnostics);
        if (!made.succeeded)
            return made;
        CompileRequest program = request;
        program.until = CompileUntil::Program;
        const Compilation read = compiler.compile(program, {});
        const auto values = placeholderValues(*read.graph, {}, 5);
        const auto expected = meaningAndLimitsOf(read.graph, *values);
        EXPECT_TRUE(expected) << toText(expected.error());
        const auto result = run(compiler, request, {}, 5);
        EXPECT_TRUE(result) << toText(result.error());
        if (!result || !expected)
            return made;
        for (std::size_t i = 0; i < expected->values.size(); ++i) {
            const Comparison comparison = expected->compared(i, result->outputs.at(i).value);
            EXPECT_TRUE(comparison.equal) << comparison.maxAbsolute << " off in " << comparison.divergences << " elements\n"
                                          << toText(*made.loops);
        }
        return made;
    }

    // The text of the loops, once the values are right.
    std::string checkedLoopsOf(const std::string &text, const std::string &device)
    {
        SCOPED_TRACE(text + device);
        ProgramCompiler compiler(m_registry);
        const Compilation made = checkValues(compiler, requestFor(text, device));
        return made.succeeded ? toText(*made.loops) : std::string();
    }

    [[nodiscard]] static std::size_t stagesIn(const Compilation &made)
    {
        std::size_t stages = 0;
        for (const ScheduledKernel &kernel : made.schedule->kernels)
            stages += kernel.stages.size();
        return stages;
    }
};

// On each of the processors that a test is instantiated for.
class KernelsOnProcessors : public KernelStages, public testing::WithParamInterface<const char *> {
protected:
    void SetUp() override
    {
        if (const std::string reason = whyNoProcessor(GetParam()); !reason.empty())
            GTEST_SKIP() << reason;
    }
};

} // namespace sw::test
