#pragma once
// Memory for buffers, aligned to 64 bytes; large blocks use huge pages. Freed blocks are kept for the next request of their size,
// because the first touch of fresh pages costs more than most kernels. Very large ones are fresh each time, and nothing is there
// before it is touched: they hold places for constants that kernels read elsewhere.

#include "engine/base/result.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace sw {

class BufferPool {
public:
    BufferPool() = default;
    ~BufferPool();
    BufferPool(const BufferPool &) = delete;
    BufferPool &operator=(const BufferPool &) = delete;

    [[nodiscard]] Result<std::span<std::byte>> take(std::int64_t bytes); // zero-filled
    void giveBack(std::span<std::byte> block);

    // Brings the pages of a part of a block in, with what they hold, so that no kernel waits for them.
    static void touch(std::span<std::byte> part);

private:
    std::map<std::size_t, std::vector<void *>> m_free; // by block size
    std::size_t m_freeBytes = 0;
};

} // namespace sw
