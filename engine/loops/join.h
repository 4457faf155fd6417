#pragma once
// Reductions that are joined: each element is read once for all of them. The second of two reductions may even need the result of
// the first one, a maximum's place, say, or the squared distances from a mean, if there is a way to carry both along:
//
// - A place goes on with its maximum: where an element is larger than all before it, it is the maximum now, and its place the
//   place. Parts of the loops, in the lanes of vectors for one, have a pair each; the first of the places whose maximum is that
//   of all parts, or NaN, is the place.
// - Distances are those from one element k of a part, the middle one of three: it adds up x - k, and (x - k)^2. That loses no
//   digits where the mean is far from 0, nor where one element is far from all others. The parts' means and distances are
//   combined by T. F. Chan, G. H. Golub, R. J. LeVeque, "Updating formulae and a pairwise algorithm for computing sample
//   variances", 1979.
// - Powers, exp(x - m), are those of what elements are below the largest one so far, m. Where an element is larger, all powers
//   before it are multiplied by exp(m - x): M. Milakov, N. Gimelshein, "Online normalizer calculation for softmax", 2018. One
//   exponential does for an element: exp(-|x - m|) is either its power or that factor. Parts have a maximum each.

#include "engine/loops/loop_nest.h"

#include <optional>
#include <string>
#include <vector>

namespace sw {

[[nodiscard]] std::string_view nameOf(JoinRule rule);

// The reductions that share the loops of this one, without itself.
[[nodiscard]] std::vector<ReductionId> joinedTo(const LoopNest &nest, ReductionId leader);

// The leaves of its steps: its leader's, if it is joined.
[[nodiscard]] const std::vector<AxisId> &orderOf(const LoopNest &nest, const Reduction &reduction);

// How many reductions have loops of their own.
[[nodiscard]] std::size_t leadersIn(const LoopNest &nest);

// Makes the second reduction share the loops of the first. Their axes must have the same extents and be whole. Why they cannot be
// joined, with a nest that is good for nothing then; nothing: they are.
[[nodiscard]] std::optional<std::string> joinReductions(LoopNest &nest, ReductionId leader, ReductionId follower);

// After a transformation: the axes of what is joined are those of its leader.
void keepJoined(LoopNest &nest);
// What is joined and may not stand so; nothing: all is well.
[[nodiscard]] std::optional<std::string> joinedProblemOf(const LoopNest &nest);

} // namespace sw
