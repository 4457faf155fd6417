#pragma once
// Finds loop nests of equal structure, which are lowered alike. Their nodes and buffers may differ.

#include "engine/loops/loop_nest.h"
#include "engine/passes/loops/kernel_lowering.h"

#include <optional>
#include <string>
#include <vector>

namespace sw {

// A key of everything that the lowering of the nest depends on, except its origins, its buffers' names and which buffers they
// are. It is equal for nests of equal structure.
[[nodiscard]] std::string structureOf(const Schedule &schedule, const LoopNest &nest);
// The same without the names of the kernel and of its device: what the nest computes, and how.
[[nodiscard]] std::string namelessStructureOf(const Schedule &schedule, const LoopNest &nest);
// A key of everything that the choice of transformations for the nest depends on, on one machine and with the same options.
// Nothing for a kernel in stages: how its blocks are cut follows from the graph.
[[nodiscard]] std::optional<std::string> choiceKeyOf(const Schedule &schedule, const LoopNest &nest);

[[nodiscard]] FrameOrigins frameOriginsOf(const Schedule &schedule, const LoopNest &nest);
// The origins of the nest and of its frame, in an order that is the same for nests of equal structure.
[[nodiscard]] std::vector<Origin> originsOf(const Schedule &schedule, const LoopNest &nest);

// The nest with each origin replaced by its position in the list of originsOf().
struct PlacedNest {
    LoopNest nest;
    FrameOrigins frame;
};
[[nodiscard]] PlacedNest withPlaces(const Schedule &schedule, const LoopNest &nest);

} // namespace sw
