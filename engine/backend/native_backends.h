#pragma once
// The backends that run in this process: interpreter, llvm, c, opencl. Part of stepwell_native.

#include "engine/backend/backend.h"

namespace sw {

// Adds every backend that this build has; probing tells which ones work here.
void addNativeBackends(BackendRegistry &registry);

} // namespace sw
