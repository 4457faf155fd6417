#pragma once
// Memory that two processes share: the bytes of buffers pass through it without being copied into messages.

#include "engine/backend/host/crash_note.h"
#include "engine/backend/host/host_messages.h"
#include "engine/base/descriptor.h"
#include "engine/base/result.h"

#include <cstddef>
#include <span>

namespace sw {

class StagingMemory {
public:
    // Makes fresh memory, not yet touched.
    static Result<StagingMemory> make();
    // Opens memory that another process made. Errors: it is smaller than it has to be.
    static Result<StagingMemory> open(Descriptor memory);

    StagingMemory(StagingMemory &&other) noexcept;
    StagingMemory &operator=(StagingMemory &&other) noexcept;
    ~StagingMemory();

    [[nodiscard]] std::span<std::byte> bytes() const { return m_bytes.first(kStagingBytes); }
    // Behind them: what the host says when a signal ends it.
    [[nodiscard]] CrashNote &crashNote() const;
    [[nodiscard]] int descriptor() const { return m_memory.get(); }

private:
    StagingMemory(Descriptor memory, std::span<std::byte> bytes) : m_memory(std::move(memory)), m_bytes(bytes) {}

    Descriptor m_memory;
    std::span<std::byte> m_bytes;
};

} // namespace sw
