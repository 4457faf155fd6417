// Bodies that are long chains of steps: their vectors fill several registers, so that a processor works on several chains.

#include "tests/golden/kernel_stages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace sw::test {
namespace {

class LongVectors : public KernelStages {};

constexpr std::string_view kFour = "4 registers each";
constexpr std::string_view kTwo = "2 registers each";

bool has(const std::string &text, std::string_view part)
{
    return text.find(part) != std::string::npos;
}

class LongVectorsOn : public KernelsOnProcessors {};

TEST_P(LongVectorsOn, areTheReference)
{
    const std::string device = GetParam();
    for (const std::string_view of : {"exp(x)", "tanh(x)", "erf(x)", "log(x)", "exp2(x)", "x * exp(x)"})
        EXPECT_TRUE(has(checkedLoopsOf(format("input x: f32[117, 1024]\noutput {}\n", of), device), kFour)) << of;
    for (const std::string_view of : {"exp(x) * sin(x)", "tanh(x) * tanh(x + 1)", "log(1 + exp(x))"})
        EXPECT_TRUE(has(checkedLoopsOf(format("input x: f32[117, 1024]\noutput {}\n", of), device), kTwo)) << of;
    for (const std::string_view dtype : {"f64", "f16", "bf16"})
        EXPECT_TRUE(has(checkedLoopsOf(format("input x: {}[117, 1024]\noutput tanh(x)\n", dtype), device), kFour)) << dtype;
}

// Rests of vectors, rows that are no multiple of one, and what all lanes share.
TEST_P(LongVectorsOn, leaveRests)
{
    const std::string device = GetParam();
    for (const int columns : {1025, 1026, 1040, 1056, 1088})
        EXPECT_TRUE(has(checkedLoopsOf(format("input x: f32[97, {}]\noutput exp(x[:, 1:])\n", columns + 1), device), kFour))
            << columns;
    EXPECT_TRUE(has(
        checkedLoopsOf("input x: f32[97, 1024]\ninput b: f32[97, 1]\ninput c: f32[]\noutput exp(x + b) * c\n", device), kFour));
}

TEST_P(LongVectorsOn, areAddedUp)
{
    const std::string device = GetParam();
    for (const std::string_view of : {"softmax(x)", "log_softmax(x)", "sum(exp(x), 1)", "sum(tanh(x))", "max(erf(x), 1)"})
        EXPECT_TRUE(has(checkedLoopsOf(format("input x: f32[132, 2048]\noutput {}\n", of), device), "registers each")) << of;
}

// Each line that a vector reads is fetched, and no access promises more than memory does.
TEST_P(LongVectorsOn, coverWholeLinesOfMemory)
{
    const std::string device = GetParam();
    ProgramCompiler compiler(m_registry);
    const Compilation made = compiler.compile(requestFor("input x: f32[2200, 1024]\noutput exp(layer_norm(x))\n", device), {});
    ASSERT_TRUE(made.succeeded) << toText(made.diagnostics);
    ASSERT_TRUE(has(toText(*made.loops), "registers each"));
    std::int64_t fetched = 0;
    std::int64_t lanes = 0;
    for (const Instruction &instruction : made.lowered->kernels[0].instructions) {
        fetched += instruction.kind == InstructionKind::Prefetch ? 1 : 0;
        if (instruction.kind == InstructionKind::Load)
            lanes = instruction.lanes; // of the last one, which the prefetches stand before
    }
    EXPECT_EQ(fetched, std::max<std::int64_t>(lanes * 4 / 64, 1)) << toText(*made.loops);
    for (const char *promise : {"align 128", "align 256"})
        EXPECT_FALSE(has(made.code->front().text, promise)) << made.code->front().text;
    if (device == "c" && lanes * 4 > 64)
        EXPECT_TRUE(has(made.code->front().text, "aligned(64)")) << made.code->front().text;
}

INSTANTIATE_TEST_SUITE_P(Devices, LongVectorsOn, testing::Values("llvm", "c"),
                         [](const auto &test) { return std::string(test.param); });

// 2^20 operations: 30 or more for an element of gelu.
TEST_F(LongVectors, areWorthTheirCodeFromAMillionOperations)
{
    if (const std::string reason = whyNoProcessor("llvm"); !reason.empty())
        GTEST_SKIP() << reason;
    EXPECT_TRUE(has(checkedLoopsOf("input x: f32[35, 1024]\noutput gelu(x)\n", "llvm"), "registers each"));
    EXPECT_FALSE(has(checkedLoopsOf("input x: f32[25, 1024]\noutput gelu(x)\n", "llvm"), "registers each"));
}

// There is little to compute, the body is no long chain, the lanes are read one by one or under a mask, or each row would leave
// many rests.
TEST_F(LongVectors, areNotMadeOfOthers)
{
    for (const std::string_view text :
         {"input x: f32[1000]\noutput exp(x)\n", "input x: f32[400, 1024]\noutput x * 2 + 1\n",
          "input x: f32[400, 2048]\noutput exp(x[:, ::2])\n", "input x: f32[117, 1024]\noutput exp(pad(x, [[0, 0], [3, 3]]))\n",
          "input x: f32[200, 1023]\noutput exp(x[:, 1:])\n"})
        for (const char *device : {"llvm", "c"})
            if (whyNoProcessor(device).empty())
                EXPECT_FALSE(has(checkedLoopsOf(std::string(text), device), "registers each")) << text;
}

// Its vectors have 16 lanes at most: two registers of AVX2, and one of AVX-512.
TEST_F(LongVectors, haveSixteenLanesInOpenCl)
{
    if (const std::string reason = whyUnavailable("opencl"); !reason.empty())
        GTEST_SKIP() << reason;
    const auto opened = OpenedDevice::open(m_registry, "opencl", {});
    ASSERT_TRUE(opened);
    for (const auto &[dtype, bytes] : {std::pair("f32", 4), std::pair("f64", 8)}) {
        const std::string loops = checkedLoopsOf(format("input x: {}[117, 1024]\noutput exp(x)\n", dtype), "opencl");
        const std::int64_t registers = 16 / std::max<std::int64_t>((*opened)->info().vectorBytes / bytes, 1);
        EXPECT_EQ(has(loops, "registers each"), registers > 1) << loops;
        EXPECT_TRUE(registers == 1 || has(loops, "16 lanes")) << loops;
    }
}

// A double16 has 128 bytes, and memory begins at a multiple of 64.
TEST_F(LongVectors, promiseWhatMemoryKeepsInOpenCl)
{
    if (const std::string reason = whyUnavailable("opencl"); !reason.empty())
        GTEST_SKIP() << reason;
    ProgramCompiler compiler(m_registry);
    for (const auto &[dtype, isWhole] : {std::pair("f32", true), std::pair("f64", false)}) {
        const Compilation made =
            compiler.compile(requestFor(format("input x: {}[117, 1024]\noutput exp(x)\n", dtype), "opencl"), {});
        ASSERT_TRUE(made.succeeded) << toText(made.diagnostics);
        const std::string &source = made.code->front().text;
        EXPECT_TRUE(has(source, format("typedef {}16", isWhole ? "float" : "double"))) << source;
        EXPECT_EQ(has(source, "vload16("), !isWhole) << source;
        EXPECT_EQ(has(source, "vstore16("), !isWhole) << source;
    }
}

// PoCL's compiler is clang, which fetches rows ahead and stores past the caches.
TEST_F(LongVectors, reachMemoryInOpenClAsInC)
{
    if (const std::string reason = whyUnavailable("opencl"); !reason.empty())
        GTEST_SKIP() << reason;
    const auto codeOf = [&](const std::string &text) {
        ProgramCompiler compiler(m_registry);
        const Compilation made = checkValues(compiler, requestFor(text, "opencl"));
        return made.succeeded ? made.code->front().text : std::string();
    };
    const std::string rows = codeOf(format("input x: f32[{}, 2048]\noutput softmax(x)\n", 389 * cacheFactor("opencl")));
    EXPECT_TRUE(has(rows, "sw_prefetch_f32(in0 + ")) << rows;
    const std::string large = codeOf("input x: i8[33554432]\noutput x + 1\n");
    EXPECT_TRUE(has(large, "    sw_stream_i8x16(")) << large;
}

} // namespace
} // namespace sw::test
