#pragma once
// The stages that passes take and make.

#include "engine/graph/graph.h"
#include "engine/loops/loop_nest.h"
#include "engine/lowered/lowered.h"
#include "engine/schedule/schedule.h"

#include <cstdint>
#include <string_view>
#include <variant>

namespace sw {

// Stages are compared by identity: a pass that changed nothing returns the pointer that it was given.
using Stage = std::variant<GraphPtr, SchedulePtr, LoopProgramPtr, LoweredProgramPtr>;

// The alternatives of Stage, in its order: each is made from the one before.
enum class StageLevel : std::uint8_t { Graph, Schedule, Loops, Lowered };
[[nodiscard]] inline StageLevel levelOf(const Stage &stage)
{
    return static_cast<StageLevel>(stage.index());
}
[[nodiscard]] std::string_view nameOf(StageLevel level); // "graph"

} // namespace sw
