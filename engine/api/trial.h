#pragma once
// What a program would be with one more override: its passes run again, up to the lowered form.

#include "engine/api/program_figures.h"
#include "engine/api/why.h"
#include "engine/passes/overrides.h"

#include <optional>
#include <span>
#include <stop_token>
#include <string>

namespace sw {

// Both are about one edge, the value or the kernel.
[[nodiscard]] bool areAboutTheSame(const Override &a, const Override &b);
// The overrides with `item` in them, in place of those that are about the same edge, value or kernel.
[[nodiscard]] Overrides withOverride(Overrides overrides, const Override &item);

struct Trial {
    OverrideOutcome outcome;               // of the override
    std::optional<ProgramFigures> figures; // nothing: it does not compile
};

// figures: of the devices, by slot. Nothing: it was stopped, or the compilation did not begin with a graph.
[[nodiscard]] std::optional<Trial> tryOverride(const Compilation &compilation, const Override &item,
                                               std::span<const DeviceFigures> figures, const std::stop_token &stop);

// Says in the card what the first override that it offers would change, or what is in its way. Of kernels nothing is said.
void addAlternative(WhyCard &card, const Compilation &compilation, std::span<const DeviceFigures> figures,
                    const std::stop_token &stop);

} // namespace sw
