#pragma once
// Finds what names, lines and conditions that people type mean in a kernel that is stepped through.

#include "engine/lowered/printer.h"
#include "engine/lowered/stop_condition.h"

#include <string>
#include <string_view>
#include <vector>

namespace sw {

struct KernelNames {
    const LoweredKernel &kernel;
    std::vector<std::string> values;             // by instruction
    std::vector<std::string> lines;              // of the kernel's text
    std::vector<InstructionId> lineInstructions; // by line
    std::vector<std::uint32_t> instructionLines; // by instruction, from 1
};
// The kernel must outlive its names.
[[nodiscard]] KernelNames namesOf(const LoweredKernel &kernel);

// Finds a value or memory by name, with or without '%'.
[[nodiscard]] Result<InstructionId> valueNamed(std::string_view name, const KernelNames &names);
// The condition that only a comparison with the reference can answer; see trace_difference.h.
inline constexpr std::string_view kDifference = "difference";
// See KernelTrace::run; all but kDifference.
[[nodiscard]] Result<StopCondition> conditionOf(std::string_view text, const KernelNames &names);

} // namespace sw
