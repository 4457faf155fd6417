#pragma once
// Memory that two processes share: the bytes of buffers pass through it without being copied into messages.

#include "engine/base/descriptor.h"
#include "engine/base/result.h"

#include <cstddef>
#include <span>

namespace sw {

class StagingMemory {
public:
    // Makes kStagingBytes of fresh memory, not yet touched.
    static Result<StagingMemory> make();
    // Opens memory that another process made. Errors: it is smaller than kStagingBytes.
    static Result<StagingMemory> open(Descriptor memory);

    StagingMemory(StagingMemory &&other) noexcept;
    StagingMemory &operator=(StagingMemory &&other) noexcept;
    ~StagingMemory();

    [[nodiscard]] std::span<std::byte> bytes() const { return m_bytes; }
    [[nodiscard]] int descriptor() const { return m_memory.get(); }

private:
    StagingMemory(Descriptor memory, std::span<std::byte> bytes) : m_memory(std::move(memory)), m_bytes(bytes) {}

    Descriptor m_memory;
    std::span<std::byte> m_bytes;
};

} // namespace sw
