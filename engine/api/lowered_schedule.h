#pragma once
// Makes the schedule of a program from the text of its kernels.

#include "engine/api/kernel_frame.h"

#include <span>
#include <vector>

namespace sw {

// The kernels run in their order; they get their places in it, and their arguments the numbers of the schedule's buffers. A join
// that does not fit, or is read before its parts are there, is an error.
[[nodiscard]] Result<SchedulePtr> scheduleOfKernels(std::vector<LoweredKernel> &kernels, KernelFrame frame,
                                                    std::span<const JoinLine> joins);

} // namespace sw
