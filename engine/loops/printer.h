#pragma once
// The text of a loop nest: its loops as they will run, the values at each point, and the transformations that shaped it.

#include "engine/loops/loop_nest.h"

#include <string>
#include <vector>

namespace sw {

enum class LoopLineKind : std::uint8_t { Kernel, Axis, Transform, Loop, Reduction, Value, Store };

// One line of text and the item that it shows, for panes that link lines to other stages.
struct LoopLine {
    std::string text;
    LoopLineKind kind = LoopLineKind::Kernel;
    std::uint32_t index = 0; // of the axis, transformation, reduction, value or store
    Origin origin;
    std::uint32_t stage = 0; // which of the nest's stages has it; as many as there are: the nest itself
};

// The stage of the nest, or the nest itself: see LoopLine::stage.
[[nodiscard]] inline const LoopNest &stageOf(const LoopNest &nest, std::uint32_t stage)
{
    return stage < nest.stages.size() ? nest.stages[stage] : nest;
}
// The nest that the line's index is of.
[[nodiscard]] inline const LoopNest &nestOf(const LoopNest &nest, const LoopLine &line)
{
    return stageOf(nest, line.stage);
}

[[nodiscard]] std::vector<LoopLine> linesOf(const LoopNest &nest, const Schedule &schedule);
// Where the axis ends in a run, or a part of it: "n", "n * 784"; empty: at its extent.
[[nodiscard]] std::string endText(const LoopNest &nest, const Schedule &schedule, AxisId axis);
[[nodiscard]] std::string toText(const LoopNest &nest, const Schedule &schedule);
[[nodiscard]] std::string toText(const LoopProgram &program);

} // namespace sw
