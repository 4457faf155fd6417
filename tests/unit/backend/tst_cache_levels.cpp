// What Linux tells of a processor's caches.

#include "engine/backend/cpu/cache_levels.h"
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

} // namespace
} // namespace sw
