#pragma once
// Where the instructions of a kernel with a shared body come from.

#include "engine/lowered/kernel_list.h"

namespace sw {

// What an origin of the body stands for in the kernel.
[[nodiscard]] Origin originOf(const KernelBinding &binding, const Origin &inBody);

} // namespace sw
