#pragma once
// What the window and the command line say while they wait for a compilation.

#include <string>

namespace sw {

class WorkProgress;

// "Lower loops, 12 of 40 kernels"; empty: no work is going on.
[[nodiscard]] std::string progressText(const WorkProgress &progress);

} // namespace sw
