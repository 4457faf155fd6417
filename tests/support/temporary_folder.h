#pragma once
// A folder for the running test alone, removed when the test is over.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

namespace sw::test {

class TemporaryFolder {
public:
    TemporaryFolder()
    {
        const testing::TestInfo *info = testing::UnitTest::GetInstance()->current_test_info();
        std::string name = std::string("stepwell_") + info->test_suite_name() + "_" + info->name();
        std::ranges::replace(name, '/', '_');
        m_path = std::filesystem::temp_directory_path() / name;
        std::filesystem::remove_all(m_path);
    }
    ~TemporaryFolder() { std::filesystem::remove_all(m_path); }
    TemporaryFolder(const TemporaryFolder &) = delete;
    TemporaryFolder &operator=(const TemporaryFolder &) = delete;

    [[nodiscard]] const std::filesystem::path &path() const { return m_path; }

private:
    std::filesystem::path m_path;
};

} // namespace sw::test
