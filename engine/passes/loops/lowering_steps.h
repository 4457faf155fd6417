#pragma once
// The steps in which a loop nest is written out: one for each statement that it becomes.

#include "engine/lowered/lowered.h"
#include "engine/passes/step_rule.h"

#include <span>
#include <string_view>

namespace sw {

[[nodiscard]] std::span<const StepRule> loweringStepRules();
// The rule of a statement that ends with such an instruction. Empty: it only prepares a later one of the same statement.
[[nodiscard]] std::string_view loweringStepOf(InstructionKind kind);
inline constexpr std::string_view kComputeStep = "compute";

} // namespace sw
