// Convolutions whose channels are divided into groups: the channels of a vector that lie in one group read the same elements of
// the image, once for all of them.

#include "tests/golden/program_fixture.h"
#include "tests/support/meaning.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sw::test {
namespace {

struct Groups {
    const char *name;
    int channels; // of the image
    int outputs;
    int groups;
    int padding;
    bool areWhole; // groups are whole vectors, of any device
};

void PrintTo(const Groups &groups, std::ostream *out)
{
    *out << groups.name;
}

constexpr Groups kPrograms[] = {
    {"whole_vectors", 32, 128, 2, 0, true},
    {"padded", 24, 192, 3, 2, true},
    {"parts_of_vectors", 24, 40, 4, 1, false},
    {"no_whole_number", 18, 30, 3, 2, false},
};

class GroupedWindows : public ProgramTest, public testing::WithParamInterface<std::tuple<std::string, Groups>> {};

// Whether any load reads its lanes from addresses of their own; two lanes, the rest of a row, are read as fast as a vector and a
// shuffle.
bool gathers(const LoweredProgram &program)
{
    for (std::size_t i = 0; i < program.kernels.size(); ++i) {
        const std::vector<Instruction> &all = program.kernels.bodyOf(i).instructions;
        for (const Instruction &one : all)
            if (one.kind == InstructionKind::Load && one.lanes > 2 && all[one.operands[0].value].kind == InstructionKind::Ptrcat)
                return true;
    }
    return false;
}

TEST_P(GroupedWindows, giveWhatPlainLoopsGive)
{
    const auto &[device, wanted] = GetParam();
    if (const std::string reason = whyUnavailable(device); !reason.empty())
        GTEST_SKIP() << reason;
    const auto both =
        runBothWays(format("input x: f32[1, {}, 15, 13]\ninput w: f32[{}, {}, 3, 3]\n"
                           "output relu(conv2d(x, w, padding = {}, groups = {}))\n",
                           wanted.channels, wanted.outputs, wanted.channels / wanted.groups, wanted.padding, wanted.groups),
                    device);
    ASSERT_TRUE(both) << toText(both.error());
    expectNear(both->chosen, both->plain, 1e-4);
    if (wanted.areWhole) {
        EXPECT_FALSE(gathers(*both->compilation.program->lowered));
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, GroupedWindows,
                         testing::Combine(testing::Values("interpreter", "llvm", "c", "opencl"), testing::ValuesIn(kPrograms)),
                         [](const auto &info) { return format("{}_{}", std::get<0>(info.param), std::get<1>(info.param).name); });

} // namespace
} // namespace sw::test
