#pragma once

#include "engine/tune/candidate.h"
#include "engine/tune/dice.h"
#include "engine/tune/tile_copies.h"

namespace sw {

// A list that is drawn as a whole for a product that one of the instructions does: so many of its tiles side by side, the panels
// and rows of a work item, the order of their loops, what is copied for the tiles, and where. Each of its transformations
// applies; the verifier may refuse the nest that they make.
[[nodiscard]] TransformList drawTensorList(const LoopNest &nest, const DeviceInfo &device, const TensorProduct &product,
                                           Dice &dice);

} // namespace sw
