#pragma once
// A program, compiled for llvm and ready to run on given inputs, and on those from a seed where none is given.

#include "engine/api/compilation.h"
#include "tests/benchmarks/measure.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sw::benchmark {

class PreparedProgram {
public:
    // Ends the program with a message when it does not compile: a benchmark has nothing else to do.
    PreparedProgram(const BackendRegistry &registry, const std::string &text, std::uint32_t threads,
                    const CompileOptions &options = {}, std::span<const NamedTensor> given = {});

    [[nodiscard]] Nanoseconds run(); // once, all kernels, without copies to and from the device
    // Of so many runs one after the other, for a program that takes less time than looking at the clock may.
    [[nodiscard]] Nanoseconds meanOf(int runs);
    [[nodiscard]] const std::vector<HostTensor> &inputs() const { return m_inputs; }
    [[nodiscard]] HostTensor output(); // the first one
    [[nodiscard]] std::vector<HostTensor> outputs();

private:
    ProgramCompiler m_compiler;
    std::vector<HostTensor> m_inputs;
    std::unique_ptr<Executor> m_executor;
};

[[noreturn]] void giveUp(const Diagnostics &diagnostics);

} // namespace sw::benchmark
