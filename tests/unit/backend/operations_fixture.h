#pragma once
// What the tests of operations share: the backends, and kernels as backends get them.

#include "engine/passes/lowered/decompose.h"
#include "engine/passes/lowered/widen_storage_types.h"
#include "tests/unit/backend/backend_fixture.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace sw::test {

// Opened once per backend: opening is not what is tested here.
inline OpenBackend &backendNamed(const std::string &id)
{
    static std::map<std::string, std::unique_ptr<OpenBackend>> opened;
    auto &backend = opened[id];
    if (!backend)
        backend = std::make_unique<OpenBackend>(id);
    return *backend;
}

// That the language has a spelling for.
inline std::vector<Op> operationsOf(TargetLanguage language, DType dtype)
{
    std::vector<Op> found;
    for (const Op op : allOps())
        if (accepts(op, dtype) && !spellingOf(op, language, computeType(dtype)).empty())
            found.push_back(op);
    return found;
}

// As the passes hand kernels to a backend: without what its language or its device lacks.
inline LoweredKernel lowered(LoweredKernel kernel, TargetLanguage language, const DeviceInfo &device)
{
    const CompileOptions options;
    PassContext context(device, language, options, {});
    LoweredProgram program{nullptr, {std::move(kernel)}};
    for (const auto pass : {&widenStorageTypes, &decompose}) {
        std::optional<LoweredProgram> rewritten = pass(program, context).value();
        if (rewritten)
            program = std::move(*rewritten);
    }
    return std::move(program.kernels.front());
}

} // namespace sw::test
