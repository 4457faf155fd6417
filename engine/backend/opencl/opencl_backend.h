#pragma once
// The opencl backend: every device that the ICD loader lists, as "opencl", "opencl:1", ...

#include "engine/backend/backend.h"
#include "engine/backend/opencl/cl_assistant.h"

namespace sw {

[[nodiscard]] std::unique_ptr<Backend> makeOpenClBackend(AssistantOptions assistance = {});

} // namespace sw
