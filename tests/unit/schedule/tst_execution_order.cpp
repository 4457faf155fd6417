// The order in which items begin: that of the list, unless devices beside the processor would wait for it.

#include "engine/schedule/execution_order.h"

#include <gtest/gtest.h>

namespace sw {
namespace {

constexpr DeviceSlot kProcessor{0U};
constexpr DeviceSlot kBeside{1U};

struct Items {
    Items() { schedule.devices = {{.id = "cpu"}, {.id = "gpu", .isBeside = true}}; }

    BufferId buffer(DeviceSlot device)
    {
        schedule.buffers.push_back({.shape = {4}, .origin = Origin(SourceId(0U)), .device = device});
        return BufferId(schedule.buffers.size() - 1);
    }
    void add(decltype(ScheduleItem::work) work, const std::vector<std::uint32_t> &after)
    {
        for (const std::uint32_t earlier : after)
            schedule.dependencies.push_back(
                {earlier, static_cast<std::uint32_t>(schedule.items.size()), {}, DependencyKind::Data});
        schedule.items.push_back({std::move(work), Phase::Run});
    }
    void kernel(DeviceSlot device, const std::vector<std::uint32_t> &after = {})
    {
        schedule.kernels.push_back({.origin = Origin(SourceId(0U)), .device = device});
        add(KernelLaunch{KernelId(schedule.kernels.size() - 1)}, after);
    }
    void copy(DeviceSlot from, DeviceSlot to, const std::vector<std::uint32_t> &after)
    {
        const BufferId source = buffer(from);
        add(MemoryTransfer{.source = source, .destination = buffer(to), .bytes = 16, .isAsynchronous = from == to}, after);
    }

    Schedule schedule;
};

using Order = std::vector<std::uint32_t>;

TEST(ExecutionOrder, givesTheOtherDeviceItsKernelsFirst)
{
    Items items;
    items.kernel(kProcessor);
    items.kernel(kBeside);
    items.copy(kBeside, kBeside, {1});
    items.kernel(kBeside, {2});
    items.kernel(kProcessor, {0});
    EXPECT_EQ(executionOrder(items.schedule).value(), (Order{1, 2, 3, 0, 4}));
}

TEST(ExecutionOrder, waitsForTheOtherDeviceLast)
{
    Items items;
    items.kernel(kBeside);
    items.copy(kBeside, kProcessor, {0});
    items.kernel(kProcessor);
    items.kernel(kProcessor, {1, 2});
    EXPECT_EQ(executionOrder(items.schedule).value(), (Order{0, 2, 1, 3}));
}

TEST(ExecutionOrder, bringsDataBeforeTheProcessorComputes)
{
    Items items;
    items.kernel(kProcessor);
    items.kernel(kProcessor, {0});
    items.copy(kProcessor, kBeside, {0});
    items.kernel(kBeside, {2});
    EXPECT_EQ(executionOrder(items.schedule).value(), (Order{0, 2, 3, 1}));
}

TEST(ExecutionOrder, isThatOfTheListOnTheProcessor)
{
    Items items;
    items.schedule.devices[1].isBeside = false;
    items.kernel(kProcessor);
    items.copy(kProcessor, kBeside, {0});
    items.kernel(kBeside, {1});
    items.kernel(kProcessor, {0});
    EXPECT_EQ(executionOrder(items.schedule).value(), (Order{0, 1, 2, 3}));
}

// A kernel that only runs when the host has seen a value of the other device makes it wait.
TEST(ExecutionOrder, readsConditionsLate)
{
    Items items;
    items.kernel(kBeside);
    items.kernel(kBeside, {0});
    items.schedule.items[1].conditions = {{items.buffer(kBeside), true}};
    items.kernel(kProcessor);
    EXPECT_EQ(executionOrder(items.schedule).value(), (Order{0, 2, 1}));
}

// Items 2 and 3 are a repeat; what its second item waits for comes before its first.
TEST(ExecutionOrder, keepsRepeatsTogether)
{
    Items items;
    items.kernel(kBeside);
    items.copy(kBeside, kProcessor, {0});
    items.kernel(kProcessor);
    items.kernel(kProcessor, {1, 2});
    items.kernel(kBeside, {2});
    items.kernel(kProcessor);
    items.schedule.repeats.push_back({.first = 2, .end = 4});
    EXPECT_EQ(executionOrder(items.schedule).value(), (Order{0, 5, 1, 2, 3, 4}));
}

} // namespace
} // namespace sw
