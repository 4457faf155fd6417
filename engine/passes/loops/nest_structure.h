#pragma once
// Which loop nests are lowered alike: those of equal structure. They may be about different nodes and buffers.

#include "engine/loops/loop_nest.h"
#include "engine/passes/loops/kernel_lowering.h"

#include <string>
#include <vector>

namespace sw {

// Everything that the lowering of the nest depends on but its origins, its buffers' names and which buffers they are, as one key:
// equal for nests of equal structure.
[[nodiscard]] std::string structureOf(const Schedule &schedule, const LoopNest &nest);

[[nodiscard]] FrameOrigins frameOriginsOf(const Schedule &schedule, const LoopNest &nest);
// The origins of the nest and of its frame, in an order that is the same for nests of equal structure.
[[nodiscard]] std::vector<Origin> originsOf(const Schedule &schedule, const LoopNest &nest);

// The nest with the places in the list of originsOf in the place of its origins.
struct PlacedNest {
    LoopNest nest;
    FrameOrigins frame;
};
[[nodiscard]] PlacedNest withPlaces(const Schedule &schedule, const LoopNest &nest);

} // namespace sw
