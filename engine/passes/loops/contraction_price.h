#pragma once
// What the cost model of choose_contraction.cpp says of loops that it did not choose itself.

#include "engine/passes/pass_context.h"

#include <optional>

namespace sw {

// The cycles that the model gives the register tile of a nest, in all of the kernel and with one thread. plain: the nest before
// anything was chosen, and one that the model chooses tiles for. The copies are those that the model would make for the tile.
// Nothing: the nest is no contraction, or has a tile that the model does not know (of three axes, say, or of none).
[[nodiscard]] std::optional<double> contractionCycles(const Schedule &schedule, const LoopNest &plain, const LoopNest &made,
                                                      const PassContext &context);

} // namespace sw
