// Large programs are rewritten several kernels at a time. What comes out, and what is told of it, is as if one came after the
// other.

#include "engine/lowered/printer.h"
#include "engine/lowered/verifier.h"
#include "engine/passes/lowered/decompose.h"
#include "engine/passes/lowered/hoist_invariants.h"
#include "engine/passes/lowered/merge_equal.h"
#include "engine/passes/lowered/remove_dead.h"
#include "engine/passes/lowered/simplify.h"
#include "tests/unit/lowered/random_kernel.h"

#include <gtest/gtest.h>

#include <array>

namespace sw {
namespace {

using Pass = Result<std::optional<LoweredProgram>> (*)(const LoweredProgram &, PassContext &);

struct Named {
    const char *name;
    Pass pass;
};
constexpr std::array kPasses{Named{"simplify", &simplifyInstructions},

                             Named{"decompose", &decompose}, Named{"hoist", &hoistInvariants},
                             Named{"mergeEqual", &mergeEqualInstructions}, Named{"removeDead", &removeDeadInstructions}};

const DeviceInfo kDevice;
const CompileOptions kOptions;

// Enough that threads are worth while.
LoweredProgram manyKernels()
{
    std::vector<LoweredKernel> kernels;
    std::size_t instructions = 0;
    for (std::uint32_t seed = 0; instructions < 12'000; ++seed) {
        kernels.push_back(test::randomKernel(seed));
        kernels.back().kernel = KernelId(seed);
        instructions += kernels.back().instructions.size();
    }
    return {nullptr, std::move(kernels)};
}

struct Outcome {
    std::string text;
    RewriteLog log;
};

Outcome outcome(Pass pass, const LoweredProgram &program, std::uint32_t budget, RewriteWindow told)
{
    PassContext context(kDevice, TargetLanguage::C, kOptions, {}, budget, {}, told);
    const auto made = pass(program, context);
    SW_ASSERT(made.has_value(), "a pass that succeeds");
    Outcome found{{}, std::move(context.rewrites())};
    for (const LoweredKernel &kernel : (*made ? **made : program).kernels)
        found.text += printLowered(kernel, PrintOrigins::Shown).text;
    return found;
}

void expectEqual(const Outcome &found, const Outcome &wanted)
{
    EXPECT_EQ(found.text, wanted.text);
    ASSERT_EQ(found.log.size(), wanted.log.size());
    for (std::size_t i = 0; i < found.log.size(); ++i) {
        ASSERT_EQ(found.log.rule(i), wanted.log.rule(i)) << i;
        ASSERT_EQ(found.log.kernel(i), wanted.log.kernel(i)) << i;
    }
    EXPECT_TRUE(std::ranges::equal(found.log.rules(), wanted.log.rules()));
    ASSERT_EQ(found.log.events().size(), wanted.log.events().size());
    for (std::size_t i = 0; i < found.log.events().size(); ++i) {
        EXPECT_EQ(found.log.events()[i].rule, wanted.log.events()[i].rule);
        EXPECT_EQ(found.log.events()[i].detail, wanted.log.events()[i].detail);
        EXPECT_EQ(found.log.events()[i].before, wanted.log.events()[i].before);
        EXPECT_EQ(found.log.events()[i].after, wanted.log.events()[i].after);
    }
}

class ManyKernels : public testing::TestWithParam<Named> {};

TEST_P(ManyKernels, areRewrittenAsOneAfterTheOther)
{
    // A limit that is never reached: then one comes after the other.
    constexpr std::uint32_t kLimit = 1'000'000;
    const LoweredProgram program = manyKernels();
    const Outcome wanted = outcome(GetParam().pass, program, kLimit, kNoRewrites);
    ASSERT_GT(wanted.log.size(), 20U) << "the pass has nothing to do";
    const auto size = static_cast<std::uint32_t>(wanted.log.size());
    for (const RewriteWindow told : {kNoRewrites, RewriteWindow{size / 2, 7}, RewriteWindow{size - 1, 10}, kAllRewrites})
        expectEqual(outcome(GetParam().pass, program, kNoRewriteLimit, told), outcome(GetParam().pass, program, kLimit, told));
}

TEST_P(ManyKernels, areLeftWhenNobodyWantsThem)
{
    std::stop_source stop;
    stop.request_stop();
    PassContext context(kDevice, TargetLanguage::C, kOptions, stop.get_token());
    const auto made = GetParam().pass(manyKernels(), context);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().front().code, Code::Cancelled);
}

INSTANTIATE_TEST_SUITE_P(All, ManyKernels, testing::ValuesIn(kPasses), [](const auto &test) { return test.param.name; });

TEST(ManyKernels, areVerifiedAndTheirErrorsListedInOrder)
{
    LoweredProgram program = manyKernels();
    EXPECT_TRUE(verifyLowered(program));
    std::vector<LoweredKernel> kernels(program.kernels.begin(), program.kernels.end());
    const std::size_t last = kernels.size() - 1;
    for (const std::size_t broken : {std::size_t{1}, last}) {
        kernels[broken].name = format("broken{}", broken);
        kernels[broken].instructions.push_back(kernels[broken].instructions.front());
        kernels[broken].instructions.back().operands = {InstructionId(1'000'000U)};
    }
    const auto sound = verifyLowered(LoweredProgram{nullptr, std::move(kernels)});
    ASSERT_FALSE(sound);
    EXPECT_NE(toText(sound.error().front()).find("broken1"), std::string::npos) << toText(sound.error().front());
    EXPECT_NE(toText(sound.error().back()).find(format("broken{}", last)), std::string::npos) << toText(sound.error().back());
}

} // namespace
} // namespace sw
