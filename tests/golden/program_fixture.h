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
    // The same for a text.
    [[nodiscard]] CompileRequest requestOf(const std::string &text, const std::string &device) const;
    // Why the device is not available; empty when it is.
    [[nodiscard]] std::string whyUnavailable(const std::string &device) const;
    // The same for what processors alone are expected to do: an OpenCL device may be a GPU.
    [[nodiscard]] std::string whyNoProcessor(const std::string &device) const;
    [[nodiscard]] Result<ExecutionResult> run(ProgramCompiler &compiler, const CompileRequest &request,
                                              std::vector<NamedTensor> inputs = {}, std::uint64_t seed = 1);
    // The first output of a program with the loops that are chosen, and with plain ones.
    struct BothWays {
        Compilation compilation; // with the loops that are chosen
        HostTensor chosen;
        HostTensor plain; // of as many elements
    };
    [[nodiscard]] Result<BothWays> runBothWays(const std::string &text, const std::string &device);

    BackendRegistry m_registry;
};

// Equal, or for floats within the limit.
void expectNear(const HostTensor &got, const HostTensor &expected, double limit);

// Whether registers change the places of computed lanes in any kernel, other than to put padding beside them.
[[nodiscard]] bool hasShuffle(const LoweredProgram &program);

} // namespace sw::test
