#pragma once
// Values of a graph in more precision than it says: every float is an f64, from the same inputs and constants.

#include "engine/graph/interpreter.h"

namespace sw {

// The f64 form of a value: itself where the type is no float.
[[nodiscard]] HostTensor widened(const HostTensor &value);

// The value of a node of any kind but Sink, computed in f64. `own`: the value in the node's own type. `inputs`: the f64 forms of
// the node's inputs. What is no float stays as it is, so that comparisons and indices choose the same; and floats that are made
// of bits (constants, inputs, bitcasts, random numbers) are taken from `own`.
[[nodiscard]] Result<HostTensor> evaluateWide(const Node &node, const HostTensor &own, std::span<const HostTensor> inputs,
                                              const std::stop_token &stop);

} // namespace sw
