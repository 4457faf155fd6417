#pragma once
// Runs a program with input from memory and returns what it wrote.

#include "engine/base/result.h"

#include <chrono>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace sw {

struct ProcessOutput {
    std::string output;
    std::string errors;
    int exitCode = 0; // 128 + signal when a signal ended it
};

// Looks the program up in the folders of PATH; a name with a slash is used as it is.
[[nodiscard]] std::optional<std::filesystem::path> findProgram(std::string_view name);

// Errors: the program cannot be started, takes longer than `longest`, or is stopped. In the last two cases it is killed.
[[nodiscard]] Result<ProcessOutput> runProcess(const std::vector<std::string> &command, std::string_view input,
                                               std::chrono::milliseconds longest, std::stop_token stop);

} // namespace sw
