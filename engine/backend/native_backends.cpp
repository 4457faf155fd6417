#include "engine/backend/native_backends.h"

#include "engine/backend/c/c_backend.h"
#include "engine/backend/interpreter/interpreter_backend.h"
#include "engine/backend/llvm/llvm_backend.h"
#include "engine/backend/opencl/opencl_backend.h"

namespace sw {

void addNativeBackends(BackendRegistry &registry, const std::filesystem::path &hostProgram,
                       const std::filesystem::path &kernelFolder)
{
    registry.add(makeInterpreterBackend());
    registry.add(makeLlvmBackend(kernelFolder));
    registry.add(makeCBackend("clang-22", kernelFolder));
    registry.add(makeOpenClBackend({.program = hostProgram}));
}

} // namespace sw
