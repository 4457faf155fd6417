#include "engine/lowered/lowered.h"
#include "engine/lowered/verifier.h"
#include "tests/unit/lowered/lowered_samples.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sw {
namespace {

// A body whose origins are places: 0 of the kernel, 1 of its instructions.
KernelBinding bindingFor(std::uint32_t number)
{
    return {.kernel = KernelId(number),
            .name = format("k{}", number),
            .origin = test::originOf(10 + number),
            .arguments = {BufferId(number), BufferId(number + 1)},
            .argumentNames = {format("x{}", number), format("y{}", number)},
            .places = {test::originOf(10 + number), Origin(std::vector{SourceId(20 + number), SourceId(30 + number)})}};
}

KernelList twoOfOneBody()
{
    KernelList kernels;
    const std::size_t body = kernels.addBody(std::make_shared<const LoweredKernel>(test::unaryKernel(Op::Neg, DType::F32, 8)));
    kernels.addBound(body, bindingFor(0));
    kernels.addBound(body, bindingFor(1));
    return kernels;
}

TEST(KernelList, writesKernelsOutWithWhatIsTheirOwn)
{
    const KernelList kernels = twoOfOneBody();
    ASSERT_EQ(kernels.size(), 2U);
    ASSERT_EQ(kernels.bodies().size(), 1U);
    for (std::uint32_t number = 0; number < 2; ++number) {
        const LoweredKernel &kernel = kernels[number];
        EXPECT_EQ(kernel.kernel, KernelId(number));
        EXPECT_EQ(kernel.name, format("k{}", number));
        EXPECT_EQ(kernel.origin, test::originOf(10 + number));
        EXPECT_EQ(kernel.arguments, (std::vector{BufferId(number), BufferId(number + 1)}));
        EXPECT_EQ(kernel.instructions[0].name, format("x{}", number));
        EXPECT_EQ(kernel.instructions[1].name, format("y{}", number));
        for (const Instruction &instruction : kernel.instructions)
            EXPECT_EQ(instruction.origin, Origin(std::vector{SourceId(20 + number), SourceId(30 + number)}));
        EXPECT_EQ(&kernel, &kernels.at(number)) << "written out once";
    }
    EXPECT_EQ(std::ranges::distance(kernels), 2);
}

TEST(KernelList, takesOtherBodies)
{
    const KernelList kernels = twoOfOneBody();
    EXPECT_EQ(kernels[1].instructions.size(), kernels.bodies()[0]->instructions.size());
    const KernelList changed =
        kernels.withBodies({std::make_shared<const LoweredKernel>(test::unaryKernel(Op::Exp2, DType::F32, 8))});
    EXPECT_NE(changed[1].instructions, kernels[1].instructions);
    EXPECT_EQ(changed[1].name, "k1");
}

TEST(KernelList, anOriginThatAKernelLacksIsFound)
{
    LoweredKernel body = test::unaryKernel(Op::Neg, DType::F32, 8);
    body.instructions.back().origin = test::originOf(2);
    LoweredProgram program;
    program.kernels.addBound(program.kernels.addBody(std::make_shared<const LoweredKernel>(std::move(body))), bindingFor(0));
    EXPECT_FALSE(verifyLowered(program));
    EXPECT_TRUE(verifyLowered(LoweredProgram{nullptr, twoOfOneBody()}));
}

TEST(KernelList, bodiesThatAreKnownToBeSoundAreNotCheckedAgain)
{
    LoweredKernel broken = test::unaryKernel(Op::Neg, DType::F32, 8);
    broken.symbol.clear();
    LoweredProgram program;
    program.kernels.push_back(test::unaryKernel(Op::Exp2, DType::F32, 8));
    program.kernels.push_back(std::move(broken));
    EXPECT_FALSE(verifyLowered(program));
    EXPECT_FALSE(verifyLowered(program, {.here = program.kernels.bodies().first(1)}));
    EXPECT_TRUE(verifyLowered(program, {.here = program.kernels.bodies().last(1)}));
}

} // namespace
} // namespace sw
