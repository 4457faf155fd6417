#pragma once
// Makes a list of transformations step by step, with the nest as it is so far at hand. What does not apply is left out.

#include "engine/loops/loop_nest.h"
#include "engine/tune/candidate.h"
#include "engine/tune/dice.h"

#include <string>
#include <vector>

namespace sw {

class ListBuilder {
public:
    explicit ListBuilder(const LoopNest &nest) : m_nest(nest) {}

    [[nodiscard]] const LoopNest &nest() const { return m_nest; }
    [[nodiscard]] const Axis &axis(AxisId id) const { return m_nest.axes[id.value]; }
    [[nodiscard]] TransformList take() { return std::move(m_list); }

    // False: it does not apply, and nothing changed.
    bool add(const Transform &transform);
    bool setType(AxisId id, AxisType type);
    bool reorder(const std::vector<AxisId> &order);
    // The outer and the inner part; the outer one is invalid when the factor is the whole axis.
    struct Parts {
        AxisId outer;
        AxisId inner;
    };
    Parts split(AxisId id, std::int64_t factor);
    // Makes so many neighbouring indices one step, in vectors of so many lanes (1: none). Returns the loop that is left outside;
    // invalid: there is none.
    AxisId tile(AxisId id, std::int64_t indices, std::int64_t lanes);
    // Copies what the load reads, once for each step of the loop `at` of the domain; the order of the copy's axes is drawn, but
    // the one that is repeated in vectors comes last.
    bool pack(ValueId load, AxisId at, Dice &dice);

private:
    [[nodiscard]] AxisId partInside(AxisId unsplit, AxisId at) const;

    LoopNest m_nest;
    TransformList m_list;
};

// The loads that a reduction reads.
[[nodiscard]] std::vector<ValueId> reducedLoads(const LoopNest &nest);
// The loops of the domain's list that are not repeated in registers, outermost first.
[[nodiscard]] std::vector<AxisId> domainLoops(const LoopNest &nest);

} // namespace sw
