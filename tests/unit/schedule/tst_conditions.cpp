// Items that depend on conditions: the schedule of choices, and what the verifier refuses.

#include "engine/schedule/conditions.h"
#include "tests/unit/passes/schedule/schedule_fixture.h"

#include <algorithm>

namespace sw {

namespace {

using Conditions = std::vector<ItemCondition>;

const ItemCondition kC{BufferId(1U), true};
const ItemCondition kNotC{BufferId(1U), false};
const ItemCondition kD{BufferId(2U), true};
const ItemCondition kNotD{BufferId(2U), false};

bool isWritten(const std::vector<Conditions> &writers, const Conditions &conditions)
{
    return isAlwaysWritten(writers, conditions);
}

TEST(Conditions, areMetByOneOfSeveralWritersInEachRun)
{
    EXPECT_TRUE(isWritten({{}}, {}));
    EXPECT_TRUE(isWritten({{kC}}, {kC}));
    EXPECT_TRUE(isWritten({{kC}}, {kD, kC}));
    EXPECT_FALSE(isWritten({{kC}}, {}));
    EXPECT_FALSE(isWritten({{kC}}, {kNotC}));
    EXPECT_TRUE(isWritten({{kC}, {kNotC}}, {}));
    EXPECT_FALSE(isWritten({{kC}, {kD}}, {}));
    EXPECT_TRUE(isWritten({{kC, kD}, {kC, kNotD}}, {kC}));
    EXPECT_FALSE(isWritten({{kC, kD}, {kC, kNotD}}, {}));
    EXPECT_TRUE(isWritten({{kC, kD}, {kC, kNotD}, {kNotC}}, {}));
    EXPECT_TRUE(isWritten({{kC}}, {kD, kNotD})); // never
}

// choose(c, x @ v @ v, x @ w)
Schedule ofChoice()
{
    TensorProgram p;
    const NodeId c = p.input({}, DType::Bool);
    const NodeId x = p.input({64, 64});
    const NodeId v = p.input({64, 64});
    const NodeId yes = p.matmul(p.matmul(x, v), v);
    const NodeId no = p.matmul(x, p.input({64, 64}));
    const NodeId chosen = p.builder.choose(p.here, c, yes, no).value();
    return scheduleOf(std::move(p), {p.relu(chosen)});
}

// The items of one branch, in order.
std::vector<std::uint32_t> itemsOf(const Schedule &schedule, bool wanted)
{
    std::vector<std::uint32_t> items;
    for (std::uint32_t i = 0; i < schedule.items.size(); ++i)
        if (schedule.items[i].conditions.size() == 1 && schedule.items[i].conditions.front().wanted == wanted)
            items.push_back(i);
    return items;
}

void expectRefused(const Schedule &schedule, std::string_view part)
{
    const Result<Done> verified = verifySchedule(schedule);
    ASSERT_FALSE(verified);
    EXPECT_NE(toText(verified.error()).find(part), std::string::npos) << toText(verified.error());
}

TEST(Conditions, guardTheKernelsOfABranchAndTheCopyOfItsResult)
{
    const Schedule schedule = ofChoice();
    const Result<Done> verified = verifySchedule(schedule);
    EXPECT_TRUE(verified) << toText(verified.error());
    EXPECT_EQ(itemsOf(schedule, true).size(), 3U);
    EXPECT_EQ(itemsOf(schedule, false).size(), 2U);
    const std::string text = printSchedule(schedule).text;
    EXPECT_NE(text.find("only when b0 is true\n"), std::string::npos) << text;
    EXPECT_NE(text.find("only when b0 is false\n"), std::string::npos) << text;
}

TEST(Conditions, makeItemsWaitForThem)
{
    const Schedule schedule = ofChoice();
    const auto isLoad = [&](std::uint32_t item) {
        const ItemUses uses = usesOf(schedule, schedule.items[item]);
        return std::ranges::find(uses.writes, BufferId(0U)) != uses.writes.end();
    };
    for (const std::uint32_t item : itemsOf(schedule, true))
        EXPECT_TRUE(std::ranges::any_of(schedule.dependencies,
                                        [&](const Dependency &one) { return one.to == item && isLoad(one.from); }));
}

TEST(Conditions, rejectAReadOfWhatAnotherBranchWrites)
{
    Schedule schedule = ofChoice();
    schedule.items[itemsOf(schedule, true).back()].conditions.clear();
    expectRefused(schedule, "which is written only where b0 is true");
}

TEST(Conditions, rejectAChoiceThatIsNotAlwaysMade)
{
    Schedule schedule = ofChoice();
    schedule.items[itemsOf(schedule, false).back()].conditions.front().wanted = true;
    expectRefused(schedule, "written only where b0 is true, or b0 is true");
}

TEST(Conditions, rejectABufferThatIsNoBool)
{
    Schedule schedule = ofChoice();
    for (const std::uint32_t item : itemsOf(schedule, true))
        schedule.items[item].conditions.front().buffer = BufferId(1U);
    expectRefused(schedule, "which is f32[64, 64], expected one bool");
}

TEST(Conditions, rejectABufferThatDoesNotExist)
{
    Schedule schedule = ofChoice();
    schedule.items[itemsOf(schedule, true).front()].conditions.front().buffer = BufferId(99U);
    expectRefused(schedule, "names a kernel, buffers, devices or an earlier item that do not exist");
}

TEST(Conditions, rejectThemOutsideOfTheRun)
{
    Schedule schedule = ofChoice();
    schedule.items.front().conditions = {{BufferId(0U), true}};
    expectRefused(schedule, "depends on a condition");
}

} // namespace

} // namespace sw
