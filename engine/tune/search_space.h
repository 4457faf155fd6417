#pragma once
// What the tuner tries: lists of transformations for one nest. Some are drawn as a whole (a register tile of one to three axes,
// an order of the loops, blocks of the reduction, copies of what is read again, a share for each thread; or tiles of a tensor
// instruction, where the device has one for the product), others are edits of a list that is there, or the parts of two. Every
// list that comes out of here is legal: it applies, and the verifier accepts the nest that it makes.

#include "engine/backend/backend.h"
#include "engine/tune/candidate.h"
#include "engine/tune/dice.h"
#include "engine/tune/tile_copies.h"

#include <optional>
#include <span>

namespace sw {

class SearchSpace {
public:
    // nest: before anything is chosen. device: with the tensor instructions that may be used. All three must stay.
    SearchSpace(const Schedule &schedule, const LoopNest &nest, const DeviceInfo &device);

    // Nothing: what was drawn is not legal.
    [[nodiscard]] std::optional<TransformList> drawn(Dice &dice) const;
    [[nodiscard]] std::optional<TransformList> edited(const TransformList &list, Dice &dice) const;
    [[nodiscard]] std::optional<TransformList> crossed(const TransformList &a, const TransformList &b, Dice &dice) const;

    // The nest with the list, if that is legal and written out no further than kMostRepeats.
    [[nodiscard]] std::optional<LoopNest> nestWith(std::span<const Transform> list) const;

    // Elements, times steps of a reduction, that are written out: more take seconds to compile, and spill.
    static constexpr std::int64_t kMostRepeats = 4096;

private:
    [[nodiscard]] std::optional<TransformList> legal(TransformList list) const;

    const Schedule &m_schedule;
    const LoopNest &m_nest;
    const DeviceInfo &m_device;
    std::optional<TensorProduct> m_tensor;
};

} // namespace sw
