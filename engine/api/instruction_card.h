#pragma once
// Why a lowered instruction is as it is: which form it has, which transformations of the loops gave it that form, how often it
// runs, and what would become of the program without them.

#include "engine/api/compilation.h"
#include "engine/api/explanation.h"

#include <span>
#include <stop_token>
#include <string_view>

namespace sw {

// A row of resources/docs/instructions.md.
struct InstructionForm {
    std::string_view id;
    std::string_view title;
    std::string_view doc;
};
[[nodiscard]] std::span<const InstructionForm> instructionForms();
[[nodiscard]] const InstructionForm &formOf(const LoweredKernel &kernel, InstructionId id);

// of.loops: null where the loops were not chosen here.
[[nodiscard]] WhyCard instructionCard(const Explained &of, const LoweredKernel &kernel, InstructionId id);

// Adds which pass made it, by which of its rewrites.
void addMaker(WhyCard &card, const Compilation &compilation, const StageDocument &lowered, ItemIndex item,
              const std::stop_token &stop);

} // namespace sw
