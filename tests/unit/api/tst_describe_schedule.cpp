// The schedule's document: an item for each kernel, buffer, decision and step, and the memory of every device over the steps.

#include "engine/api/describe.h"
#include "tests/support/one_kernel.h"
#include "tests/unit/passes/schedule/schedule_fixture.h"

#include <algorithm>

namespace sw {
namespace {

std::string fieldOf(const DocumentItem &item, std::string_view name)
{
    const auto found = std::ranges::find(item.fields, name, &DocumentField::name);
    return found == item.fields.end() ? "(no such field)" : found->value;
}

bool hasTag(const DocumentItem &item, std::string_view tag)
{
    return std::ranges::find(item.tags, tag) != item.tags.end();
}

TEST(DescribeSchedule, hasAStepForEveryItem)
{
    const Schedule schedule = twoChains();
    const StageDocumentPtr document = describeSchedule(schedule, nullptr);
    ASSERT_EQ(document->charts.size(), 1U);
    const DocumentChart &chart = document->charts[0];
    ASSERT_EQ(chart.steps.size(), schedule.items.size());
    std::vector<std::string> labels;
    for (const ItemIndex step : chart.steps)
        labels.push_back(document->items.at(step).label);
    EXPECT_EQ(labels[0], "upload x0");
    EXPECT_EQ(labels[6], schedule.kernels[0].name);
    EXPECT_EQ(labels[10], "barrier");
    EXPECT_EQ(labels[12], "download output1");
    EXPECT_EQ(fieldOf(document->items[chart.steps[12]], "after"), schedule.kernels[3].name + ", barrier");
    EXPECT_EQ(fieldOf(document->items[chart.steps[0]], "from"), "the host");
    EXPECT_EQ(fieldOf(document->items[chart.steps[0]], "to"), "x0 on test");
    EXPECT_EQ(document->items.size(), schedule.kernels.size() + schedule.buffers.size() + schedule.decisions.size() + 6 + 1 + 2);
}

TEST(DescribeSchedule, showsWhatIsJoinedAndItsParts)
{
    TensorProgram p;
    const NodeId first = p.matmul(p.input({8, 32}), p.input({32, 64}));
    const NodeId second = p.matmul(p.input({8, 32}), p.input({32, 64}));
    const NodeId two = p.builder.cat(p.here, std::vector{first, second}, 0).value();
    const NodeId third = p.matmul(two, p.input({64, 64}));
    const NodeId whole = p.builder.cat(p.here, std::vector{first, second, third}, 0).value();
    const Schedule schedule = scheduleOf(std::move(p), {whole});
    const StageDocumentPtr document = describeSchedule(schedule, nullptr);
    const auto itemNamed = [&](const std::string &label) {
        return *std::ranges::find(document->items, label, &DocumentItem::label);
    };
    const DocumentItem join = itemNamed("join output");
    EXPECT_TRUE(hasTag(join, "join"));
    EXPECT_FALSE(hasTag(join, "step")) << "it stands among the kernels";
    EXPECT_EQ(join.node, whole.value) << "why it is so is why the whole is";
    EXPECT_EQ(fieldOf(join, "moves"), "nothing: the parts are stored where they lie in output");
    const ScheduledBuffer &inner = schedule.buffer(schedule.bufferOf(two));
    EXPECT_EQ(fieldOf(itemNamed(inner.name), "part of"), "output, from byte 0");
    // What lies inside of another one is drawn above it.
    const auto barOf = [&](BufferId id) {
        return std::ranges::find(document->charts[0].bars, schedule.kernels.size() + id.value, &DocumentBar::item);
    };
    const BufferId part = schedule.kernels[1].writes[0];
    EXPECT_LT(barOf(schedule.bufferOf(whole)), barOf(schedule.bufferOf(two)));
    EXPECT_LT(barOf(schedule.bufferOf(two)), barOf(part)) << "though it has been made before";
    EXPECT_LT(part, schedule.bufferOf(two));
}

TEST(DescribeSchedule, saysWhereThingsAreOnSeveralDevices)
{
    Schedule schedule = twoChains();
    EXPECT_EQ(describeSchedule(schedule, nullptr)->items[0].detail.find(" on "), std::string::npos);
    schedule.devices.push_back({.id = "other"});
    const std::size_t last = schedule.kernels.size() - 1;
    schedule.kernels[last].device = DeviceSlot(1U);
    const StageDocumentPtr document = describeSchedule(schedule, nullptr);
    EXPECT_TRUE(document->items[0].detail.ends_with("on test")) << document->items[0].detail;
    EXPECT_TRUE(document->items[last].detail.ends_with("on other")) << document->items[last].detail;
}

TEST(DescribeSchedule, estimatesByTheFiguresThatAreKnown)
{
    const Schedule schedule = twoChains();
    const StageDocumentPtr assumed = describeSchedule(schedule, nullptr);
    const std::vector<DeviceFigures> figures{{.rates = {.launchNanoseconds = 5e6}, .measuredOn = "2026-11-22"}};
    const StageDocumentPtr measured = describeSchedule(schedule, nullptr, figures);
    EXPECT_EQ(fieldOf(assumed->items[0], "estimated by"), "assumed: 10 GB/s, 50 GFLOP/s, copies 8 GB/s, launch 1000 ns");
    EXPECT_EQ(fieldOf(measured->items[0], "estimated by"),
              "measured on this machine, 2026-11-22: 10 GB/s, 50 GFLOP/s, copies 8 GB/s, launch 5000000 ns");
    EXPECT_NE(fieldOf(assumed->items[0], "estimate"), fieldOf(measured->items[0], "estimate"));
    const ItemIndex upload = measured->charts[0].steps[0];
    EXPECT_NE(fieldOf(assumed->items[upload], "estimate"), fieldOf(measured->items[upload], "estimate"));
    ASSERT_EQ(assumed->lines.size(), measured->lines.size());
    for (std::size_t i = 0; i < assumed->lines.size(); ++i)
        EXPECT_EQ(assumed->lines[i].text, measured->lines[i].text) << "the text is the same on every machine";
}

TEST(DescribeSchedule, marksTheCriticalPath)
{
    const Schedule schedule = twoChains();
    const StageDocumentPtr document = describeSchedule(schedule, nullptr);
    for (std::uint32_t step = 0; step < schedule.items.size(); ++step) {
        const bool isCritical = std::ranges::find(schedule.criticalPath, step) != schedule.criticalPath.end();
        EXPECT_EQ(hasTag(document->items[document->charts[0].steps[step]], "critical"), isCritical) << step;
    }
}

TEST(DescribeSchedule, saysWhichKernelsRunOnce)
{
    Schedule schedule = twoChains();
    schedule.items[6].phase = Phase::Load;
    const StageDocumentPtr document = describeSchedule(schedule, nullptr);
    EXPECT_EQ(fieldOf(document->items[0], "runs"), "once, when the program is loaded");
    EXPECT_EQ(fieldOf(document->items[1], "runs"), "(no such field)");
}

TEST(DescribeSchedule, linesBelongToTheirSteps)
{
    const StageDocumentPtr document = describeSchedule(twoChains(), nullptr);
    std::size_t found = 0;
    for (const DocumentLine &line : document->lines)
        if (line.text.starts_with("item ")) {
            ASSERT_LT(line.item, document->items.size());
            EXPECT_EQ(line.item, document->charts[0].steps.at(found));
            ++found;
        }
    EXPECT_EQ(found, document->charts[0].steps.size());
}

TEST(DescribeSchedule, drawsThePlanOfTheMemory)
{
    const Schedule schedule = twoChains();
    const StageDocumentPtr document = describeSchedule(schedule, nullptr);
    const DocumentChart &chart = document->charts[0];
    EXPECT_EQ(chart.height, schedule.devices[0].arenaBytes);
    EXPECT_EQ(chart.bars.size(), schedule.buffers.size());
    for (const DocumentBar &bar : chart.bars) {
        const DocumentItem &item = document->items.at(bar.item);
        const auto buffer = std::ranges::find(schedule.buffers, item.label, &ScheduledBuffer::name);
        ASSERT_NE(buffer, schedule.buffers.end());
        EXPECT_EQ(bar.firstStep, buffer->firstItem);
        EXPECT_EQ(bar.lastStep, buffer->lastItem);
        EXPECT_EQ(bar.from, buffer->arenaOffset);
        EXPECT_EQ(bar.to, buffer->arenaOffset + buffer->bytes());
        EXPECT_EQ(bar.to <= chart.held, buffer->role == BufferRole::Input);
    }
    const DocumentItem &inner = document->items[ScheduleItems(schedule).buffer(schedule.kernels[0].writes[0])];
    EXPECT_EQ(fieldOf(inner, "shares memory with"), schedule.buffer(schedule.kernels[2].writes[0]).name);
    EXPECT_EQ(fieldOf(inner, "layout"), "strides 48, 1; contiguous along axis 1; 4 at once");
}

TEST(DescribeSchedule, linksWhatMovesValuesAndNotTheOtherSteps)
{
    const Schedule schedule = twoChains();
    const StageDocumentPtr document = describeSchedule(schedule, nullptr);
    for (const DocumentEdge &edge : document->edges) {
        EXPECT_FALSE(hasTag(document->items[edge.from], "step"));
        EXPECT_FALSE(hasTag(document->items[edge.to], "step"));
    }
    for (const ItemIndex step : document->charts[0].steps)
        EXPECT_NE(hasTag(document->items[step], "step"), hasTag(document->items[step], "kernel"));
}

TEST(DescribeSchedule, tellsWhatTheLoopsMadeOfTheAxes)
{
    TensorProgram p;
    const NodeId out = p.relu(p.input({64, 1024}));
    const auto graph = std::make_shared<const Graph>(std::move(p).finish({out}));
    const SchedulePtr schedule = test::oneKernelSchedule(graph);
    const auto loops = test::loopsFor(schedule, test::vectorDevice(4, 64), {});
    ASSERT_TRUE(loops) << toText(loops.error());
    const DocumentItem without = describeSchedule(*schedule, nullptr)->items.front();
    const DocumentItem with = describeSchedule(*schedule, loops->get())->items.front();
    EXPECT_EQ(fieldOf(without, "mapping"), "(no such field)");
    EXPECT_NE(fieldOf(with, "mapping").find("vector"), std::string::npos) << fieldOf(with, "mapping");
}

} // namespace
} // namespace sw
