#pragma once
// Stages by their names, for commands that show or compare them.

#include "engine/api/compilation.h"
#include "engine/api/stage_document.h"
#include "engine/execute/figures_store.h"

#include <array>
#include <optional>
#include <string_view>

namespace sw::command {

inline constexpr std::array kStages{StageKind::Program, StageKind::Graph, StageKind::Schedule, StageKind::Loops,
                                    StageKind::Lowered, StageKind::Code,  StageKind::Machine};
[[nodiscard]] std::optional<StageKind> stageNamed(std::string_view name);
// How far a compilation has to go to have the stage.
[[nodiscard]] CompileUntil untilOf(StageKind stage);
// Null if the compilation did not reach the stage. kernel: whose machine code is read; invalid: all. figures: for the estimates
// of the schedule; may be null.
[[nodiscard]] StageDocumentPtr documentOf(ProgramCompiler &compiler, const Compilation &compilation, StageKind stage,
                                          KernelId kernel = {}, const FiguresStore *figures = nullptr);

} // namespace sw::command
