// Register tiles of the largest elements of windows, which read each element about once.

#include "engine/graph/builder.h"
#include "engine/loops/printer.h"
#include "engine/loops/queries.h"
#include "tests/support/one_item.h"
#include "tests/support/one_kernel.h"

#include <gtest/gtest.h>

#include <array>

namespace sw {
namespace {

class PoolsTest : public ::testing::Test, protected test::OneItem {
protected:
    // The largest of windows of 3 x 3 that move by 2, of 16 images of 111 x 111.
    SchedulePtr pool(DType dtype) const
    {
        const Origin origin(m_item);
        GraphBuilder builder(m_sources);
        const NodeId x = builder.placeholder(origin, dtype, {16, 111, 111}, {.name = "x", .initial = nullptr});
        const NodeId windows =
            builder.view(origin, x, {16, 55, 55, 3, 3}, {.strides = {111 * 111, 222, 2, 111, 1}, .offset = 0, .mask = {}})
                .value();
        const NodeId largest = builder.reduce(origin, Op::Max, windows, {3, 4}).value();
        const NodeId result = builder.reshape(origin, largest, {16, 55, 55}).value();
        Result<Graph> finished = std::move(builder).finish(origin, {result}, {"result"});
        return test::oneKernelSchedule(std::make_shared<const Graph>(std::move(*finished)));
    }

    // How many rows, of the axes before the last, a register tile has.
    std::int64_t tileRows(const SchedulePtr &schedule, std::string &text) const
    {
        const auto program = test::loopsFor(schedule, m_device, {});
        EXPECT_TRUE(program) << toText(program.error());
        const LoopNest &nest = *(*program)->nests.front();
        text = toText(nest, *schedule);
        std::int64_t rows = 1;
        for (const AxisId leaf : nest.order)
            if (nest.axes[leaf.value].type == AxisType::Upcast && unsplitAxis(nest, leaf) != nest.domain.back())
                rows *= nest.axes[leaf.value].extent;
        return rows;
    }

    DeviceInfo m_device = test::vectorDevice(1, 32);
};

// What comes from beyond the core's own cache is read along few lines at a time.
TEST_F(PoolsTest, readLongRowsOfLargeImages)
{
    m_device.cacheBytesPerCore = 512 << 10;
    const SchedulePtr schedule = pool(DType::U32);
    std::string text;
    EXPECT_EQ(tileRows(schedule, text), 1) << text;
    m_device.cacheBytesPerCore = 4 << 20;
    EXPECT_GT(tileRows(schedule, text), 1) << "the cache holds all of it: larger tiles share the loop around a step\n" << text;
}

// The next step of floats waits for the last one, that of integers does not.
TEST_F(PoolsTest, countTheLatencyOfFloats)
{
    const auto cyclesOf = [&](DType dtype) {
        std::string text;
        tileRows(pool(dtype), text);
        const std::size_t at = text.find("; about ");
        EXPECT_NE(at, std::string::npos) << text;
        return std::stoll(text.substr(at + 8));
    };
    m_device.cacheBytesPerCore = 512 << 10;
    EXPECT_LT(cyclesOf(DType::U32), cyclesOf(DType::F32));
}

} // namespace
} // namespace sw
