// Loads of lanes that lie a few elements apart: whole vectors and shuffles in place of single elements.

#include "tests/golden/program_fixture.h"

#include "engine/loops/printer.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace sw::test {
namespace {

struct Counts {
    std::size_t shuffles = 0;
    std::size_t addresses = 0; // lists of them
};

Counts countsIn(const Compilation &made)
{
    Counts counts;
    const KernelList &kernels = made.lowered->kernels;
    for (std::size_t kernel = 0; kernel < kernels.size(); ++kernel)
        for (const Instruction &instruction : kernels[kernel].instructions) {
            counts.shuffles += instruction.kind == InstructionKind::Shuffle ? 1 : 0;
            counts.addresses += instruction.kind == InstructionKind::Ptrcat ? 1 : 0;
        }
    return counts;
}

class SpreadLoads : public ProgramTest, public testing::WithParamInterface<const char *> {
protected:
    void SetUp() override
    {
        if (const std::string reason = whyNoProcessor(GetParam()); !reason.empty())
            GTEST_SKIP() << reason;
    }
};

// Steps of 2 to 4 elements, with rows that end with the last lane that is read, of every length up to three vectors. Every step
// gives all bits of the plain loops.
TEST_P(SpreadLoads, giveWhatSingleElementsGive)
{
    const bool isQuick = GetParam() == std::string_view("llvm"); // the others call a compiler for each
    const std::vector<std::string_view> types =
        isQuick ? std::vector<std::string_view>{"f32", "f64", "i16", "u8", "f16"} : std::vector<std::string_view>{"f32"};
    const std::vector<int> lengths = isQuick ? std::vector<int>{4, 7, 8, 13, 16, 23, 31, 40, 48} : std::vector<int>{7, 23};
    for (const std::string_view type : types)
        for (const int step : {2, 3, 4})
            for (const int columns : lengths) {
                const int extent = (columns - 1) * step + 1;
                const std::string text = format("input x: {}[3, {}]\noutput x[:, ::{}] + x[:, ::{}]\n", type, extent, step, step);
                SCOPED_TRACE(text);
                const auto both = runBothWays(text, GetParam());
                ASSERT_TRUE(both) << toText(both.error());
                for (std::int64_t i = 0; i < both->plain.elements(); ++i)
                    ASSERT_EQ(both->chosen.at(i), both->plain.at(i)) << "element " << i;
            }
}

TEST_P(SpreadLoads, areUpToFourElementsApart)
{
    for (const int step : {2, 3, 4, 5}) {
        const std::string text = format("input x: f32[64, {}]\noutput x[:, ::{}]\n", 47 * step + 1, step);
        const auto both = runBothWays(text, GetParam());
        ASSERT_TRUE(both) << toText(both.error());
        const Counts counts = countsIn(both->compilation);
        EXPECT_EQ(counts.shuffles > 0, step <= 4) << step;
        EXPECT_EQ(counts.addresses > 0, step > 4) << step;
    }
}

// Windows that move by more than one column: rows of the tile share what they read.
TEST_P(SpreadLoads, readTheWindowsOfConvolutions)
{
    for (const int stride : {2, 3, 4})
        for (const int columns : {33, 70}) {
            const std::string text = format("input x: f32[1, 6, 17, {}]\nparam w: f32[6, 1, 3, 3] = random(2)\n"
                                            "output conv2d(x, w, stride = {}, groups = 6)\n",
                                            columns, stride);
            SCOPED_TRACE(text);
            const auto both = runBothWays(text, GetParam());
            ASSERT_TRUE(both) << toText(both.error());
            expectNear(both->chosen, both->plain, 1e-5);
            EXPECT_GT(countsIn(both->compilation).shuffles, 0U) << toText(*both->compilation.loops);
        }
}

// A copy reads its elements one by one, so it pays where enough rows read them again: in a kernel in stages, those of one block.
TEST_P(SpreadLoads, areCopiedWhereManyRowsReadThem)
{
    const auto packsOf = [&](int outputs, bool isPooled) {
        const std::string conv = "conv2d(x, w, stride = 2)";
        const std::string text = format("input x: f32[1, 3, 225, 225]\nparam w: f32[{}, 3, 3, 3] = random(2)\noutput {}\n",
                                        outputs, isPooled ? format("max_pool2d(relu({}), 3, stride = 2)", conv) : conv);
        const auto both = runBothWays(text, GetParam());
        EXPECT_TRUE(both) << toText(both.error());
        expectNear(both->chosen, both->plain, 1e-4);
        std::size_t packs = 0;
        bool isInStages = false;
        for (const auto &nest : both->compilation.loops->nests) {
            packs += nest->packs.size();
            isInStages = isInStages || !nest->stages.empty();
            for (const LoopNest &stage : nest->stages)
                packs += stage.packs.size();
        }
        EXPECT_EQ(isInStages, isPooled) << text;
        return packs;
    };
    EXPECT_EQ(packsOf(4, false), 0U);
    EXPECT_EQ(packsOf(256, false), 1U);
    // Eight channels of 112 x 112 must fit into half of a core's cache, to be a block.
    const auto opened = OpenedDevice::open(m_registry, GetParam(), {});
    ASSERT_TRUE(opened) << toText(opened.error());
    if ((*opened)->info().cacheBytesPerCore >= 1 << 20) {
        EXPECT_EQ(packsOf(64, true), 0U) << "a block has few rows";
    }
}

// Columns that are stored apart, even ones and odd ones: lanes read from both in turn, also under a border's masks and in vectors
// that are not full.
TEST_P(SpreadLoads, takeTurnsBetweenPlaces)
{
    for (const int places : {2, 4, 3})
        for (const int columns : {8, 16, 21})
            for (const bool isFramed : {false, true}) {
                const std::string whole = format("reshape(permute(x, [1, 2, 0]), [3, {}])", places * columns);
                const std::string framed = format("pad({}, [[1, 1], [1, 2]], value = 5)", whole);
                const std::string text =
                    format("input x: f32[{}, 3, {}]\noutput {} * 2\n", places, columns, isFramed ? framed : whole);
                SCOPED_TRACE(text);
                const auto both = runBothWays(text, GetParam());
                ASSERT_TRUE(both) << toText(both.error());
                for (std::int64_t i = 0; i < both->plain.elements(); ++i)
                    ASSERT_EQ(both->chosen.at(i), both->plain.at(i)) << "element " << i;
                const Counts counts = countsIn(both->compilation);
                // Of three places, rows of three points are stored across the vectors that each place is read in.
                if (GetParam() != std::string_view("opencl") && columns > 8 && !isFramed) {
                    EXPECT_GT(counts.shuffles, 0U) << toText(*both->compilation.loops);
                }
            }
}

INSTANTIATE_TEST_SUITE_P(Devices, SpreadLoads, testing::Values("llvm", "c", "opencl"),
                         [](const auto &test) { return std::string(test.param); });

} // namespace
} // namespace sw::test
