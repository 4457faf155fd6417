#include "engine/passes/loops/loop_overrides.h"

#include "engine/graph/value_path.h"
#include "engine/loops/stages.h"
#include "engine/loops/verifier.h"

#include <algorithm>
#include <utility>

namespace sw {

namespace {

// The list may begin with the transformations that the nest has already: the loops stage prints them all.
std::span<const Transform> withoutFirst(std::span<const Transform> given, const LoopNest &nest)
{
    const bool hasAll = given.size() >= nest.transforms.size() &&
                        std::ranges::equal(
                            nest.transforms, given.first(nest.transforms.size()), {},
                            [](const Transform &one) { return toText(one); }, [](const Transform &one) { return toText(one); });
    return hasAll ? given.subspan(nest.transforms.size()) : given;
}

// The value that a view leads to; the value itself when a kernel computes it, or it is none.
NodeId computedFor(const Schedule &schedule, NodeId id)
{
    while (!schedule.kernelOf(id).isValid() && familyOf(schedule.graph->node(id).kind) == NodeFamily::Movement)
        id = schedule.graph->node(id).inputs.at(0);
    return id;
}

bool hasReductions(const LoopNest &nest)
{
    bool has = false;
    forEachStage(nest, [&](const LoopNest &stage) { has = has || !stage.reductions.empty(); });
    return has;
}

} // namespace

Result<LoopNest> transformedBy(LoopNest nest, std::span<const Transform> transforms, const Schedule &schedule)
{
    for (const Transform &transform : transforms) {
        SW_TRY(nest, applyTransform(std::move(nest), transform));
    }
    SW_CHECK(verifyLoops(nest, schedule));
    return nest;
}

LoopOverrides::LoopOverrides(const Schedule &schedule, const CompileOptions &options)
    : m_overrides(options.overrides), m_isStrict(options.strict), m_outcomes(schedule.overrides)
{
    const Overrides &overrides = m_overrides;
    if (overrides.items.size() != m_outcomes.size() || overrides.items.empty())
        return;
    const ValuePaths paths(*schedule.graph);
    for (std::uint32_t i = 0; i < overrides.items.size(); ++i) {
        const Override &item = overrides.items[i];
        if (item.kind != OverrideKind::Loops || m_outcomes[i].state != OverrideState::NoChange)
            continue;
        const NodeId value = computedFor(schedule, paths.find(item.value));
        const auto kernel = std::ranges::find_if(schedule.kernels, [&](const ScheduledKernel &one) {
            return std::ranges::find(one.results, value) != one.results.end();
        });
        if (kernel == schedule.kernels.end()) {
            const KernelId other = schedule.kernelOf(value);
            m_outcomes[i] = {OverrideState::Refused,
                             other.isValid() ? format("{} is not stored: it is computed inside of the kernel that stores {}",
                                                      item.value, paths.of(schedule.kernel(other).root))
                                             : format("no kernel computes {}", item.value)};
            continue;
        }
        const KernelId id(static_cast<std::uint32_t>(kernel - schedule.kernels.begin()));
        if (!m_ofKernel.emplace(id, i).second)
            m_outcomes[i] = {OverrideState::Refused, "an earlier override gives the transformations of this kernel"};
        else
            m_outcomes[i] = {OverrideState::Refused, "transformations are switched off"}; // until they are applied
    }
}

bool LoopOverrides::empty() const
{
    return std::ranges::none_of(m_overrides.items, [](const Override &item) { return item.kind == OverrideKind::Loops; });
}

std::optional<LoopNest> LoopOverrides::transformed(const LoopNest &nest, const Schedule &schedule)
{
    const auto found = m_ofKernel.find(nest.kernel);
    if (found == m_ofKernel.end())
        return std::nullopt;
    if (m_isStrict && hasReductions(nest)) {
        m_outcomes[found->second] = {OverrideState::Refused, "the option strict keeps the order of its reductions"};
        return std::nullopt;
    }
    const std::span<const Transform> given = withoutFirst(m_overrides.items[found->second].transforms, nest);
    Result<LoopNest> made = transformedBy(nest, given, schedule);
    if (!made) {
        m_outcomes[found->second] = {OverrideState::Refused, made.error().front().message};
        return std::nullopt;
    }
    m_outcomes[found->second] = {OverrideState::Applied, {}};
    return std::move(*made);
}

} // namespace sw
