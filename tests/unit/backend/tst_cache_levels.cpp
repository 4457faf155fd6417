// What Linux tells of a processor's caches, and what a device says of them.

#include "engine/backend/cpu/cache_levels.h"
#include "engine/backend/cpu/cpu_device.h"
#include "engine/base/text.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace sw {
namespace {

class CacheLevelsTest : public testing::Test {
protected:
    CacheLevelsTest()
    {
        const testing::TestInfo *info = testing::UnitTest::GetInstance()->current_test_info();
        m_folder = std::filesystem::temp_directory_path() / format("stepwell_caches_{}_{}", info->name(), getpid());
        std::filesystem::remove_all(m_folder);
    }
    ~CacheLevelsTest() override { std::filesystem::remove_all(m_folder); }

    void write(const std::string &file, const std::string &text) const
    {
        const std::filesystem::path path = m_folder / file;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path) << text << "\n";
    }
    void plant(int index, const CacheLevel &level, const std::string &type, const std::string &processors) const
    {
        const std::string cache = format("index{}/", index);
        write(cache + "level", level.name.substr(1));
        write(cache + "type", type);
        write(cache + "size", format("{}K", level.bytes >> 10));
        write(cache + "shared_cpu_list", processors);
        if (level.ways > 0)
            write(cache + "ways_of_associativity", format("{}", level.ways));
    }

    std::filesystem::path m_folder;
};

DeviceInfo deviceWith(const std::vector<CacheLevel> &levels)
{
    DeviceInfo device;
    takeCaches(device, levels);
    return device;
}

TEST_F(CacheLevelsTest, areReadOfAProcessor)
{
    const std::vector<CacheLevel> expected{{"L1", 48 << 10, 2, 12}, {"L2", 2 << 20, 2, 16}, {"L3", 32 << 20, 8, 0}};
    plant(0, expected[0], "Data", "0,8");
    plant(1, {"L1", 32 << 10, 2, 8}, "Instruction", "0,8");
    plant(2, expected[1], "Unified", "0,8");
    plant(3, expected[2], "Unified", "0-3,8-11");
    plant(4, {"L4", 0, 2, 0}, "Unified", "0,8");
    EXPECT_EQ(cacheLevels(m_folder.string()), expected);
    write("index3/size", "32M");
    EXPECT_EQ(cacheLevels(m_folder.string()), expected);
    EXPECT_TRUE(cacheLevels("/nowhere").empty());
}

TEST(CacheLevels, becomeFactsOfADevice)
{
    const DeviceInfo device = deviceWith({{"L1", 48 << 10, 1, 12}, {"L2", 1280 << 10, 1, 20}, {"L3", 8 << 20, 8, 16}});
    EXPECT_EQ(device.firstLevelBytes, 48 << 10);
    EXPECT_EQ(device.firstLevelWays, 12U);
    EXPECT_EQ(wayBytesOf(device), 4096);
    EXPECT_EQ(device.cacheBytesPerCore, 1280 << 10);
    EXPECT_EQ(device.sharedCacheBytes, 8 << 20);
}

// A virtual machine is told of all of a socket's.
TEST(CacheLevels, countOnAPartOfALargeSharedOne)
{
    const DeviceInfo device = deviceWith({{"L1", 48 << 10, 1, 12}, {"L2", 2 << 20, 1, 16}, {"L3", 300 << 20, 2, 20}});
    EXPECT_EQ(device.sharedCacheBytes, 16 << 20);
}

TEST(CacheLevels, mayHaveNoSharedOne)
{
    const DeviceInfo device = deviceWith({{"L1", 32 << 10, 1, 8}, {"L2", 512 << 10, 4, 16}});
    EXPECT_EQ(device.cacheBytesPerCore, 512 << 10);
    EXPECT_EQ(device.sharedCacheBytes, 0);
}

TEST(CacheLevels, areTheUsualOnesWhereNothingIsTold)
{
    EXPECT_EQ(deviceWith({}), DeviceInfo());
    EXPECT_EQ(DeviceInfo().sharedCacheBytes, 8 * DeviceInfo().cacheBytesPerCore);
    EXPECT_EQ(deviceWith({{"L1", 64 << 10, 1, 0}, {"L2", 1 << 20, 1, 16}}).firstLevelWays, 8U);
    const DeviceInfo odd = deviceWith({{"L1", 40'000, 1, 12}, {"L2", 1 << 20, 1, 16}}); // no whole sets
    EXPECT_EQ(odd.firstLevelBytes, 32 << 10);
    EXPECT_EQ(odd.firstLevelWays, 8U);
}

TEST(CacheLevels, ofThisMachineArePlausible)
{
    const DeviceInfo device = cpuDevice("llvm", "LLVM");
    ASSERT_GT(device.firstLevelWays, 0U);
    EXPECT_EQ(device.firstLevelBytes % (device.firstLevelWays * kCacheLineBytes), 0);
    EXPECT_GT(device.firstLevelBytes, 0);
    EXPECT_LE(device.firstLevelBytes, device.cacheBytesPerCore);
    EXPECT_TRUE(device.sharedCacheBytes == 0 || device.sharedCacheBytes >= device.cacheBytesPerCore) << device.sharedCacheBytes;
    EXPECT_LE(device.sharedCacheBytes, 8 * device.cacheBytesPerCore);
}

} // namespace
} // namespace sw
