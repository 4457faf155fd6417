#pragma once
// Calls commands as stepwellc does, in a folder of their own.

#include "app/commands/command.h"
#include "engine/api/resources.h"
#include "engine/backend/native_backends.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace sw::command {

class CommandTest : public testing::Test {
protected:
    CommandTest()
    {
        addNativeBackends(m_registry);
        const testing::TestInfo *info = testing::UnitTest::GetInstance()->current_test_info();
        m_folder =
            std::filesystem::temp_directory_path() / format("stepwell_{}{}_{}", info->test_suite_name(), info->name(), getpid());
        std::filesystem::remove_all(m_folder);
        std::filesystem::create_directories(m_folder);
    }
    ~CommandTest() override { std::filesystem::remove_all(m_folder); }

    Outcome call(const std::vector<std::string> &words) const
    {
        return runCommand(words, {m_registry, findResourceFolder(), {}, m_figures});
    }
    std::string path(const std::string &name) const { return (m_folder / name).string(); }
    std::string write(const std::string &name, std::string_view text) const
    {
        std::ofstream stream(path(name), std::ios::binary);
        stream << text;
        return path(name);
    }

    std::filesystem::path m_folder;
    BackendRegistry m_registry;
    const FiguresStore *m_figures = nullptr;
};

} // namespace sw::command
