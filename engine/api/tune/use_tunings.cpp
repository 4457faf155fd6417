#include "engine/api/tune/use_tunings.h"

#include "engine/api/explanation.h"
#include "engine/api/kernel_variant.h"
#include "engine/api/override_notes.h"
#include "engine/base/today.h"
#include "engine/execute/figures_store.h"
#include "engine/passes/loops/tuning_key.h"

#include <algorithm>
#include <set>

namespace sw {

namespace {

// The kernels whose loops overrides give, whether they are refused or not.
std::set<KernelId> kernelsByHand(const Compilation &compilation, const ValuePaths &paths)
{
    std::set<KernelId> kernels;
    for (const Override &item : compilation.target.options.overrides.items)
        if (item.kind == OverrideKind::Loops && item.isOn)
            if (const NodeId value = paths.find(item.value); value.isValid())
                kernels.insert(compilation.schedule->kernelOf(value));
    return kernels;
}

} // namespace

TuningStore tuningsBeside(const FiguresStore &figures)
{
    return TuningStore(figures.roofsFileOf({}, 1).parent_path() / "tunings");
}

CompileRequest withTunings(ProgramCompiler &compiler, CompileRequest request, const TuningStore &store,
                           const std::stop_token &stop)
{
    const std::shared_ptr<const Tunings> tunings = request.options.optimize ? store.read() : nullptr;
    if (tunings == nullptr)
        return request;
    CompileRequest first = request;
    first.until = CompileUntil::Lowered;
    const Compilation compilation = compiler.compile(first, stop);
    if (!compilation.succeeded || compilation.loops == nullptr)
        return request;
    const Schedule &schedule = *compilation.schedule;
    const ValuePaths paths(*schedule.graph);
    const std::set<KernelId> byHand = kernelsByHand(compilation, paths);
    for (std::size_t i = 0; i < schedule.kernels.size(); ++i) {
        const KernelId kernel(i);
        const LoopNest *plain = plainNest(compilation, kernel);
        if (plain == nullptr || byHand.contains(kernel) || (compilation.target.options.strict && mayReassociate(*plain)))
            continue;
        const DeviceSlot slot = schedule.kernel(kernel).device;
        const DeviceInfo &device =
            slot.value == 0 ? compilation.target.device : compilation.target.others.at(slot.value - 1).device;
        const auto found = tunings->byKey.find(tuningKeyOf(schedule, *plain, device));
        if (found == tunings->byKey.end())
            continue;
        Override loops = loopsOf(*plain, schedule, paths);
        for (Transform transform : found->second.transforms) {
            transform.reason = reasonOf(found->second);
            loops.transforms.push_back(std::move(transform));
        }
        loops.note = reasonOf(found->second);
        request.options.overrides.items.push_back(std::move(loops));
    }
    return request;
}

Result<Done> keepTuning(const TuningStore &store, const KernelTuning &tuning, std::uint64_t seed)
{
    if (tuning.search.best == 0) {
        SW_CHECK(store.remove(tuning.key));
        return Done{};
    }
    const Tuning found{.transforms = tuning.search.candidates.at(tuning.search.best).transforms,
                       .gain = tuning.gain(),
                       .measuredOn = today(),
                       .seed = seed};
    return store.keep(tuning.key, found, format("{} on {}", tuning.kernel, tuning.device));
}

} // namespace sw
