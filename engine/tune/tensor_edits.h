#pragma once

#include "engine/tune/candidate.h"
#include "engine/tune/dice.h"
#include "engine/tune/tile_copies.h"

namespace sw {

// A list with tiles of an instruction, changed at one or two places: as editedList() does, but the tiles keep the shape of the
// instruction, and where a change moves the loops, copies that are no longer possible are made elsewhere.
[[nodiscard]] TransformList editedTensorList(const LoopNest &nest, const DeviceInfo &device, const TensorProduct &product,
                                             const TransformList &list, Dice &dice);

// The instruction of the list's tiles, if the device does the product with it.
[[nodiscard]] std::optional<TensorInstruction> instructionOf(const TensorProduct &product, const TransformList &list);

} // namespace sw
