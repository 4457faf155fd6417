#pragma once
// What a stream asks for: while a round of a loop runs, what a load will read in the next round is fetched, a part at each step,
// so that memory is as busy as the core. A prefetch (prefetch_queries.h) asks for all of it at the places where it is read.

#include "engine/loops/loop_nest.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sw {

// What a load reads in a round of the loop that it streams along: elements that lie side by side in its buffer.
struct StreamedRegion {
    std::int64_t elements = 0;
    std::int64_t distance = 0;      // from its first element to that of the next round's region
    std::vector<AxisId> loops = {}; // inside of the loop and around the load, outermost first
    std::int64_t steps = 1;         // rounds of those in one round of the loop
    [[nodiscard]] std::int64_t elementsPerStep() const { return (elements + steps - 1) / steps; }
};

// Nothing when the load does not read a dense region, or does not go on by the same distance in each round.
[[nodiscard]] std::optional<StreamedRegion> streamedRegionOf(const LoopNest &nest, ValueId load, AxisId at);

// Why the nest cannot have the stream; nothing when it can.
[[nodiscard]] std::optional<std::string> streamProblemOf(const LoopNest &nest, const Stream &stream);

} // namespace sw
