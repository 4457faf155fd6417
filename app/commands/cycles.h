#pragma once
// Measured cycles of kernels beside those of the static analyser, as text and JSON.

#include "app/commands/execution.h"
#include "engine/api/measured_cycles.h"

#include <string>
#include <vector>

namespace sw::command {

struct ProgramCycles {
    ClockReading clock;
    std::vector<CyclesOfKernel> kernels; // by their order in the schedule
    std::string problem = {};            // why there are none at all; empty: there are
};
// Reads the clock now: call it right after the runs.
[[nodiscard]] ProgramCycles cyclesOfProgram(ProgramCompiler &compiler, const Execution &execution,
                                            const Environment &environment);

// A table of kernels, the reasons below it, and the clock.
[[nodiscard]] std::string cyclesText(const ProgramCycles &cycles);
// "cycles": {"problem"} or {"clock": {"ghz", "low", "high", "stated_ghz"}, "kernels": [{"name", "problem"} or {"name", "loop",
// "share", "rounds", "threads", "simulated", "measured", "low", "high", "ratio", "reason"}]}; per round
void writeCycles(JsonWriter &json, const ProgramCycles &cycles);

} // namespace sw::command
