#include "engine/passes/loops/loop_tunings.h"

#include "engine/passes/loops/loop_overrides.h"
#include "engine/passes/loops/tuning_key.h"

#include <algorithm>
#include <utility>

namespace sw {

LoopTunings::LoopTunings(const Schedule &schedule, const PassContext &context)
    : m_schedule(schedule), m_context(context), m_tunings(context.options().optimize ? context.options().tunings.get() : nullptr)
{
    if (m_tunings != nullptr)
        m_notes = m_tunings->notes;
}

bool LoopTunings::mayUse(const LoopNest &nest, const Tuning &tuning) const
{
    if (m_context.options().strict && mayReassociate(nest))
        return false;
    return m_context.options().tensorInstructions ||
           std::ranges::find(tuning.transforms, TransformKind::Tensorize, &Transform::kind) == tuning.transforms.end();
}

std::optional<LoopNest> LoopTunings::transformed(const LoopNest &nest)
{
    if (m_tunings == nullptr || m_tunings->byKey.empty())
        return std::nullopt;
    const ScheduledKernel &kernel = m_schedule.kernel(nest.kernel);
    const auto found = m_tunings->byKey.find(tuningKeyOf(m_schedule, nest, m_context.device(kernel.device)));
    if (found == m_tunings->byKey.end() || !mayUse(nest, found->second))
        return std::nullopt;
    std::vector<Transform> transforms = found->second.transforms;
    for (Transform &transform : transforms)
        transform.reason = reasonOf(found->second);
    Result<LoopNest> made = transformedBy(nest, transforms, m_schedule);
    if (!made) {
        m_notes.push_back(format("the tuning of {} ({}) is not used: {}; tune it again", kernel.name, reasonOf(found->second),
                                 made.error().front().message));
        return std::nullopt;
    }
    return std::move(*made);
}

} // namespace sw
