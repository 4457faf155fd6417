#pragma once
// Makes the cards that say why an edge, a value, a kernel, a buffer or a loop transformation is as it is: the decisions that made
// it, with their rules and numbers, and the overrides that would change them.

#include "engine/api/why.h"
#include "engine/graph/value_path.h"
#include "engine/loops/loop_nest.h"
#include "engine/passes/overrides.h"

#include <span>
#include <string>

namespace sw {

// The override that would reverse the decision.
[[nodiscard]] Override oppositeOf(const FusionDecision &decision, const ValuePaths &paths);
// The override that gives the kernel the transformations that it has.
[[nodiscard]] Override loopsOf(const LoopNest &nest, const Schedule &schedule, const ValuePaths &paths);

// What the cards are about. loops: null while there are none. figures: of the devices, by slot.
struct Explained {
    const Schedule &schedule;
    const ValuePaths &paths;
    const LoopProgram *loops = nullptr;
    std::span<const DeviceFigures> figures = {};
};

[[nodiscard]] WhyCard edgeCard(const Explained &of, std::uint32_t decision);
// What the kernel computes and stores, which edges lead into it or end at its border, and what became of its loops.
[[nodiscard]] WhyCard kernelCard(const Explained &of, KernelId id);
// What the buffer holds and why it is in memory, how long it lives, where it is placed, and what shares its place.
[[nodiscard]] WhyCard bufferCard(const Explained &of, BufferId id);
// Where a value is computed, and the decisions about it.
[[nodiscard]] WhyCard valueCard(const Explained &of, NodeId id);
// What one of the transformations of a kernel's loops does. There are loops.
[[nodiscard]] WhyCard transformCard(const Explained &of, KernelId id, std::uint32_t index);

} // namespace sw
