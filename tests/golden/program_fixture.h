#pragma once
// Compiles and runs whole programs for tests.

#include "engine/api/compilation.h"
#include "engine/backend/native_backends.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace sw::test {

[[nodiscard]] std::filesystem::path sourceFolder();
// resources/examples/*.sw, sorted.
[[nodiscard]] std::vector<std::filesystem::path> exampleFiles();
// A name that GoogleTest accepts as a parameter name.
[[nodiscard]] std::string parameterName(const std::filesystem::path &file);

class ProgramTest : public testing::Test {
protected:
    ProgramTest() { addNativeBackends(m_registry); }

    [[nodiscard]] CompileRequest requestFor(const std::filesystem::path &file, const std::string &device,
                                            CompileUntil until = CompileUntil::Machine) const;
    // Why the device is not available; empty when it is.
    [[nodiscard]] std::string whyUnavailable(const std::string &device) const;
    [[nodiscard]] Result<ExecutionResult> run(ProgramCompiler &compiler, const CompileRequest &request,
                                              std::vector<NamedTensor> inputs = {}, std::uint64_t seed = 1);

    BackendRegistry m_registry;
};

} // namespace sw::test
