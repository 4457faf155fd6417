#pragma once
// The words for what a nest is made of: parts of the lines of printer.h.

#include "engine/loops/loop_nest.h"

#include <string>
#include <vector>

namespace sw {

class NestText {
public:
    // Both must stay.
    NestText(const LoopNest &nest, const Schedule &schedule) : m_nest(nest), m_schedule(schedule) {}

    [[nodiscard]] std::string ofAxis(AxisId axis) const;
    [[nodiscard]] std::string ofLoop(AxisId leaf) const; // "for i0 in 0..8"
    [[nodiscard]] std::string
    ofEnd(AxisId leaf) const; // " while i0 < n": up to where its loops go in a run; empty: to its extent
    [[nodiscard]] std::string ofIndex(ExprId index) const;
    [[nodiscard]] std::string ofMemory(BufferId buffer, NodeId node) const; // a buffer, or what a stage hands on
    [[nodiscard]] std::string ofValue(const Value &value) const;
    [[nodiscard]] std::string ofFetches(ValueId load) const;                 // " prefetch i0 + 1"
    [[nodiscard]] std::string ofExisting(const StoreStatement &store) const; // where a store along padded axes has an index
    [[nodiscard]] std::string ofJoined(ReductionId id) const;                // how it goes on in the loops of another one

private:
    [[nodiscard]] std::string ofConditions(const std::vector<RangeCondition> &conditions) const;
    [[nodiscard]] std::string ofOperands(const Value &value) const;
    [[nodiscard]] std::string ofPlace(const Value &value) const; // of memory

    const LoopNest &m_nest;
    const Schedule &m_schedule;
};

} // namespace sw
