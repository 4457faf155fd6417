#pragma once
// Runs a program with its input in memory, and returns what it wrote.

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
    int exitCode = 0; // 128 + signal when it was ended by one
};

// The program of this name in the folders of PATH; a name with a slash is taken as it is.
[[nodiscard]] std::optional<std::filesystem::path> findProgram(std::string_view name);

// Errors: it cannot be started, it took longer than the time given, it was stopped. It is ended in the last two cases.
[[nodiscard]] Result<ProcessOutput> runProcess(const std::vector<std::string> &command, std::string_view input,
                                               std::chrono::milliseconds longest, std::stop_token stop);

} // namespace sw
