#include "engine/base/whole_file.h"

#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>

namespace sw {
namespace {

class WholeFile : public testing::Test {
protected:
    WholeFile()
    {
        const testing::TestInfo *info = testing::UnitTest::GetInstance()->current_test_info();
        m_folder = std::filesystem::temp_directory_path() / (std::string("stepwell_whole_file_") + info->name());
        std::filesystem::remove_all(m_folder);
        std::filesystem::create_directories(m_folder);
    }
    ~WholeFile() override { std::filesystem::remove_all(m_folder); }

    [[nodiscard]] static std::string textOf(const std::filesystem::path &file)
    {
        std::ifstream stream(file, std::ios::binary);
        return {std::istreambuf_iterator<char>(stream), {}};
    }

    [[nodiscard]] std::ptrdiff_t filesInFolder() const
    {
        return std::distance(std::filesystem::directory_iterator(m_folder), std::filesystem::directory_iterator());
    }

    std::filesystem::path m_folder;
};

// Files may grow to so many bytes; a longer write is cut short, and the next one fails.
class SizeLimit {
public:
    explicit SizeLimit(rlim_t bytes) : m_handler(std::signal(SIGXFSZ, SIG_IGN))
    {
        ::getrlimit(RLIMIT_FSIZE, &m_before);
        rlimit limit = m_before;
        limit.rlim_cur = bytes;
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~SizeLimit()
    {
        ::setrlimit(RLIMIT_FSIZE, &m_before);
        std::signal(SIGXFSZ, m_handler);
    }
    SizeLimit(const SizeLimit &) = delete;
    SizeLimit &operator=(const SizeLimit &) = delete;

private:
    rlimit m_before{};
    void (*m_handler)(int);
};

TEST_F(WholeFile, holdsAllParts)
{
    for (const Durability durability : {Durability::Cached, Durability::Synced}) {
        ASSERT_TRUE(writeWholeFile(m_folder / "a", {"one ", "two ", "three"}, durability));
        EXPECT_EQ(textOf(m_folder / "a"), "one two three");
        ASSERT_TRUE(writeWholeFile(m_folder / "a", {"short"}, durability));
        EXPECT_EQ(textOf(m_folder / "a"), "short");
        EXPECT_EQ(filesInFolder(), 1);
    }
}

TEST_F(WholeFile, leavesNothingWhenThereIsNoRoom)
{
    const std::string large(100'000, 'x');
    const SizeLimit limit(50'000);
    const auto written = writeWholeFile(m_folder / "y.npy", {"head", large});
    ASSERT_FALSE(written);
    EXPECT_NE(toText(written.error()).find("y.npy"), std::string::npos);
    EXPECT_EQ(filesInFolder(), 0);
}

TEST_F(WholeFile, keepsWhatWasThereWhenThereIsNoRoom)
{
    ASSERT_TRUE(writeWholeFile(m_folder / "y.npy", {"before"}));
    const SizeLimit limit(50'000);
    EXPECT_FALSE(writeWholeFile(m_folder / "y.npy", {std::string(100'000, 'x')}));
    EXPECT_EQ(textOf(m_folder / "y.npy"), "before");
    EXPECT_EQ(filesInFolder(), 1);
}

TEST_F(WholeFile, reportsADeviceThatIsFull)
{
    if (!std::filesystem::exists("/dev/full"))
        GTEST_SKIP() << "there is no /dev/full here";
    EXPECT_FALSE(writeWholeFile("/dev/full", {"text"}));
    EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
    EXPECT_TRUE(writeWholeFile("/dev/null", {"text"}));
}

TEST_F(WholeFile, followsLinksAndKeepsPermissions)
{
    ASSERT_TRUE(writeWholeFile(m_folder / "file", {"a"}));
    std::filesystem::permissions(m_folder / "file", std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    std::filesystem::create_symlink(m_folder / "file", m_folder / "link");
    ASSERT_TRUE(writeWholeFile(m_folder / "link", {"b"}));
    EXPECT_TRUE(std::filesystem::is_symlink(m_folder / "link"));
    EXPECT_EQ(textOf(m_folder / "file"), "b");
    EXPECT_EQ(std::filesystem::status(m_folder / "file").permissions(),
              std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST_F(WholeFile, keepsPermissionsThatTheMaskForbids)
{
    constexpr auto kShared = std::filesystem::perms::owner_read | std::filesystem::perms::owner_write |
                             std::filesystem::perms::group_read | std::filesystem::perms::group_write;
    ASSERT_TRUE(writeWholeFile(m_folder / "file", {"a"}));
    std::filesystem::permissions(m_folder / "file", kShared);
    const mode_t before = ::umask(077);
    const auto written = writeWholeFile(m_folder / "file", {"b"});
    ::umask(before);
    ASSERT_TRUE(written);
    EXPECT_EQ(std::filesystem::status(m_folder / "file").permissions(), kShared);
}

TEST_F(WholeFile, saysWhyAFileCannotBeMade)
{
    const auto missing = writeWholeFile(m_folder / "no" / "such" / "folder", {"a"});
    ASSERT_FALSE(missing);
    EXPECT_NE(toText(missing.error()).find("No such file or directory"), std::string::npos);
    EXPECT_FALSE(writeWholeFile(m_folder, {"a"}));
}

} // namespace
} // namespace sw
