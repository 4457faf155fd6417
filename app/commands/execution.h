#pragma once
// Compiling and running a program for run, bench and compare.

#include "app/commands/common.h"
#include "app/commands/estimates.h"
#include "engine/execute/output_limits.h"

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

// How far two devices that run it may be apart.
[[nodiscard]] OutputLimits limitsOf(const Execution &execution, const CompileRequest &request, std::uint64_t seed,
                                    const std::stop_token &stop);

// "kernels": [{"name", "ns": {...}, "estimate_ns", "flops", "math_flops", "bytes"}]
void writeKernels(JsonWriter &json, const Execution &execution, const StepEstimates &estimates);
// "steps": [{"name", "phase", "ns": {...}}]: of all items of the schedule, transfers and waiting included
void writeSteps(JsonWriter &json, const Execution &execution);
// "parts": {"kernels": ns, "launches": ns, ...}: of the run that took the median of the totals
void writeParts(JsonWriter &json, const Execution &execution);
[[nodiscard]] std::string kernelTable(const Execution &execution, const StepEstimates &estimates);

} // namespace sw::command
