#pragma once
// What a change of the overrides did: the figures of the program before and after it, and how far apart the values are.

#include "engine/api/inputs.h"
#include "engine/api/report.h"
#include "engine/api/why.h"
#include "engine/execute/executor.h"
#include "engine/execute/statistics.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace sw {

// The results of a run, and what it began with.
struct RunOutputs {
    RunInputs inputs;
    std::vector<NamedTensor> outputs;
    bool isTooLarge = false; // they are not kept
};
// Larger results are not kept for comparisons.
inline constexpr std::int64_t kMostKeptBytes = std::int64_t{256} << 20;

enum class ValuesAgree : std::uint8_t { Unknown, Same, Close, Different };

struct Effect {
    std::vector<FigureChange> changes; // kernels, bytes moved, instructions, estimated time; measured time, if both ran
    ValuesAgree values = ValuesAgree::Unknown;
    std::uint64_t maxUlp = 0;
    std::string valuesText;              // "results are the same", "results differ by up to 3 ULP, ..."
    std::vector<std::string> notes = {}; // what disturbed the times, if they were measured for this
    std::string error = {};              // why it could not be measured; there are no changes then
};

// How two runs of one program agree.
struct OutputsVerdict {
    ValuesAgree agree = ValuesAgree::Unknown;
    std::uint64_t maxUlp = 0;
    std::string text; // "results differ by up to 3 ULP, in y: ...; furthest off is y[1, 2]: 0.5, before 0.25"
};
// They have the same names, types and shapes.
[[nodiscard]] OutputsVerdict compareOutputs(const std::vector<NamedTensor> &before, const std::vector<NamedTensor> &after,
                                            const std::stop_token &stop = {});
[[nodiscard]] bool haveSameOutputs(const std::vector<NamedTensor> &before, const std::vector<NamedTensor> &after);

// Both reports are of one program on one device.
[[nodiscard]] Effect effectOf(const Report &before, const Report &after, const std::stop_token &stop = {});
// One of two programs that were measured in turn.
struct MeasuredSide {
    ProgramFigures figures;
    RunOutputs outputs;
    Timing time;
};
// ratio: of the times, after to before.
[[nodiscard]] Effect measuredEffect(const MeasuredSide &before, const MeasuredSide &after, const MedianBand &ratio,
                                    const std::stop_token &stop = {});
// Without times of runs.
[[nodiscard]] std::vector<FigureChange> changesBetween(const ProgramFigures &before, const ProgramFigures &after);

} // namespace sw
