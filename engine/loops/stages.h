#pragma once
// What the stages of a kernel have in common, and the memory of the work item in which they hand values on.

#include "engine/loops/loop_nest.h"

#include <optional>
#include <string>
#include <vector>

namespace sw {

// The loops that are run once for all stages: so many leaves at the front of the order are over rows and alike in every stage.
// 0 of a kernel that has no stages.
[[nodiscard]] std::size_t sharedLoopsOf(const LoopNest &nest);

// Elements of the memory for what a stage stores in one round of the first `shared` loops of its order.
[[nodiscard]] std::int64_t keptElementsOf(const LoopNest &stage, std::size_t shared);

// The strides, in elements, by which a work item keeps a stage's value of that shape, whose first axes are rows: row by row, with
// a cache line between rows that would else lie a multiple of half of ScheduledDevice::wayBytes apart. Such rows share two sets
// of the first level of the cache, and a tile that goes down a column of them would drive its own lines out. Likewise between the
// parts of a row, of a way or more, where there are more than 8: the 16 elements of a tile of Winograd's, say, which are stored
// side by side.
[[nodiscard]] std::vector<std::int64_t> keptStridesOf(const Shape &shape, std::size_t rowAxes, DType dtype,
                                                      std::int64_t wayBytes);

// For each stage, the number of the memory that keeps what it stores. One is used again for the value of a later stage, once all
// stages that read the earlier value are done.
[[nodiscard]] std::vector<std::size_t> keptMemoryOf(const LoopNest &nest);

// Why the nest's stages cannot run together; nothing when they can, or when it has none.
[[nodiscard]] std::optional<std::string> stageProblemOf(const LoopNest &nest);

// Calls visit with each nest of the kernel, in the order in which they run: the stages, then the nest itself.
template <class Visit>
void forEachStage(const LoopNest &nest, const Visit &visit)
{
    for (const LoopNest &stage : nest.stages)
        visit(stage);
    visit(nest);
}

} // namespace sw
