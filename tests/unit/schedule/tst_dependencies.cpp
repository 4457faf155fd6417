// What must wait for what, and in which order that lets the items run.

#include "engine/schedule/dependencies.h"
#include "engine/schedule/execution_order.h"

#include "engine/passes/schedule/plan_steps.h"
#include "engine/schedule/verify_items.h"
#include "tests/unit/passes/schedule/schedule_fixture.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <optional>
#include <random>
#include <set>

namespace sw {
namespace {

const Dependency *between(const Schedule &schedule, std::uint32_t from, std::uint32_t to)
{
    const auto found =
        std::ranges::find_if(schedule.dependencies, [&](const Dependency &one) { return one.from == from && one.to == to; });
    return found == schedule.dependencies.end() ? nullptr : &*found;
}

TEST(Dependencies, areDataFromWritersToReaders)
{
    const Schedule schedule = twoChains();
    ASSERT_EQ(schedule.items.size(), 6U + 4U + 1U + 2U);
    const Dependency *const inner = between(schedule, 6, 7);
    ASSERT_NE(inner, nullptr);
    EXPECT_EQ(inner->kind, DependencyKind::Data);
    EXPECT_EQ(inner->buffers, schedule.kernels[0].writes);
    const Dependency *const upload = between(schedule, 0, 6);
    ASSERT_NE(upload, nullptr);
    EXPECT_EQ(upload->kind, DependencyKind::Data);
}

TEST(Dependencies, areControlWhereMemoryIsTakenOver)
{
    const Schedule schedule = twoChains();
    const ScheduledBuffer &before = schedule.buffer(schedule.kernels[0].writes[0]);
    const ScheduledBuffer &after = schedule.buffer(schedule.kernels[2].writes[0]);
    ASSERT_EQ(before.arenaOffset, after.arenaOffset) << printSchedule(schedule).text;
    ASSERT_TRUE(before.aliasGroup);
    EXPECT_EQ(before.aliasGroup, after.aliasGroup);
    const Dependency *const control = between(schedule, 7, 8);
    ASSERT_NE(control, nullptr) << printSchedule(schedule).text;
    EXPECT_EQ(control->kind, DependencyKind::Control);
    EXPECT_EQ(control->buffers, schedule.kernels[0].writes);
    // That the writer of the old value comes before follows from it.
    EXPECT_EQ(between(schedule, 6, 8), nullptr);
    EXPECT_NE(printSchedule(schedule).text.find(format(", control 7 (b{})", schedule.kernels[0].writes[0].value)),
              std::string::npos);
}

TEST(Dependencies, nameOnlyTheLastThatHadThePlace)
{
    // Three values one after the other in the same bytes, by callbacks that know nothing of each other.
    TensorProgram p;
    std::vector<NodeId> nodes;
    for (int i = 0; i < 3; ++i)
        nodes.push_back(p.relu(p.input({16})));
    Schedule schedule;
    schedule.graph = std::make_shared<const Graph>(std::move(p).finish({nodes}));
    schedule.devices = {{.id = "fake"}};
    std::vector<ScheduleItem> run;
    for (std::uint32_t i = 0; i < 3; ++i) {
        schedule.buffers.push_back({.shape = {16}, .node = nodes[i], .name = format("t{}", i), .origin = originOfLine(1)});
        run.push_back({HostCallback{"make", {}, {BufferId(i)}}});
        run.push_back({HostCallback{"use", {BufferId(i)}, {}}});
    }
    ASSERT_TRUE(planSteps(schedule, std::move(run), {}));
    EXPECT_EQ(schedule.devices[0].arenaBytes, 64);
    ASSERT_NE(between(schedule, 1, 2), nullptr);
    ASSERT_NE(between(schedule, 3, 4), nullptr);
    EXPECT_EQ(between(schedule, 3, 4)->buffers, (std::vector{BufferId(1U)}));
    EXPECT_EQ(between(schedule, 1, 4), nullptr);
}

TEST(Dependencies, knowTheLastHolderOfEachByte)
{
    constexpr std::int64_t kArena = 40;
    constexpr std::uint32_t kItems = 30;
    std::mt19937 random(1);
    for (int round = 0; round < 50; ++round) {
        Schedule schedule;
        schedule.devices = {{.id = "one"}, {.id = "two"}};
        const auto meet = [](const ScheduledBuffer &a, const ScheduledBuffer &b) {
            return a.device == b.device && a.arenaOffset < b.arenaOffset + b.bytes() && b.arenaOffset < a.arenaOffset + a.bytes();
        };
        // Random places and lives; whatever would share bytes while both live is left out.
        for (int i = 0; i < 200; ++i) {
            const auto size = static_cast<std::int64_t>(random() % 12);
            ScheduledBuffer made{.dtype = DType::I8,
                                 .shape = {size},
                                 .node = {},
                                 .name = {},
                                 .origin = originOfLine(1),
                                 .device = DeviceSlot(random() % 2)};
            made.arenaOffset = static_cast<std::int64_t>(random() % (kArena - 12));
            made.firstItem = static_cast<std::uint32_t>(random() % kItems);
            made.lastItem = made.firstItem + static_cast<std::uint32_t>(random() % 4);
            const bool isFree = std::ranges::none_of(schedule.buffers, [&](const ScheduledBuffer &other) {
                return meet(made, other) && made.firstItem <= other.lastItem && other.firstItem <= made.lastItem;
            });
            if (isFree)
                schedule.buffers.push_back(made);
        }
        std::set<std::pair<std::size_t, std::size_t>> wanted;
        for (std::size_t second = 0; second < schedule.buffers.size(); ++second)
            for (std::int64_t byte = 0; byte < schedule.buffers[second].bytes(); ++byte) {
                std::optional<std::size_t> last;
                for (std::size_t first = 0; first < schedule.buffers.size(); ++first) {
                    const ScheduledBuffer &one = schedule.buffers[first];
                    const std::int64_t at = schedule.buffers[second].arenaOffset + byte - one.arenaOffset;
                    if (one.device == schedule.buffers[second].device && at >= 0 && at < one.bytes() &&
                        one.lastItem < schedule.buffers[second].firstItem &&
                        (!last || schedule.buffers[*last].firstItem < one.firstItem))
                        last = first;
                }
                if (last)
                    wanted.emplace(*last, second);
            }
        std::set<std::pair<std::size_t, std::size_t>> found;
        for (const SharedPlace &place : sharedPlaces(schedule))
            EXPECT_TRUE(found.emplace(place.first.value, place.second.value).second) << "listed twice";
        EXPECT_EQ(found, wanted);
        EXPECT_GT(wanted.size(), 10U);
    }
}

TEST(Dependencies, letABarrierWaitForTheLastOnes)
{
    const Schedule schedule = twoChains();
    const std::uint32_t barrier = 10;
    ASSERT_TRUE(std::holds_alternative<Synchronization>(schedule.items[barrier].work));
    for (const Dependency &one : schedule.dependencies)
        if (one.to == barrier) {
            EXPECT_EQ(one.from, 9U);
            EXPECT_EQ(one.kind, DependencyKind::Control);
        }
    for (const std::uint32_t download : {11U, 12U})
        EXPECT_NE(between(schedule, barrier, download), nullptr);
}

TEST(Dependencies, waitForAllTheParts)
{
    // Two halves of a buffer come from two others, and are read together.
    TensorProgram p;
    const NodeId a = p.relu(p.input({2}));
    const NodeId b = p.relu(p.input({2}));
    const NodeId whole = p.relu(p.input({4}));
    const NodeId out = p.relu(whole);
    Schedule schedule;
    schedule.graph = std::make_shared<const Graph>(std::move(p).finish({out, a, b}));
    schedule.devices = {{.id = "fake"}};
    const auto buffer = [](NodeId node, Shape shape, const char *name) {
        return ScheduledBuffer{.shape = std::move(shape), .node = node, .name = name, .origin = originOfLine(1)};
    };
    schedule.buffers = {buffer(a, {2}, "a"), buffer(b, {2}, "b"), buffer(whole, {4}, "whole"), buffer(out, {4}, "out")};
    schedule.outputs = {BufferId(3U), BufferId(0U), BufferId(1U)};
    const auto part = [](std::uint32_t from, std::int64_t offset) {
        return ScheduleItem{MemoryTransfer{.source = BufferId(from),
                                           .destination = BufferId(2U),
                                           .bytes = 8,
                                           .region = StridedRegion{.rows = 1, .rowBytes = 8, .destinationOffset = offset}}};
    };
    std::vector<ScheduleItem> run{{HostCallback{"make", {}, {BufferId(0U), BufferId(1U)}}},
                                  part(0, 0),
                                  part(1, 8),
                                  {MemoryTransfer{.source = BufferId(2U), .destination = BufferId(3U), .bytes = 16}}};
    ASSERT_TRUE(planSteps(schedule, std::move(run), {}));
    for (const std::uint32_t writer : {1U, 2U}) {
        ASSERT_NE(between(schedule, writer, 3), nullptr);
        EXPECT_EQ(between(schedule, writer, 3)->kind, DependencyKind::Data);
    }
    EXPECT_EQ(between(schedule, 1, 2), nullptr); // the parts do not wait for each other
}

TEST(Dependencies, letAnUpdateInPlaceWaitForEarlierReaders)
{
    TensorProgram p;
    const NodeId x = p.relu(p.input({4}));
    const NodeId seen = p.relu(x);
    const NodeId after = p.relu(seen);
    Schedule schedule;
    schedule.graph = std::make_shared<const Graph>(std::move(p).finish({after, seen}));
    schedule.devices = {{.id = "fake"}};
    const auto buffer = [](NodeId node, const char *name) {
        return ScheduledBuffer{.shape = {4}, .node = node, .name = name, .origin = originOfLine(1)};
    };
    schedule.buffers = {buffer(x, "x"), buffer(seen, "seen"), buffer(after, "after")};
    schedule.outputs = {BufferId(2U), BufferId(1U)};
    const std::vector<BufferId> state{BufferId(0U)};
    ASSERT_TRUE(planSteps(schedule,
                          {{HostCallback{"make", {}, state}},
                           {HostCallback{"look", state, {BufferId(1U)}}},
                           {HostCallback{"update", state, state}},
                           {HostCallback{"look", state, {BufferId(2U)}}}},
                          {}));
    const Dependency *const before = between(schedule, 1, 2);
    ASSERT_NE(before, nullptr);
    EXPECT_EQ(before->kind, DependencyKind::Control);
    EXPECT_EQ(before->buffers, state);
    ASSERT_NE(between(schedule, 0, 2), nullptr);
    EXPECT_EQ(between(schedule, 0, 2)->kind, DependencyKind::Data);
    ASSERT_NE(between(schedule, 2, 3), nullptr);
    EXPECT_EQ(between(schedule, 2, 3)->kind, DependencyKind::Data);
    EXPECT_EQ(between(schedule, 0, 3), nullptr); // what it reads is the updated value
    EXPECT_TRUE(verifyItems(schedule).empty()) << toText(verifyItems(schedule));
}

TEST(Dependencies, giveTheOrderOfTheListWhenThatIsOne)
{
    const Schedule schedule = twoChains();
    const auto order = executionOrder(schedule);
    ASSERT_TRUE(order);
    EXPECT_TRUE(std::ranges::is_sorted(*order));
}

TEST(Dependencies, haveNoOrderWhenTheyFormACycle)
{
    Schedule schedule = twoChains();
    schedule.dependencies.push_back({9, 6, {}, DependencyKind::Control});
    EXPECT_FALSE(executionOrder(schedule));
}

TEST(Dependencies, orderItemsByWayOfOthers)
{
    ItemOrder order(4);
    order.add(0, 1);
    order.add(1, 3);
    EXPECT_TRUE(order.isBefore(0, 3));
    EXPECT_FALSE(order.isBefore(0, 2));
    EXPECT_FALSE(order.isBefore(3, 0));
}

// Random orders against a table of all pairs; questions in any order, the same item asked about again.
TEST(Dependencies, orderItemsAsATableOfAllPairsDoes)
{
    constexpr std::uint32_t kItems = 60;
    for (std::uint32_t round = 0; round < 20; ++round) {
        std::mt19937 random(round);
        ItemOrder order(kItems);
        std::array<std::bitset<kItems>, kItems> table;
        for (std::uint32_t to = 1; to < kItems; ++to)
            for (std::uint32_t i = 0; i < random() % 4; ++i) {
                const auto from = static_cast<std::uint32_t>(random() % to);
                ASSERT_EQ(order.isBefore(from, to), table[to][from]) << round;
                order.add(from, to);
                table[to] |= table[from];
                table[to].set(from);
            }
        for (std::uint32_t i = 0; i < 3000; ++i) {
            const auto from = static_cast<std::uint32_t>(random() % kItems);
            const auto to = static_cast<std::uint32_t>(random() % kItems);
            ASSERT_EQ(order.isBefore(from, to), table[to][from]) << round << ": " << from << ", " << to;
        }
    }
}

// A table of all pairs of a million items would take 125 GB.
TEST(Dependencies, orderAMillionItemsInLittleMemory)
{
    constexpr std::uint32_t kItems = 1'000'000;
    ItemOrder order(kItems);
    for (std::uint32_t item = 1; item < kItems; ++item)
        order.add(item - 1, item);
    EXPECT_TRUE(order.isBefore(0, kItems - 1));
    EXPECT_FALSE(order.isBefore(kItems - 1, 0));
}

TEST(Dependencies, stopSearchingAtTheLimit)
{
    ItemOrder order(100, 10);
    for (std::uint32_t item = 1; item < 100; ++item)
        order.add(item - 1, item);
    EXPECT_TRUE(order.isBefore(90, 99));
    EXPECT_FALSE(order.isBefore(0, 98));
}

TEST(Dependencies, makeTheCriticalPathOfTheRun)
{
    const Schedule schedule = twoChains();
    // The chains wait for each other only for memory, so the path goes through both.
    EXPECT_EQ(schedule.criticalPath.front(), 6U);
    std::int64_t sum = 0;
    for (const std::uint32_t item : schedule.criticalPath)
        sum += schedule.items[item].nanoseconds;
    EXPECT_EQ(schedule.criticalNanoseconds, sum);
}

} // namespace
} // namespace sw
