#pragma once
// Copies from which a tensor instruction reads whole tiles: where one may be made, and in which order it lies.

#include "engine/passes/loops/tensor_factors.h"
#include "engine/tune/dice.h"
#include "engine/tune/list_builder.h"

#include <cstdint>
#include <vector>

namespace sw {

// A product of narrow elements, and the instructions of a device that have its types and fit its extents.
struct TensorProduct {
    TensorFactors factors;
    std::vector<TensorInstruction> instructions = {};
};
// nest: before anything is chosen. Nothing: no instruction of the device does any of it.
[[nodiscard]] std::optional<TensorProduct> tensorProductOf(const LoopNest &nest, const DeviceInfo &device);

// Whether all tile registers with columns are read as a whole, from a copy or from memory that lies so. Else their elements are
// put together one by one, a thousand of them for each, which takes seconds to compile.
[[nodiscard]] bool readsWholeColumns(const LoopNest &nest, const TensorProduct &product);

// The loops of the domain at which a copy of what the load reads differs from that of the loop around, outermost first, and the
// first one of a work item.
[[nodiscard]] std::vector<AxisId> placesOfCopy(const LoopNest &nest, ValueId load);

// Adds a copy that a work item has room for, beside its other ones. False: it has none, or the copy does not apply.
bool addCopy(ListBuilder &list, const Transform &pack, std::int64_t mostBytes);

// Copies a factor at the loop, in an order from which tiles are read as a whole. False: it does not apply there, or a work item
// would copy more bytes than it may.
bool copyTiles(ListBuilder &list, const TensorProduct &product, TensorInstruction instruction, ValueId load, AxisId at,
               std::int64_t mostBytes, Dice &dice);
// At any of its places where it fits. False: at none.
bool copyTilesAnywhere(ListBuilder &list, const TensorProduct &product, TensorInstruction instruction, ValueId load,
                       std::int64_t mostBytes, Dice &dice);

} // namespace sw
