#include "engine/passes/loops/tuning_key.h"

#include "engine/base/sha256.h"
#include "engine/loops/stages.h"
#include "engine/passes/loops/nest_structure.h"

#include <algorithm>

namespace sw {

std::string tuningKeyOf(const Schedule &schedule, const LoopNest &nest, const DeviceInfo &device)
{
    const std::string head = format("device {}\ndescription {}\ndriver {}\nthreads {}\ncaches {} {} {} {}\n", device.id,
                                    device.description, device.driver, device.threads, device.firstLevelBytes,
                                    device.firstLevelWays, device.cacheBytesPerCore, device.sharedCacheBytes);
    return hexText(sha256Of(head + namelessStructureOf(schedule, nest)));
}

bool mayReassociate(const LoopNest &nest)
{
    bool may = false;
    forEachStage(nest, [&](const LoopNest &stage) {
        may = may || std::ranges::any_of(stage.reductions, [](const Reduction &reduction) {
                  return roundsEachStep(reduction.op, reduction.dtype);
              });
    });
    return may;
}

} // namespace sw
