#pragma once
// A device that random graphs go to, through the whole compiler, and those that they name besides.

#include "engine/execute/executor.h"
#include "engine/pipeline/runner.h"
#include "tests/fuzz/random_graph.h"

#include <memory>
#include <string>
#include <vector>

namespace sw {

class DeviceUnderTest {
public:
    [[nodiscard]] static Result<DeviceUnderTest> open(const BackendRegistry &registry, const std::string &id,
                                                      const DeviceOptions &options = {},
                                                      const std::vector<std::string> &others = {});

    [[nodiscard]] Result<std::vector<NamedTensor>> run(const RandomGraph &random, const CompileOptions &options);
    // What the pipeline made, or what it was in the middle of its lowered passes.
    [[nodiscard]] Result<std::vector<NamedTensor>> runProgram(const LoweredProgramPtr &program,
                                                              std::span<const HostTensor> inputs);
    [[nodiscard]] CompileTarget target(const CompileOptions &options) const;

    // That were compiled, the repeated ones too.
    [[nodiscard]] std::size_t kernels() const { return m_kernels; }

private:
    std::vector<std::unique_ptr<OpenedDevice>> m_devices; // by slot
    std::size_t m_kernels = 0;
};

// What is wrong with the outputs of a graph, the first of which is outputs[first]; empty: all are within the bounds of what a
// correct device may answer.
[[nodiscard]] std::string faultOf(const RandomGraph &random, const std::vector<NamedTensor> &outputs, std::size_t first = 0);

} // namespace sw
