#include "engine/execute/memory_limit.h"

#include "tests/unit/graph/graph_fixture.h"

#include <gtest/gtest.h>

namespace sw {
namespace {

Graph sumOfTwo(const Shape &shape)
{
    TestGraph made;
    const NodeId x = made.input(DType::F32, shape, "x");
    return made.finish({made.apply(Op::Add, {x, made.input(DType::F32, {1}, "y")})});
}

TEST(MemoryLimit, countsInputsAndOutputsTwice)
{
    const Graph graph = sumOfTwo({1000});
    EXPECT_TRUE(checkInputsFit(graph, 2 * (4000 + 4 + 4000)));
    const auto refused = checkInputsFit(graph, 2 * (4000 + 4 + 4000) - 1);
    ASSERT_FALSE(refused);
    const Diagnostic &problem = refused.error().front();
    EXPECT_EQ(problem.code, Code::Limit);
    EXPECT_EQ(problem.where.line, 1U);
    EXPECT_EQ(problem.message, "the program takes 16008 bytes, and there are 16007 bytes of memory; the most, 4000 bytes, is for "
                               "input \"x\": f32[1000]");
}

TEST(MemoryLimit, addsUpSizesThatOverflow)
{
    const Graph graph = sumOfTwo({std::int64_t{1} << 38});
    EXPECT_FALSE(checkInputsFit(graph, std::int64_t{1} << 40));
}

TEST(MemoryLimit, countsArenasAndWhatTheHostHas)
{
    Schedule schedule;
    schedule.graph = std::make_shared<const Graph>(sumOfTwo({1000}));
    schedule.buffers = {
        {.role = BufferRole::Input, .shape = {1000}, .node = NodeId(0U), .name = "x", .origin = originOfLine(1)},
        {.role = BufferRole::Intermediate, .shape = {1000}, .node = NodeId(3U), .name = "t", .origin = originOfLine(1)}};
    schedule.devices = {{.id = "a", .arenaBytes = 4500}, {.id = "b", .arenaBytes = 64}};
    const std::vector both{DeviceSlot(0U), DeviceSlot(1U)};
    EXPECT_TRUE(checkBuffersFit(schedule, both, 8564));
    EXPECT_FALSE(checkBuffersFit(schedule, both, 8563));
    EXPECT_TRUE(checkBuffersFit(schedule, std::span(both).first(1), 8500));
}

TEST(MemoryLimit, knowsTheMachine)
{
    EXPECT_GT(memoryBytes(), std::int64_t{1} << 20);
}

} // namespace
} // namespace sw
