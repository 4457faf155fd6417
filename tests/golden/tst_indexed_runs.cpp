// Rows that are looked up: their index is computed once, and vectors read what lies behind it.

#include "tests/golden/kernel_stages.h"

#include "engine/lowered/printer.h"

#include <gtest/gtest.h>

namespace sw::test {
namespace {

class IndexedRuns : public KernelsOnProcessors {
protected:
    // Whether each element is loaded by itself, once the values are right.
    bool loadsElements(const std::string &text)
    {
        SCOPED_TRACE(text);
        ProgramCompiler compiler(m_registry);
        const Compilation made = checkValues(compiler, requestFor(text, GetParam()));
        return !made.succeeded || printLowered(*made.lowered, PrintOrigins::Hidden).text.find("masked_load") != std::string::npos;
    }
};

constexpr std::string_view kPlaces = "i = (arange(30, dtype = i64) * 7) % 50\n";

TEST_P(IndexedRuns, areReadAsVectors)
{
    for (const std::string_view columns : {"64", "96", "8"})
        for (const std::string_view result : {"embedding(x, i)", "embedding(x * 2, i) + 1"})
            EXPECT_FALSE(loadsElements(format("input x: f32[50, {}]\n{}output {}\n", columns, kPlaces, result)))
                << columns << " " << result;
    for (const std::string_view dtype : {"f64", "f16", "i32", "u8"})
        EXPECT_FALSE(loadsElements(format("input x: {}[50, 64]\n{}output embedding(x, i)\n", dtype, kPlaces))) << dtype;
    // What a row leaves over is read element by element.
    loadsElements(format("input x: f32[50, 67]\n{}output embedding(x, i)\n", kPlaces));
}

// Along the rows themselves each lane has an index of its own, and what is padded is not read at all.
TEST_P(IndexedRuns, areNotMadeOfOthers)
{
    EXPECT_TRUE(loadsElements(format("input x: f32[50]\n{}output gather(x, i, axis = 0)\n", kPlaces)));
    loadsElements(format("input x: f32[50, 64]\n{}output pad(embedding(x, i), [[1, 2], [3, 5]])\n", kPlaces));
}

INSTANTIATE_TEST_SUITE_P(Devices, IndexedRuns, testing::Values("llvm", "c"),
                         [](const auto &test) { return std::string(test.param); });

} // namespace
} // namespace sw::test
