// Rows that lie side by side in what is read, and one behind the other in what is stored: vectors of rows, which registers
// transpose.

#include "tests/golden/kernel_stages.h"

#include <gtest/gtest.h>

#include <tuple>

namespace sw::test {
namespace {

constexpr std::string_view kAcross = "neighbouring rows lie side by side in memory";
constexpr std::string_view kTurned = "registers transpose them";

class TurnedRows : public KernelStages {};
class TurnedRowsOn : public KernelsOnProcessors {};

// What a detector does with its classes: the channels of an image are the rows of the result.
TEST_P(TurnedRowsOn, areTheReference)
{
    const std::string device = GetParam();
    for (const std::string_view shape :
         {"[80, 22, 22]", "[5, 3, 40]", "[19, 33, 17]", "[8, 64, 16]", "[33, 1, 70]", "[3, 200, 31]"})
        for (const std::string_view order : {"[1, 2, 0]", "[2, 1, 0]"}) {
            const std::string loops = checkedLoopsOf(
                format("input x: f32{}\noutput contiguous(permute(softmax(x, axis = 0), {}))\n", shape, order), device);
            EXPECT_NE(loops.find(kTurned), std::string::npos) << shape << order << loops;
        }
    for (const std::string_view dtype : {"f64", "f16", "bf16"})
        checkedLoopsOf(format("input x: {}[24, 10, 36]\noutput contiguous(permute(softmax(x, axis = 0), [2, 1, 0]))\n", dtype),
                       device);
    checkedLoopsOf("input x: f32[2, 30, 9, 21]\ninput y: f32[2, 9, 21, 30]\n"
                   "m = mean(x, axis = 1)\noutput permute(x - m.reshape([2, 1, 9, 21]), [0, 2, 3, 1]) * y\n",
                   device);
}

// Two classes, three colours, a point in space: a vector along such a row would have two lanes.
TEST_P(TurnedRowsOn, areShortOnes)
{
    const std::string device = GetParam();
    for (const std::string_view shape : {"[442, 2]", "[61, 3]", "[16, 4]", "[5, 40, 7]", "[3, 33, 8]", "[2, 100, 2, 2]"}) {
        const std::string loops = checkedLoopsOf(format("input x: f32{}\noutput softmax(x, axis = -1)\n", shape), device);
        EXPECT_NE(loops.find("rows at a time"), std::string::npos) << shape << loops;
    }
    for (const std::string_view value :
         {"layer_norm(x)", "x - max(x, axis = -1, keepdims = true)", "x / sum(abs(x), axis = -1, keepdims = true)"})
        EXPECT_NE(checkedLoopsOf(format("input x: f32[77, 3]\noutput {}\n", value), device).find("rows of 3 points"),
                  std::string::npos)
            << value;
    for (const std::string_view dtype : {"f64", "f16", "bf16"})
        checkedLoopsOf(format("input x: {}[90, 5]\noutput softmax(x, axis = -1)\n", dtype), device);
}

// In strict mode the points of a row are added up one after the other; with dimensions, rows may end, and their points may not.
TEST_P(TurnedRowsOn, keepTheOrderOfTheirSums)
{
    CompileRequest request = requestFor("input x: f32[77, 5]\noutput softmax(x, axis = -1)\n", GetParam());
    request.options.strict = true;
    ProgramCompiler compiler(m_registry);
    const Compilation made = checkValues(compiler, request);
    ASSERT_TRUE(made.succeeded);
    const std::string loops = toText(*made.loops);
    EXPECT_NE(loops.find("unroll r3 5  # rows of 5 points"), std::string::npos) << loops;
    EXPECT_NE(loops.find("set_type r2 unroll  # rows of 5 points"), std::string::npos) << loops; // a maximum
    EXPECT_NE(checkedLoopsOf("n: dim[1, 90] = 37\ninput x: f32[n, 3]\noutput softmax(x, axis = -1)\n", GetParam())
                  .find("rows at a time"),
              std::string::npos);
    EXPECT_EQ(checkedLoopsOf("n: dim[1, 8] = 3\ninput x: f32[90, n]\noutput softmax(x, axis = -1)\n", GetParam())
                  .find("rows at a time"),
              std::string::npos);
}

// The loop for the threads is one that has rounds enough for all of them.
TEST_P(TurnedRowsOn, areSharedByThreads)
{
    for (const auto &[images, height, width] : {std::tuple{32, 9, 190}, {1, 40, 40}, {1, 1, 190}}) {
        CompileRequest request = requestFor(
            format(
                "input x: f32[{}, 64, {}, 200]\noutput contiguous(permute(softmax(x[:, :, :, 3:{}], axis = 1), [0, 3, 2, 1]))\n",
                images, height, width + 3),
            GetParam());
        request.threads = 2;
        ProgramCompiler compiler(m_registry);
        const Compilation made = checkValues(compiler, request);
        ASSERT_TRUE(made.succeeded);
        const std::string loops = toText(*made.loops);
        const std::string threaded = images > 1 ? "thread i0" : height > 1 ? "thread i1" : "thread i0";
        EXPECT_NE(loops.find("registers transpose them"), std::string::npos) << loops;
        EXPECT_NE(loops.find(threaded), std::string::npos) << loops;
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, TurnedRowsOn, testing::Values("llvm", "c"),
                         [](const auto &test) { return std::string(test.param); });

// Vectors of rows are stored as they are where the memory runs along them, too.
TEST_F(TurnedRows, areNotMadeOfOthers)
{
    const std::string along = checkedLoopsOf("input x: f32[80, 484]\noutput softmax(x, axis = 0)\n", "llvm");
    EXPECT_EQ(along.find(kTurned), std::string::npos) << along;
    const std::string rows = checkedLoopsOf("input x: f32[484, 80]\noutput softmax(x, axis = 1)\n", "llvm");
    EXPECT_EQ(rows.find(kAcross), std::string::npos) << rows;
    if (whyUnavailable("opencl").empty()) { // drivers take seconds for what registers transpose
        const std::string drivers = checkedLoopsOf("input x: f32[33, 3]\ninput y: f32[24, 10, 36]\noutput softmax(x, axis = -1)\n"
                                                   "output contiguous(permute(softmax(y, axis = 0), [2, 1, 0]))\n",
                                                   "opencl");
        EXPECT_EQ(drivers.find(kTurned), std::string::npos) << drivers;
        EXPECT_EQ(drivers.find("rows at a time"), std::string::npos) << drivers;
    }
    for (const std::string_view shape : {"[442, 9]", "[3, 2]"}) { // too long a row, and fewer rows than any vector has lanes
        const std::string loops = checkedLoopsOf(format("input x: f32{}\noutput softmax(x, axis = -1)\n", shape), "llvm");
        EXPECT_EQ(loops.find("rows at a time"), std::string::npos) << loops;
    }
}

} // namespace
} // namespace sw::test
