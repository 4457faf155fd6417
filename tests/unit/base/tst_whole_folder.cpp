#include "engine/base/whole_folder.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <unistd.h>

namespace sw {
namespace {

namespace fs = std::filesystem;

std::string contentsOf(const fs::path &file)
{
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

std::size_t entriesIn(const fs::path &folder)
{
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

class WholeFolder : public testing::Test {
protected:
    WholeFolder()
    {
        m_base = fs::temp_directory_path() /
                 format("stepwell_{}_{}", testing::UnitTest::GetInstance()->current_test_info()->name(), getpid());
        fs::remove_all(m_base);
        fs::create_directories(m_base);
    }
    ~WholeFolder() override { fs::remove_all(m_base); }

    fs::path m_base;
    std::vector<FolderFile> m_files{{"a.txt", "first"}, {"run.sh", "#!/bin/sh\n", true}, {"empty", ""}};
};

TEST_F(WholeFolder, holdsAllFilesAndNothingElse)
{
    for (const char *name : {"new", "deep/er/new/"}) {
        const Result<Done> written = writeWholeFolder(m_base / name, m_files);
        ASSERT_TRUE(written) << toText(written.error());
        const fs::path folder = m_base / name;
        EXPECT_EQ(entriesIn(folder), 3U);
        EXPECT_EQ(contentsOf(folder / "a.txt"), "first");
        EXPECT_EQ(contentsOf(folder / "empty"), "");
        EXPECT_NE(fs::status(folder / "run.sh").permissions() & fs::perms::owner_exec, fs::perms::none);
        EXPECT_EQ(fs::status(folder / "a.txt").permissions() & fs::perms::owner_exec, fs::perms::none);
    }
    EXPECT_EQ(entriesIn(m_base), 2U); // no temporary folder stays
}

TEST_F(WholeFolder, replacesAnEmptyFolderAndNoOther)
{
    fs::create_directory(m_base / "empty");
    EXPECT_TRUE(checkFolderIsFree(m_base / "empty"));
    EXPECT_TRUE(writeWholeFolder(m_base / "empty", m_files));
    EXPECT_FALSE(checkFolderIsFree(m_base / "empty"));
    const Result<Done> again = writeWholeFolder(m_base / "empty", std::vector<FolderFile>{{"b.txt", "second"}});
    ASSERT_FALSE(again);
    EXPECT_NE(again.error().front().message.find("is not empty"), std::string::npos) << toText(again.error());
    EXPECT_EQ(entriesIn(m_base / "empty"), 3U);
    std::ofstream(m_base / "file") << "mine";
    EXPECT_FALSE(writeWholeFolder(m_base / "file", m_files));
    EXPECT_EQ(contentsOf(m_base / "file"), "mine");
}

TEST_F(WholeFolder, leavesNothingWhereAFileCannotBeWritten)
{
    m_files.push_back({"no/such/folder", "x"});
    const Result<Done> written = writeWholeFolder(m_base / "new", m_files);
    EXPECT_FALSE(written);
    EXPECT_EQ(entriesIn(m_base), 0U);
}

} // namespace
} // namespace sw
