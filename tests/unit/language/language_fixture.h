#pragma once
// Programs compiled against the real library, and run by the reference interpreter.

#include "engine/language/compile.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace sw::test {

[[nodiscard]] std::filesystem::path resourceFolder();
[[nodiscard]] std::string readText(const std::filesystem::path &path);

// folder: where load() looks.
[[nodiscard]] ProgramResult compileText(std::string_view text, const std::filesystem::path &folder = {});

// The outputs, with all inputs and parameters filled from a seed. A program that does not compile fails the test and gives none.
[[nodiscard]] std::vector<HostTensor> runText(std::string_view text);

// The one output as numbers, in row-major order.
[[nodiscard]] std::vector<double> valuesOf(std::string_view text);

} // namespace sw::test
