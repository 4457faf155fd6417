#pragma once
// The compiled kernels of one opened CPU device: its compiler adds them and its runtime runs them.

#include "engine/backend/backend.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace sw {

// Runs the work items begin <= gx < end of one row. args: the addresses of the buffers. faults: for each IndexCheck a pair of
// the count and the first index.
using RangeFunction = void (*)(void *const *args, std::int64_t begin, std::int64_t end, std::int64_t gy, std::int64_t gz,
                               std::int64_t *faults);

struct NativeKernel {
    RangeFunction run = nullptr;
    std::vector<InstructionId> indexChecks;
    std::shared_ptr<const void> code; // keeps the machine code in memory
    const void *entry = nullptr;      // of the kernel itself, whose machine code is shown; null: it has no such function
};

class KernelTable {
public:
    ArtifactId add(NativeKernel kernel);
    void remove(ArtifactId id);
    [[nodiscard]] std::shared_ptr<const NativeKernel> find(ArtifactId id) const; // null: there is none

private:
    mutable std::mutex m_mutex;
    std::unordered_map<ArtifactId, std::shared_ptr<const NativeKernel>> m_kernels;
    std::uint32_t m_next = 0;
};

} // namespace sw
