#include "tests/benchmarks/torch_memory.h"

#include <c10/core/CPUAllocator.h>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

namespace sw::benchmark {

namespace {

constexpr std::size_t kAlignment = 64;

// Lies in front of each block.
struct alignas(kAlignment) Header {
    std::size_t bytes = 0;
};

struct FreeBlocks {
    std::mutex mutex;
    std::map<std::size_t, std::vector<Header *>> bySize;
};

// Never destroyed: PyTorch gives blocks back until the program's very end.
FreeBlocks &freeBlocks()
{
    static FreeBlocks *const made = std::make_unique<FreeBlocks>().release();
    return *made;
}

void *taken(std::size_t bytes)
{
    {
        FreeBlocks &blocks = freeBlocks();
        const std::lock_guard lock(blocks.mutex);
        std::vector<Header *> &free = blocks.bySize[bytes];
        if (!free.empty()) {
            Header *header = free.back();
            free.pop_back();
            return header + 1;
        }
    }
    void *place = std::aligned_alloc(kAlignment, sizeof(Header) + bytes);
    if (place == nullptr)
        throw std::bad_alloc();
    return ::new (place) Header{bytes} + 1;
}

void giveBack(void *place)
{
    if (place == nullptr)
        return;
    Header *header = static_cast<Header *>(place) - 1;
    FreeBlocks &blocks = freeBlocks();
    const std::lock_guard lock(blocks.mutex);
    blocks.bySize[header->bytes].push_back(header);
}

class KeepingAllocator final : public c10::Allocator {
public:
    c10::DataPtr allocate(std::size_t bytes) const override
    {
        const c10::Device here(c10::DeviceType::CPU);
        if (bytes == 0)
            return {nullptr, here};
        void *place = taken((bytes + kAlignment - 1) / kAlignment * kAlignment);
        return {place, place, giveBack, here};
    }
    // oneDNN's part of PyTorch takes memory without what gives it back.
    c10::DeleterFnPtr raw_deleter() const override { return giveBack; }
};

} // namespace

void keepTorchMemory()
{
    constexpr std::uint8_t kAboveItsOwn = 1;
    static KeepingAllocator allocator;
    static std::once_flag isKept;
    std::call_once(isKept, [] { c10::SetCPUAllocator(&allocator, kAboveItsOwn); });
}

} // namespace sw::benchmark
