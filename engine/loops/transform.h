#pragma once
// Transformations of loop nests, as pure functions from a nest and data to a nest. See loop_nest.h for what each kind means.

#include "engine/loops/loop_nest.h"

#include "engine/base/result.h"

#include <cstddef>
#include <span>

namespace sw {

// The nest with one more transformation, or an error that says what is wrong with it (an unknown axis, a factor below 1, a type
// that the axis cannot have).
[[nodiscard]] Result<LoopNest> applyTransform(LoopNest nest, const Transform &transform);

// The nest after the first `count` of the transformations. Those that the nest has already come first among them; all apply.
[[nodiscard]] LoopNest withFirstTransforms(const LoopNest &nest, std::span<const Transform> all, std::size_t count);

// "split i0 8"
[[nodiscard]] std::string toText(const Transform &transform);
[[nodiscard]] Result<Transform> parseTransform(std::string_view text);

// Merges neighbouring axes of the domain, and of each reduction, as long as no index becomes more complex: rows * columns of
// contiguous tensors become one axis. Each merge is recorded as a "merge" transformation.
[[nodiscard]] LoopNest mergeAxes(LoopNest nest);

} // namespace sw
