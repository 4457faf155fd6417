#pragma once
// Compiles and runs a program at each value of a range: a dimension, the number of threads, or the size of a tile.

#include "engine/api/inputs.h"
#include "engine/api/sweep.h"
#include "engine/execute/repeat_control.h"

#include <functional>
#include <stop_token>

namespace sw {

enum class Swept : std::uint8_t { Dimension, Threads, Tile };

// Of the transformation "split AXIS SIZE" of a kernel.
struct SweptTile {
    std::string kernel; // its name
    std::string axis;
};
// "k0_y:i0"; an error says what was expected.
[[nodiscard]] Result<SweptTile> sweptTileIn(std::string_view text);

inline constexpr std::chrono::milliseconds kSweepBudget{300}; // of a point
inline constexpr std::int64_t kMostSweptThreads = 4096;

struct SweepPlan {
    Swept swept = Swept::Dimension;
    SweepRange range;
    SweptTile tile = {};
    MeasurePlan measure = {.budget = kSweepBudget};
};

// Told after each point.
using SweepObserver = std::function<void(const Sweep &)>;

// Adds the points to `sweep`, which keeps those that there are when one cannot be compiled or run, or when it is stopped: then
// the error says why. inputs: of a compilation.
[[nodiscard]] Result<Done> runSweep(ProgramCompiler &compiler, const SweepPlan &plan, const CompileRequest &request,
                                    const std::function<RunInputs(const Compilation &)> &inputs, Sweep &sweep,
                                    const std::stop_token &stop, const SweepObserver &observer = {});

} // namespace sw
