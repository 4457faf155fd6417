#include "engine/passes/loops/lower_loops.h"

#include "engine/passes/loops/factors.h"
#include "engine/passes/loops/kernel_lowering.h"
#include "engine/passes/loops/nest_structure.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sw {

namespace {

// Work items that share nothing are grouped only so that a GPU fills its lanes: along x first, where memory runs.
std::array<std::int64_t, 3> groupFor(const LoweredKernel &kernel, const DeviceInfo &device)
{
    std::array<std::int64_t, 3> group{1, 1, 1};
    if (device.kind != DeviceKind::Gpu)
        return group;
    std::int64_t left = std::min(kItemsPerGroup, device.maxWorkgroup);
    for (std::size_t i = 0; i < group.size(); ++i) {
        group.at(i) = largestDivisor(kernel.globalSize.at(i), left);
        left /= group.at(i);
    }
    return group;
}

LoweredKernel lowered(const Schedule &schedule, const LoopNest &nest, FrameOrigins origins, const PassContext &context)
{
    LoweredKernel kernel = KernelLowering(schedule, nest, std::move(origins)).run();
    if (kernel.localSize == std::array<std::int64_t, 3>{1, 1, 1})
        kernel.localSize = groupFor(kernel, context.device(kernel.device));
    return kernel;
}

KernelBinding bindingOf(const Schedule &schedule, const LoopNest &nest)
{
    const ScheduledKernel &kernel = schedule.kernel(nest.kernel);
    KernelBinding binding{.kernel = nest.kernel, .name = kernel.name, .origin = kernel.origin};
    binding.arguments = argumentsOf(kernel);
    for (const BufferId argument : binding.arguments)
        binding.argumentNames.push_back(schedule.buffer(argument).name);
    binding.places = originsOf(schedule, nest);
    return binding;
}

// Nests of equal structure.
struct Likes {
    std::size_t count = 0;
    std::optional<std::size_t> body = {}; // the body that they share, once the first of them is lowered
};

} // namespace

Result<LoweredProgram> lowerLoops(const LoopProgramPtr &program, PassContext &context)
{
    const Schedule &schedule = *program->schedule;
    std::unordered_map<std::string, Likes> byStructure;
    std::vector<Likes *> likesOf;
    for (const auto &nest : program->nests) {
        likesOf.push_back(&byStructure[structureOf(schedule, *nest)]);
        ++likesOf.back()->count;
    }
    LoweredProgram made{.schedule = program->schedule, .kernels = {}};
    for (std::size_t i = 0; i < program->nests.size(); ++i) {
        if (context.isCancelled())
            return Diagnostic::error(Code::Cancelled, {}, "cancelled while lowering");
        const LoopNest &nest = *program->nests[i];
        Likes &likes = *likesOf[i];
        if (likes.count == 1) {
            made.kernels.push_back(lowered(schedule, nest, frameOriginsOf(schedule, nest), context));
            continue;
        }
        if (!likes.body) {
            PlacedNest placed = withPlaces(schedule, nest);
            likes.body = made.kernels.addBody(lowered(schedule, placed.nest, std::move(placed.frame), context));
        }
        made.kernels.addBound(*likes.body, bindingOf(schedule, nest));
    }
    return made;
}

} // namespace sw
