#include "engine/passes/schedule/memory_plan.h"

#include <gtest/gtest.h>

#include <random>

namespace sw {

namespace {

TEST(MemoryPlan, valuesThatDoNotMeetShareTheirPlace)
{
    const std::vector<ArenaRequest> requests{{256, 0, 1}, {256, 2, 3}};
    const ArenaPlan plan = planArena(requests);
    EXPECT_EQ(plan.offsets, (std::vector<std::int64_t>{0, 0}));
    EXPECT_EQ(plan.bytes, 256);
}

TEST(MemoryPlan, aValueReadByTheItemThatWritesAnotherDoesNotShareItsPlace)
{
    const std::vector<ArenaRequest> requests{{256, 0, 1}, {256, 1, 2}};
    const ArenaPlan plan = planArena(requests);
    EXPECT_NE(plan.offsets[0], plan.offsets[1]);
    EXPECT_EQ(plan.bytes, 512);
}

TEST(MemoryPlan, offsetsAreAligned)
{
    const std::vector<ArenaRequest> requests{{1, 0, 3}, {65, 0, 3}, {4, 0, 3}};
    const ArenaPlan plan = planArena(requests);
    for (const std::int64_t offset : plan.offsets)
        EXPECT_EQ(offset % kArenaAlignment, 0);
    EXPECT_EQ(plan.bytes, 64 + 128 + 64);
}

TEST(MemoryPlan, takesTheSmallestGapThatFits)
{
    // At item 5: 0..1024 is free, 1024..2048 taken, 2048..2304 free, above that taken.
    const std::vector<ArenaRequest> requests{{2048, 5, 5}, {1024, 0, 1}, {1024, 0, 9}, {256, 0, 1}, {256, 5, 9}};
    const ArenaPlan plan = planArena(requests);
    for (std::size_t a = 0; a < requests.size(); ++a)
        for (std::size_t b = a + 1; b < requests.size(); ++b) {
            if (requests[a].firstItem > requests[b].lastItem || requests[b].firstItem > requests[a].lastItem)
                continue;
            EXPECT_TRUE(plan.offsets[a] + requests[a].bytes <= plan.offsets[b] ||
                        plan.offsets[b] + requests[b].bytes <= plan.offsets[a]);
        }
    EXPECT_LE(plan.bytes, 3328);
}

TEST(MemoryPlan, randomLifetimesNeverOverlapAndStayNearThePeak)
{
    std::mt19937 random(3);
    std::vector<ArenaRequest> requests;
    for (std::uint32_t i = 0; i < 200; ++i) {
        const auto first = static_cast<std::uint32_t>(random() % 100);
        requests.push_back(
            {static_cast<std::int64_t>(64 * (1 + random() % 64)), first, first + static_cast<std::uint32_t>(random() % 5)});
    }
    const ArenaPlan plan = planArena(requests);
    std::int64_t peak = 0;
    for (std::uint32_t item = 0; item < 105; ++item) {
        std::int64_t live = 0;
        for (const ArenaRequest &request : requests)
            live += request.firstItem <= item && item <= request.lastItem ? request.bytes : 0;
        peak = std::max(peak, live);
    }
    for (std::size_t a = 0; a < requests.size(); ++a)
        for (std::size_t b = a + 1; b < requests.size(); ++b) {
            const bool meet = requests[a].firstItem <= requests[b].lastItem && requests[b].firstItem <= requests[a].lastItem;
            const bool apart =
                plan.offsets[a] + requests[a].bytes <= plan.offsets[b] || plan.offsets[b] + requests[b].bytes <= plan.offsets[a];
            ASSERT_TRUE(!meet || apart);
        }
    EXPECT_LE(plan.bytes, peak + peak / 4);
}

TEST(MemoryPlan, peakCountsWhatLivesAtOnce)
{
    const Origin origin{SourceId(0U)};
    std::vector<ScheduledBuffer> buffers;
    const auto add = [&](std::int64_t elements, std::uint32_t first, std::uint32_t last) {
        buffers.push_back({BufferRole::Intermediate, DType::F32, Shape{elements}, {}, {}, origin, first, last, 0});
    };
    add(10, 0, 2);
    add(20, 1, 1);
    add(5, 2, 2);
    EXPECT_EQ(peakBytesOf(buffers, 3), 4 * 30);
}

} // namespace

} // namespace sw
