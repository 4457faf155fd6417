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
    // The largest of windows of 3 x 3 that move by 2: so many of images, rows and columns.
    SchedulePtr pool(DType dtype, std::int64_t images = 16, std::int64_t rows = 55, std::int64_t columns = 55) const
    {
        const Origin origin(m_item);
        GraphBuilder builder(m_sources);
        const std::int64_t down = 2 * rows + 1;
        const std::int64_t across = 2 * columns + 1;
        const NodeId x = builder.placeholder(origin, dtype, {images, down, across}, {.name = "x", .initial = nullptr});
        const NodeId windows = builder
                                   .view(origin, x, {images, rows, columns, 3, 3},
                                         {.strides = {down * across, 2 * across, 2, across, 1}, .offset = 0, .mask = {}})
                                   .value();
        const NodeId largest = builder.reduce(origin, Op::Max, windows, {3, 4}).value();
        const NodeId result = builder.reshape(origin, largest, {images, rows, columns}).value();
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

    // What the tile is estimated to take, in thousands where it is more.
    std::int64_t cyclesOf(const SchedulePtr &schedule) const
    {
        std::string text;
        tileRows(schedule, text);
        const std::size_t at = text.find("; about ");
        EXPECT_NE(at, std::string::npos) << text;
        return at == std::string::npos ? 0 : std::stoll(text.substr(at + 8));
    }

    DeviceInfo m_device = test::vectorDevice(1, 32);
};

// What comes from beyond the core's own cache is read along few lines at a time.
TEST_F(PoolsTest, readLongRowsOfLargeImages)
{
    test::setCaches(m_device, 512 << 10);
    const SchedulePtr schedule = pool(DType::U32);
    std::string text;
    EXPECT_EQ(tileRows(schedule, text), 1) << text;
    EXPECT_EQ(text.find("neighbouring rows"), std::string::npos) << text;
    test::setCaches(m_device, 4 << 20);
    EXPECT_GT(tileRows(schedule, text), 1) << "the cache holds all of it: larger tiles share the loop around a step\n" << text;
    EXPECT_NE(text.find("neighbouring rows"), std::string::npos) << "and vectors of rows that more than one window has\n" << text;
}

// The lanes of a vector that lie two apart take one shuffle, and two where a shuffle of two vectors stays within their halves.
TEST_F(PoolsTest, countTheShufflesOfSpreadLoads)
{
    test::setCaches(m_device, 4 << 20);
    const SchedulePtr schedule = pool(DType::U32);
    m_device.vectorBytes = 64;
    const std::int64_t wide = cyclesOf(schedule);
    m_device.vectorBytes = 32;
    EXPECT_GT(cyclesOf(schedule), 2 * wide) << "twice the vectors, and each takes longer";
}

// The next step of floats waits for the last one, that of integers does not.
TEST_F(PoolsTest, countTheLatencyOfFloats)
{
    EXPECT_LT(cyclesOf(pool(DType::U32, 1, 1, 8)), cyclesOf(pool(DType::F32, 1, 1, 8))) << "one vector";
}

} // namespace
} // namespace sw
