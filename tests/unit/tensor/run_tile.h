#pragma once

#include "engine/backend/backend.h"
#include "engine/base/result.h"
#include "engine/lowered/lowered.h"
#include "engine/types/host_tensor.h"

#include <vector>

namespace sw::test {

// What the machine code of the program's one kernel makes of its inputs a and b, or of one of them and a constant. The result has
// the type and the shape of `like`; an error: the kernel cannot be written or compiled for the device.
[[nodiscard]] Result<HostTensor> runTile(const LoweredProgram &program, const std::vector<HostTensor> &inputs,
                                         const HostTensor &like, const DeviceInfo &device, bool hasTiles);

} // namespace sw::test
