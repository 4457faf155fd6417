#include "engine/passes/kernel_memo.h"

#include "tests/unit/lowered/lowered_samples.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace sw {
namespace {

KernelMemo::Body bodyNamed(const std::string &name)
{
    LoweredKernel kernel = test::unaryKernel(Op::Neg, DType::F32, 8);
    kernel.name = name;
    return std::make_shared<const LoweredKernel>(std::move(kernel));
}

KernelMemo::Made madeOf(KernelMemo::Body body)
{
    return {std::move(body), std::make_shared<const RewriteLog>()};
}

BodyIdentity called(const std::string &name)
{
    return {.kernel = KernelId(0U), .name = name, .arguments = {BufferId(0U), BufferId(1U)}, .argumentNames = {"x", "y"}};
}

std::optional<LoweredKernel> onePass(const LoweredKernel &, PassContext &)
{
    return std::nullopt;
}

std::optional<LoweredKernel> otherPass(const LoweredKernel &kernel, PassContext &)
{
    return kernel;
}

TEST(RecentTable, forgetsWhatTwoRoundsDoNotAskFor)
{
    RecentTable<int, int> table;
    table.keep(1, 10);
    table.keep(2, 20);
    table.endRound(true);
    for (int round = 0; round < 3; ++round) {
        ASSERT_NE(table.find(1), nullptr);
        table.endRound(true);
        EXPECT_EQ(table.size(), round == 0 ? 2U : 1U);
    }
    EXPECT_EQ(table.find(2), nullptr);
    EXPECT_EQ(*table.find(1), 10);
}

TEST(RecentTable, forgetsWhatAFailedRoundKept)
{
    RecentTable<int, int> table;
    table.keep(1, 10);
    table.endRound(true);
    for (int round = 0; round < 5; ++round) {
        table.keep(2, 20);
        table.endRound(false);
        EXPECT_EQ(table.find(2), nullptr);
    }
    EXPECT_NE(table.find(1), nullptr) << "failed rounds are not counted";
}

TEST(KernelMemo, knowsWhatEachPassMadeOfABody)
{
    KernelMemo memo;
    const KernelMemo::Body first = bodyNamed("k");
    const KernelMemo::Body second = bodyNamed("k");
    EXPECT_FALSE(memo.gave(first));
    memo.keepLowered("a nest", madeOf(first));
    EXPECT_TRUE(memo.gave(first));
    memo.keepRewritten(&onePass, first, madeOf(second));
    memo.keepRewritten(&otherPass, first, madeOf(nullptr));
    EXPECT_FALSE(memo.lowered("another nest", called("k")));
    EXPECT_EQ(memo.lowered("a nest", called("k"))->body, first);
    EXPECT_EQ(memo.rewritten(&onePass, first)->body, second);
    EXPECT_EQ(memo.rewritten(&otherPass, first)->body, nullptr) << "known to be left as it is";
    EXPECT_FALSE(memo.rewritten(&otherPass, second));
    EXPECT_FALSE(memo.isSound(first));
    EXPECT_FALSE(memo.isSound(second));
    memo.endCompilation(true);
    EXPECT_TRUE(memo.isSound(first));
    EXPECT_TRUE(memo.isSound(second));
}

// After a line was added, the same kernel has another number, and its buffers too.
TEST(KernelMemo, givesCopiesToKernelsThatAreCalledOtherwise)
{
    KernelMemo memo;
    const KernelMemo::Body first = bodyNamed("k");
    const KernelMemo::Body second = bodyNamed("k");
    memo.keepLowered("a nest", madeOf(first));
    memo.keepRewritten(&onePass, first, madeOf(second));
    memo.keepRewritten(&otherPass, second, madeOf(nullptr));
    memo.endCompilation(true);

    const BodyIdentity identity{KernelId(7U), "other", {BufferId(5U), BufferId(9U)}, {"p", "q"}};
    LoweredKernel wanted = *first;
    wanted.kernel = identity.kernel;
    wanted.name = identity.name;
    wanted.arguments = identity.arguments;
    wanted.instructions[0].name = "p";
    wanted.instructions[1].name = "q";
    const auto lowered = memo.lowered("a nest", identity);
    ASSERT_TRUE(lowered);
    EXPECT_EQ(*lowered->body, wanted);
    const auto rewritten = memo.rewritten(&onePass, lowered->body);
    ASSERT_TRUE(rewritten);
    EXPECT_EQ(*rewritten->body, wanted);
    ASSERT_TRUE(memo.rewritten(&otherPass, rewritten->body));
    EXPECT_EQ(memo.rewritten(&otherPass, rewritten->body)->body, nullptr);
    EXPECT_TRUE(memo.isSound(lowered->body));
    EXPECT_TRUE(memo.isSound(rewritten->body));
    EXPECT_FALSE(memo.gave(lowered->body)) << "the next compilation is given another copy";
    memo.endCompilation(true);
    EXPECT_FALSE(memo.isSound(lowered->body));
    EXPECT_EQ(lowered->body.use_count(), 1);
    EXPECT_EQ(memo.lowered("a nest", called("k"))->body, first);
}

TEST(KernelMemo, keepsNothingOfACompilationThatFailed)
{
    KernelMemo memo;
    const KernelMemo::Body sound = bodyNamed("sound");
    memo.keepLowered("sound", madeOf(sound));
    memo.endCompilation(true);
    const KernelMemo::Body broken = bodyNamed("broken");
    memo.keepRewritten(&onePass, sound, madeOf(broken));
    memo.endCompilation(false);
    EXPECT_FALSE(memo.isSound(broken));
    EXPECT_FALSE(memo.gave(broken));
    EXPECT_FALSE(memo.rewritten(&onePass, sound));
    EXPECT_TRUE(memo.isSound(sound));
}

TEST(KernelMemo, forgetsBodiesThatNoCompilationNeeds)
{
    KernelMemo memo;
    const KernelMemo::Body body = bodyNamed("body");
    memo.keepLowered("a nest", madeOf(body));
    memo.keepChosen("a choice", {});
    EXPECT_EQ(memo.size(), 2U);
    for (int round = 0; round < 3; ++round)
        memo.endCompilation(true);
    EXPECT_EQ(memo.size(), 0U);
    EXPECT_FALSE(memo.gave(body));
    EXPECT_EQ(body.use_count(), 1);
}

TEST(RewriteLog, takesOverTheRewritesOfAnother)
{
    const auto add = [](RewriteLog &log, std::string_view rule, std::uint32_t kernel) {
        log.add(rule, KernelId(kernel), [] { return RewriteDetail(); });
    };
    RewriteLog other;
    add(other, "b", 1);
    add(other, "a", 2);
    add(other, "b", 3);
    RewriteLog log;
    add(log, "a", 0);
    log.append(other);
    ASSERT_EQ(log.size(), 4U);
    EXPECT_EQ(log.countOf("a"), 2U);
    EXPECT_EQ(log.countOf("b"), 2U);
    EXPECT_EQ(log.rule(1), "b");
    EXPECT_EQ(log.rule(2), "a");
    EXPECT_EQ(log.kernel(3), KernelId(3U));

    for (const auto &[first, count, can] : {std::tuple{0U, 0U, true}, {1U, 1U, false}, {3U, 9U, false}, {4U, 9U, true}}) {
        RewriteLog telling({first, count});
        add(telling, "a", 0);
        EXPECT_EQ(telling.canAppend(other), can) << first;
        EXPECT_TRUE(telling.canAppend(RewriteLog()));
    }
    RewriteLog ofOne;
    ofOne.append(other, KernelId(9U));
    EXPECT_EQ(ofOne.kernel(0), KernelId(9U));
    EXPECT_EQ(ofOne.kernel(2), KernelId(9U));
    RewriteLog told({0, 1});
    add(told, "a", 0);
    EXPECT_TRUE(told.canAppend(other)) << "they come behind those that are told";
}

} // namespace
} // namespace sw
