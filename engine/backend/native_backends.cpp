#include "engine/backend/native_backends.h"

#include "engine/backend/c/c_backend.h"
#include "engine/backend/interpreter/interpreter_backend.h"
#include "engine/backend/llvm/llvm_backend.h"
#include "engine/backend/opencl/opencl_backend.h"

namespace sw {

void addNativeBackends(BackendRegistry &registry, const std::filesystem::path &hostProgram)
{
    registry.add(makeInterpreterBackend());
    registry.add(makeLlvmBackend());
    registry.add(makeCBackend());
    registry.add(makeOpenClBackend({.program = hostProgram}));
}

} // namespace sw
