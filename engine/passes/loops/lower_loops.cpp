#include "engine/passes/loops/lower_loops.h"

#include "engine/passes/loops/factors.h"
#include "engine/passes/loops/kernel_lowering.h"

#include <algorithm>

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

} // namespace

Result<LoweredProgram> lowerLoops(const LoopProgramPtr &program, PassContext &context)
{
    LoweredProgram lowered{.schedule = program->schedule, .kernels = {}};
    for (const auto &nest : program->nests) {
        if (context.isCancelled())
            return Diagnostic::error(Code::Cancelled, {}, "cancelled while lowering");
        lowered.kernels.push_back(KernelLowering(*program->schedule, *nest).run());
        LoweredKernel &kernel = lowered.kernels.back();
        kernel.device = program->schedule->kernel(kernel.kernel).device;
        if (kernel.localSize == std::array<std::int64_t, 3>{1, 1, 1})
            kernel.localSize = groupFor(kernel, context.device(kernel.device));
    }
    return lowered;
}

} // namespace sw
