#pragma once

#include "engine/loops/loop_nest.h"
#include "engine/tune/candidate.h"
#include "engine/tune/dice.h"

namespace sw {

// A list that is there, changed at one or two places: another factor, order, copy, unrolling, prefetch or store. The nest, before
// anything is chosen, may refuse what comes out.
[[nodiscard]] TransformList editedList(const LoopNest &nest, const TransformList &list, Dice &dice);

} // namespace sw
