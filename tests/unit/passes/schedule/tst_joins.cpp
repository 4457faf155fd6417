// Values that are joined without a copy: which cats are, where their parts lie, and how long.

#include "engine/passes/schedule/joins.h"
#include "tests/unit/passes/schedule/schedule_fixture.h"

#include <algorithm>
#include <array>

namespace sw {

namespace {

NodeId catOf(TensorProgram &p, std::vector<NodeId> parts, std::size_t axis = 0)
{
    return p.builder.cat(p.here, parts, axis).value();
}

// [rows, 64]: a product, which is stored.
NodeId productOf(TensorProgram &p, std::int64_t rows)
{
    return p.matmul(p.input({rows, 32}), p.input({32, 64}));
}

std::vector<Join> joinsOf(const Schedule &schedule)
{
    std::vector<Join> joins;
    for (const ScheduleItem &item : schedule.items)
        if (const auto *join = std::get_if<Join>(&item.work))
            joins.push_back(*join);
    return joins;
}

// A product is a reshape of the sum that is stored.
BufferId idOf(const Schedule &schedule, NodeId node)
{
    while (schedule.graph->node(node).kind == NodeKind::Reshape)
        node = schedule.graph->node(node).inputs[0];
    return schedule.bufferOf(node);
}

const ScheduledBuffer &bufferOf(const Schedule &schedule, NodeId node)
{
    return schedule.buffer(idOf(schedule, node));
}

constexpr std::int64_t kRowBytes = 64 * 4;

TEST(Joins, partsAreStoredWhereTheyLieInTheWhole)
{
    TensorProgram p;
    const NodeId first = p.relu(productOf(p, 8));
    const NodeId second = productOf(p, 24);
    const NodeId whole = catOf(p, {first, second});
    const NodeId out = p.matmul(whole, p.input({64, 16}));
    const Schedule schedule = scheduleOf(std::move(p), {out});
    EXPECT_EQ(schedule.kernels.size(), 3U) << printSchedule(schedule).text;
    EXPECT_FALSE(schedule.kernelOf(whole).isValid());
    const std::vector<Join> joins = joinsOf(schedule);
    ASSERT_EQ(joins.size(), 1U);
    EXPECT_EQ(joins[0].whole, idOf(schedule, whole));
    EXPECT_EQ(joins[0].parts, (std::vector{idOf(schedule, first), idOf(schedule, second)}));
    EXPECT_EQ(bufferOf(schedule, first).partOf, (PartOfBuffer{idOf(schedule, whole), 0}));
    EXPECT_EQ(bufferOf(schedule, second).partOf, (PartOfBuffer{idOf(schedule, whole), 8 * kRowBytes}));
    EXPECT_EQ(bufferOf(schedule, second).arenaOffset, bufferOf(schedule, whole).arenaOffset + 8 * kRowBytes);
    EXPECT_LE(bufferOf(schedule, whole).firstItem, bufferOf(schedule, first).firstItem);
    // All of them live at once when the last kernel runs, and parts take no memory of their own.
    std::int64_t together = 0;
    for (const ScheduledBuffer &buffer : schedule.buffers)
        together += buffer.partOf ? 0 : buffer.bytes();
    EXPECT_EQ(schedule.devices[0].peakBytes, together);
    EXPECT_LT(schedule.devices[0].arenaBytes, together + static_cast<std::int64_t>(64 * schedule.buffers.size()));
    const FusionDecision *decision = decisionOn(schedule, bufferOf(schedule, second).node, whole);
    ASSERT_NE(decision, nullptr);
    EXPECT_EQ(decision->rule, "join");
    EXPECT_EQ(decision->bytesSaved, 0) << "fusing them would save nothing more";
}

TEST(Joins, theReaderOfTheWholeWaitsForAllParts)
{
    TensorProgram p;
    const NodeId first = productOf(p, 8);
    const NodeId second = productOf(p, 24);
    const NodeId whole = catOf(p, {first, second});
    const NodeId out = p.matmul(whole, p.input({64, 16}));
    const Schedule schedule = scheduleOf(std::move(p), {out});
    std::vector<std::uint32_t> parts;
    std::uint32_t join = 0;
    std::uint32_t reader = 0;
    for (std::uint32_t i = 0; i < schedule.items.size(); ++i) {
        const KernelId kernel = schedule.items[i].kernel();
        if (std::holds_alternative<Join>(schedule.items[i].work))
            join = i;
        else if (kernel.isValid() && kernel == schedule.kernelOf(bufferOf(schedule, out).node))
            reader = i;
        else if (kernel.isValid())
            parts.push_back(i);
    }
    const auto waits = [&](std::uint32_t from, std::uint32_t to) {
        return std::ranges::any_of(schedule.dependencies, [&](const Dependency &one) {
            return one.from == from && one.to == to && one.kind == DependencyKind::Data;
        });
    };
    ASSERT_EQ(parts.size(), 2U);
    EXPECT_TRUE(waits(parts[0], join) && waits(parts[1], join) && waits(join, reader)) << printSchedule(schedule).text;
}

// As in a dense block that joins what it has with what is new: each whole is a part of the next one.
TEST(Joins, aWholeIsAPartOfTheNextOne)
{
    TensorProgram p;
    const NodeId a = productOf(p, 8);
    const NodeId b = productOf(p, 8);
    const NodeId inner = catOf(p, {a, b});
    const NodeId c = p.matmul(p.reshape(inner, {8, 128}), p.input({128, 64}));
    const NodeId outer = catOf(p, {inner, c});
    const NodeId out = p.matmul(p.reshape(outer, {8, 192}), p.input({192, 16}));
    const Schedule schedule = scheduleOf(std::move(p), {out});
    EXPECT_EQ(schedule.kernels.size(), 4U) << printSchedule(schedule).text;
    EXPECT_EQ(joinsOf(schedule).size(), 2U);
    EXPECT_EQ(schedule.rootOf(idOf(schedule, b)), idOf(schedule, outer));
    EXPECT_EQ(bufferOf(schedule, b).arenaOffset, bufferOf(schedule, outer).arenaOffset + 8 * kRowBytes);
    EXPECT_EQ(bufferOf(schedule, c).arenaOffset, bufferOf(schedule, outer).arenaOffset + 16 * kRowBytes);
    EXPECT_LE(bufferOf(schedule, outer).firstItem, bufferOf(schedule, a).firstItem);
}

// As in a dense block that joins all that it has each time: what an earlier one joins lies side by side in the last one.
TEST(Joins, earlierWholesLieInTheLastOne)
{
    TensorProgram p;
    const NodeId a = productOf(p, 8);
    const NodeId b = productOf(p, 8);
    const NodeId two = catOf(p, {a, b});
    const NodeId c = p.matmul(p.reshape(two, {8, 128}), p.input({128, 64}));
    const NodeId three = catOf(p, {a, b, c});
    const NodeId out = p.matmul(p.reshape(three, {8, 192}), p.input({192, 16}));
    const Schedule schedule = scheduleOf(std::move(p), {out});
    EXPECT_EQ(schedule.kernels.size(), 4U) << printSchedule(schedule).text;
    EXPECT_EQ(bufferOf(schedule, two).partOf, (PartOfBuffer{idOf(schedule, three), 0}));
    EXPECT_EQ(bufferOf(schedule, b).partOf, (PartOfBuffer{idOf(schedule, three), 8 * kRowBytes}));
}

TEST(Joins, aValueHasOnePlace)
{
    TensorProgram p;
    const NodeId a = productOf(p, 8);
    const NodeId b = productOf(p, 8);
    const NodeId there = catOf(p, {a, b});
    const NodeId back = catOf(p, {b, a});
    const NodeId out =
        p.matmul(p.reshape(catOf(p, {p.matmul(there, p.input({64, 64})), p.matmul(back, p.input({64, 64}))}), {8, 256}),
                 p.input({256, 16}));
    const Schedule schedule = scheduleOf(std::move(p), {out});
    EXPECT_TRUE(schedule.kernelOf(there).isValid()) << "its parts lie in the other one";
    EXPECT_FALSE(schedule.kernelOf(back).isValid());
}

TEST(Joins, outputsAreJoinedToo)
{
    TensorProgram p;
    const NodeId first = productOf(p, 8);
    const NodeId whole = catOf(p, {first, productOf(p, 24)});
    const Schedule schedule = scheduleOf(std::move(p), {whole, first});
    EXPECT_EQ(schedule.kernels.size(), 2U) << printSchedule(schedule).text;
    EXPECT_EQ(bufferOf(schedule, whole).role, BufferRole::Output);
    EXPECT_TRUE(bufferOf(schedule, first).partOf);
}

struct Refusal {
    const char *name;
    NodeId (*make)(TensorProgram &p);
};

constexpr Refusal kRefusals[] = {
    {"rows that take turns", [](TensorProgram &p) { return catOf(p, {productOf(p, 8), productOf(p, 8)}, 1); }},
    {"an input", [](TensorProgram &p) { return catOf(p, {productOf(p, 8), p.input({8, 64})}); }},
    {"a part twice",
     [](TensorProgram &p) {
         const NodeId part = productOf(p, 8);
         return catOf(p, {part, part});
     }},
    {"a part of another order",
     [](TensorProgram &p) { return catOf(p, {p.permute(productOf(p, 64), {1, 0}), productOf(p, 8)}); }},
    {"a part of a part",
     [](TensorProgram &p) {
         return catOf(p, {p.builder.shrink(p.here, productOf(p, 16), {{0, 0}, {8, 64}}).value(), productOf(p, 8)});
     }},
    {"a place that is no multiple of the alignment",
     [](TensorProgram &p) {
         return catOf(p, {p.matmul(p.input({3, 32}), p.input({32, 5})), p.matmul(p.input({8, 32}), p.input({32, 5}))});
     }},
    {"what is cheap to compute", [](TensorProgram &p) { return catOf(p, {p.relu(p.input({8, 64})), p.relu(p.input({8, 64}))}); }},
    {"mostly what is cheap to compute", [](TensorProgram &p) { return catOf(p, {productOf(p, 8), p.relu(p.input({24, 64}))}); }},
};

class JoinsRefused : public testing::TestWithParam<Refusal> {};

TEST_P(JoinsRefused, hasAKernel)
{
    TensorProgram p;
    const NodeId whole = GetParam().make(p);
    const Schedule schedule = scheduleOf(std::move(p), {whole});
    EXPECT_TRUE(schedule.kernelOf(whole).isValid()) << printSchedule(schedule).text;
    EXPECT_TRUE(joinsOf(schedule).empty());
    for (const ScheduledBuffer &buffer : schedule.buffers)
        EXPECT_FALSE(buffer.partOf);
}

INSTANTIATE_TEST_SUITE_P(Joins, JoinsRefused, testing::ValuesIn(kRefusals),
                         [](const auto &info) { return identifierText(info.param.name); });

// [8, 64] and [8, 64] -> [16, 64], which a product reads.
struct TwoParts {
    TensorProgram p;
    NodeId whole = catOf(p, {productOf(p, 8), productOf(p, 8)});
    NodeId out = p.matmul(whole, p.input({64, 16}));
};

TEST(Joins, withoutFusionEveryNodeHasAKernel)
{
    TwoParts made;
    const Schedule schedule = scheduleOf(std::move(made.p), {made.out}, {.fuse = false});
    EXPECT_TRUE(schedule.kernelOf(made.whole).isValid());
}

// What people write may go in circles.
TEST(Joins, nothingLiesInItself)
{
    const std::vector<NodeId> nodes{NodeId(0U), NodeId(1U), NodeId(2U), NodeId(3U)};
    constexpr std::array<std::int64_t, 2> kOffsets{0, 64};
    Joins joins;
    EXPECT_TRUE(joins.join(nodes[0], {nodes[1], nodes[2]}, kOffsets));
    EXPECT_FALSE(joins.join(nodes[0], {nodes[1], nodes[2]}, kOffsets));
    EXPECT_FALSE(joins.join(nodes[1], {nodes[0], nodes[3]}, kOffsets));
    EXPECT_EQ(joins.wholes(), std::vector{nodes[0]});
}

// Each join is a rewrite, the last one first.
TEST(Joins, areMadeOneByOne)
{
    TwoParts made;
    const auto graph = std::make_shared<const Graph>(std::move(made.p).finish({made.out}));
    EXPECT_TRUE(trySchedule(graph, {}, 0).value().kernelOf(made.whole).isValid());
    EXPECT_FALSE(trySchedule(graph, {}, 1).value().kernelOf(made.whole).isValid());
}

} // namespace

} // namespace sw
