#include "engine/passes/schedule/block_rows.h"

#include <gtest/gtest.h>

namespace sw {
namespace {

DeviceInfo deviceWith(std::uint32_t threads)
{
    DeviceInfo device;
    device.threads = threads;
    device.cacheBytesPerCore = 1 << 20;
    device.scratchBytes = 4U << 20;
    return device;
}

// Half of the cache, and half of the memory of a work item.
TEST(BlockRows, fillAPartOfTheCache)
{
    const DeviceInfo device = deviceWith(2);
    EXPECT_EQ(blockRowsOf(device, 16 << 10, 1000, BlockOf::Rows), 20) << "a divisor near 32, in whole vectors";
    EXPECT_EQ(blockRowsOf(device, 1 << 10, 1000, BlockOf::Rows), 40) << "a divisor near 64, the most, in whole vectors";
    EXPECT_EQ(blockRowsOf(device, 80 << 10, 1000, BlockOf::Rows), 0) << "six are fewer than a register tile has";
    EXPECT_EQ(blockRowsOf(device, 80 << 10, 1000, BlockOf::PaddedImage), 1);
    EXPECT_EQ(blockRowsOf(device, 600 << 10, 1000, BlockOf::PaddedImage), 0);
}

// Eight rows, or as many as keep what is read beside them.
TEST(BlockRows, areFewWhereLittleIsReadAgain)
{
    EXPECT_EQ(leastBlockRows(100, 0), 1);
    EXPECT_EQ(leastBlockRows(100, 100), 1);
    EXPECT_EQ(leastBlockRows(100, 101), 2);
    EXPECT_EQ(leastBlockRows(100, 1e9), 8);
    EXPECT_EQ(leastBlockRows(0, 5), 5) << "rows of nothing";
    const DeviceInfo device = deviceWith(2);
    EXPECT_EQ(blockRowsOf(device, 80 << 10, 1000, BlockOf::Rows, {.least = 4}), 5) << "a divisor near 6";
    EXPECT_EQ(blockRowsOf(device, 200 << 10, 1000, BlockOf::Rows, {.least = 4}), 0);
}

// A vector that has rows of its own block only takes as long as a whole one; so does a last block of fewer rows, nearly.
TEST(BlockRows, areWholeVectors)
{
    DeviceInfo device = deviceWith(1);
    device.vectorBytes = 32;
    EXPECT_EQ(blockRowsOf(device, 1 << 10, 1000, BlockOf::Rows), 40) << "not 50, which are seven vectors of eight";
    EXPECT_EQ(blockRowsOf(device, 1 << 10, 400, BlockOf::Rows), 40) << "not 50";
    device.vectorBytes = 64;
    EXPECT_EQ(blockRowsOf(device, 1 << 10, 1000, BlockOf::Rows), 64) << "15 blocks and a rest are fewer vectors than 25 of 40";
    EXPECT_EQ(blockRowsOf(device, 1 << 10, 56, BlockOf::Rows, {.allRows = 80}), 28) << "a rest is not worth one vector";
    EXPECT_EQ(blockRowsOf(device, 20 << 10, 100, BlockOf::Rows), 25) << "too few for vectors: a divisor";
}

// Two blocks for each thread, though the cache has room for all 14 rows.
TEST(BlockRows, leaveBlocksForAllThreads)
{
    EXPECT_EQ(blockRowsOf(deviceWith(2), 16 << 10, 14, BlockOf::Rows, {.least = 1, .allRows = 14}), 2) << "a divisor near 3";
    EXPECT_EQ(blockRowsOf(deviceWith(1), 16 << 10, 14, BlockOf::Rows, {.least = 1, .allRows = 14}), 7);
    EXPECT_EQ(blockRowsOf(deviceWith(2), 16 << 10, 14, BlockOf::Rows, {.least = 8, .allRows = 14}), 7)
        << "a divisor near the least";
}

} // namespace
} // namespace sw
