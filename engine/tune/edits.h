#pragma once

#include "engine/loops/loop_nest.h"
#include "engine/tune/candidate.h"
#include "engine/tune/dice.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sw {

// A list that is there, changed at one or two places: another factor, order, copy, unrolling, prefetch or store. The nest, before
// anything is chosen, may refuse what comes out.
[[nodiscard]] TransformList editedList(const LoopNest &nest, const TransformList &list, Dice &dice);

// What edits are made of.
[[nodiscard]] std::int64_t changedFactor(std::int64_t factor, Dice &dice);
[[nodiscard]] std::vector<std::size_t> placesOf(const TransformList &list, TransformKind kind);
// Another unrolling, prefetch or store, by a number below kDetails.
inline constexpr std::size_t kDetails = 20;
[[nodiscard]] TransformList withOtherDetail(const LoopNest &nest, TransformList list, std::size_t detail, Dice &dice);

} // namespace sw
