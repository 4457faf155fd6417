// What was found for the kernels of the last compilation by measuring.

#include "engine/api/explorer_implementation.h"
#include "engine/api/kernel_variant.h"
#include "engine/passes/loops/tuning_key.h"

#include <algorithm>

namespace sw {

KernelTuned Explorer::tunedOf(std::uint32_t kernel) const
{
    const Compilation &compilation = m_implementation->compilation;
    if (compilation.loops == nullptr || kernel >= compilation.loops->nests.size())
        return {};
    const KernelId id(kernel);
    const LoopNest *plain = plainNest(compilation, id);
    if (plain == nullptr)
        return {};
    KernelTuned tuned{tuningKeyOf(*compilation.schedule, *plain, deviceOf(compilation, id)), {}, false};
    const auto kept = m_implementation->tunings.current();
    const auto found = kept->byKey.find(tuned.key);
    if (found == kept->byKey.end())
        return tuned;
    tuned.kept = reasonOf(found->second);
    tuned.isUsed = std::ranges::any_of(compilation.loops->nests[kernel]->transforms,
                                       [&](const Transform &one) { return one.reason == tuned.kept; });
    return tuned;
}

} // namespace sw
