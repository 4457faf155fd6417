#pragma once
// Compiles and runs a program for the commands run, bench and compare.

#include "app/commands/common.h"
#include "app/commands/estimates.h"
#include "engine/api/effect.h"
#include "engine/execute/output_limits.h"

#include <chrono>
#include <optional>

namespace sw::command {

struct Execution {
    Compilation compilation;
    ExecutionResult result;
    // Of a program with edited kernels: how its results agree with those of the same program without the edits.
    std::optional<OutputsVerdict> verdict = {};
};

// The seed for filling inputs that are not given.
[[nodiscard]] Result<std::uint64_t> seedOf(const Arguments &arguments);

// Compiled, with its inputs on its devices, and not run yet.
struct Prepared {
    Compilation compilation;
    std::unique_ptr<Executor> executor;
};
// Yes: see engine/api/checked_accesses.h; what it has to say is among the diagnostics of the compilation.
enum class CheckAccesses : std::uint8_t { No, Yes };
[[nodiscard]] Result<Prepared> prepare(ProgramCompiler &compiler, const CompileRequest &request, std::uint64_t seed,
                                       std::stop_token stop, CheckAccesses check = CheckAccesses::No);

// Compiles for the request's device, fills the inputs and runs. Returns the errors of any step; index faults are in the result.
[[nodiscard]] Result<Execution> execute(ProgramCompiler &compiler, const CompileRequest &request, std::uint64_t seed,
                                        RunCounts counts, std::stop_token stop, std::chrono::milliseconds limit = {},
                                        CheckAccesses check = CheckAccesses::No);
// What --limit says; 0: nothing.
[[nodiscard]] Result<std::chrono::milliseconds> limitFrom(const Arguments &arguments);
// Runs the program once without edited kernels, if it has any, and compares the results.
[[nodiscard]] Result<Done> compareWithUnedited(Execution &execution, ProgramCompiler &compiler, CompileRequest request,
                                               std::uint64_t seed, const std::stop_token &stop);
// A line about it, and its field "edited_results"; nothing for a program without edits.
[[nodiscard]] std::string verdictText(const Execution &execution);
void writeVerdict(JsonWriter &json, const Execution &execution);
// Results that are wrong count as a difference.
[[nodiscard]] ExitCode exitCodeWith(ExitCode code, const Execution &execution);

// How far apart the outputs of two devices may be.
[[nodiscard]] OutputLimits limitsOf(const Execution &execution, const CompileRequest &request, std::uint64_t seed,
                                    const std::stop_token &stop);

// "kernels": [{"name", "ns": {...}, "estimate_ns", "flops", "math_flops", "bytes"}]
void writeKernels(JsonWriter &json, const Execution &execution, const StepEstimates &estimates);
// "steps": [{"name", "phase", "ns": {...}}]: for all items of the schedule, including transfers and waiting
void writeSteps(JsonWriter &json, const Execution &execution);
// "parts": {"kernels": ns, "launches": ns, ...}: for the run with the median total time
void writeParts(JsonWriter &json, const Execution &execution);
[[nodiscard]] std::string kernelTable(const Execution &execution, const StepEstimates &estimates);

} // namespace sw::command
