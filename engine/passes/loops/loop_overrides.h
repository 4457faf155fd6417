#pragma once
// The overrides that give the transformations of kernels, found in a program.

#include "engine/passes/pass_context.h"

#include <map>
#include <optional>
#include <span>

namespace sw {

// The nest with all of the transformations, if they apply and the nest that they make is legal.
[[nodiscard]] Result<LoopNest> transformedBy(LoopNest nest, std::span<const Transform> transforms, const Schedule &schedule);

class LoopOverrides {
public:
    LoopOverrides(const Schedule &schedule, const CompileOptions &options);

    // The nest with the transformations that are given for it; nothing: none are, or they are refused.
    [[nodiscard]] std::optional<LoopNest> transformed(const LoopNest &nest, const Schedule &schedule);
    // Those of the schedule, and what became of the ones that are about loops.
    [[nodiscard]] std::vector<OverrideOutcome> outcomes() && { return std::move(m_outcomes); }
    // One of them is about the loops of the kernel, whether it is refused or not.
    [[nodiscard]] bool isAbout(KernelId kernel) const { return m_ofKernel.contains(kernel); }
    // None is about loops.
    [[nodiscard]] bool empty() const;

private:
    const Overrides &m_overrides;
    bool m_isStrict;
    std::map<KernelId, std::uint32_t> m_ofKernel; // the override
    std::vector<OverrideOutcome> m_outcomes;      // by override
};

} // namespace sw
