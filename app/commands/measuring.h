#pragma once
// What bench and compare share: how long and how precisely to measure, and what the times of several programs say.

#include "app/commands/execution.h"
#include "engine/execute/measure_runs.h"

namespace sw::command {

inline constexpr OptionInfo kPrecisionOption{
    "--precision", "P", "measures until the 95 % band of the median is plus or minus P per cent: 1% or 0.5; default 1%"};
inline constexpr OptionInfo kBudgetOption{"--budget", "T", "or until this time is over: 5s, 500ms or 2; default 2s"};

// otherwise: the number of runs if none of --repeat, --precision and --budget is there; nothing: as many as it takes.
[[nodiscard]] Result<MeasurePlan> planOf(const Arguments &arguments, std::optional<std::uint32_t> otherwise);

// Runs the programs in turn; their executions, in the order of `prepared`.
struct Measured {
    std::vector<Execution> executions;
    std::vector<MedianBand> ratios; // of each but the first, to the first
    std::vector<std::string> notes;
};
struct MeasureLimits {
    MeasurePlan plan;
    std::chrono::milliseconds limit{0}; // for all runs together; 0: none
};
[[nodiscard]] Result<Measured> measure(std::vector<Prepared> prepared, const MeasureLimits &limits, const std::stop_token &stop);

// "note: ..." lines about what disturbed the times.
[[nodiscard]] std::string notesText(const Measured &measured);
void writeNotes(JsonWriter &json, const Measured &measured);
// "ratio": {"median", "low", "high", "confidence", "pairs", "difference", "text"}: of a program to the first one
void writeRatio(JsonWriter &json, const MedianBand &ratio);

} // namespace sw::command
