#pragma once
// The transformations that were found for kernels by measuring, found again in a program.

#include "engine/passes/pass_context.h"
#include "engine/passes/tunings.h"

#include <optional>
#include <string>
#include <vector>

namespace sw {

class LoopTunings {
public:
    LoopTunings(const Schedule &schedule, const PassContext &context);

    // The nest as it was tuned; nothing: it was not, or the list is no longer legal, which a note then says.
    [[nodiscard]] std::optional<LoopNest> transformed(const LoopNest &nest);
    [[nodiscard]] std::vector<std::string> notes() && { return std::move(m_notes); }

private:
    [[nodiscard]] bool mayUse(const LoopNest &nest, const Tuning &tuning) const;

    const Schedule &m_schedule;
    const PassContext &m_context;
    const Tunings *m_tunings; // null: there are none
    std::vector<std::string> m_notes;
};

} // namespace sw
