#pragma once
// A graph, compiled for llvm and ready to run on given inputs, and on those from a seed where none is given.

#include "engine/backend/backend.h"
#include "engine/execute/executor.h"
#include "engine/passes/pass_context.h"
#include "tests/benchmarks/measure.h"

#include <memory>
#include <span>
#include <vector>

namespace sw::benchmark {

class PreparedGraph {
public:
    // Ends the program with a message when it does not compile.
    PreparedGraph(const BackendRegistry &registry, const GraphPtr &graph, const CompileOptions &options, std::uint32_t threads,
                  std::span<const NamedTensor> given = {});

    [[nodiscard]] ExecutionResult run();
    [[nodiscard]] std::size_t kernelCount() const { return m_kernelCount; }
    [[nodiscard]] Nanoseconds compileTime() const { return m_compileTime; } // from the graph to callable code

private:
    std::unique_ptr<OpenedDevice> m_device;
    std::unique_ptr<Executor> m_executor;
    std::size_t m_kernelCount = 0;
    Nanoseconds m_compileTime{0};
};

} // namespace sw::benchmark
