#pragma once
// Compiling and running a program for run, bench and compare.

#include "app/commands/common.h"

namespace sw::command {

struct Execution {
    Compilation compilation;
    ExecutionResult result;
};

// What inputs that are not given are filled from.
[[nodiscard]] Result<std::uint64_t> seedOf(const Arguments &arguments);

// Compiles for the request's device, fills the inputs and runs. Errors of any step come back; index faults are in the result.
[[nodiscard]] Result<Execution> execute(ProgramCompiler &compiler, const CompileRequest &request, std::uint64_t seed,
                                        RunCounts counts, std::stop_token stop);

// "kernels": [{"name", "ns": {...}, "flops", "bytes"}]
void writeKernels(JsonWriter &json, const Execution &execution);
// "steps": [{"name", "phase", "ns": {...}}]: of all items of the schedule, transfers and waiting included
void writeSteps(JsonWriter &json, const Execution &execution);
[[nodiscard]] std::string kernelTable(const Execution &execution);

} // namespace sw::command
