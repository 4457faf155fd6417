#pragma once

#include "engine/backend/backend.h"
#include "engine/tune/candidate.h"
#include "engine/tune/dice.h"

namespace sw {

// A list that is drawn as a whole for a nest before anything is chosen. Each of its transformations applies; the verifier may
// refuse the nest that they make. For CPUs: work items are shares of threads.
[[nodiscard]] TransformList drawList(const LoopNest &nest, const DeviceInfo &device, Dice &dice);

} // namespace sw
