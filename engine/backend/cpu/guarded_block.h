#pragma once
// Memory for one buffer, between pages that nobody may touch. The buffer ends as close to the page behind it as its alignment
// allows; the bytes that are left over hold a pattern, which shows what was written there.

#include "engine/base/result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace sw {

class GuardedBlock {
public:
    [[nodiscard]] static Result<GuardedBlock> make(std::int64_t bytes); // zero-filled, aligned to 64 bytes
    ~GuardedBlock();
    GuardedBlock(GuardedBlock &&other) noexcept;
    GuardedBlock &operator=(GuardedBlock &&) = delete;

    [[nodiscard]] std::span<std::byte> bytes() const { return m_bytes; }

    // A byte beside the buffer that was written to, counted from the buffer's beginning: negative, or at least its size. Writes
    // the pattern anew. Nothing: there is none.
    [[nodiscard]] std::optional<std::int64_t> takeOverwritten();

private:
    GuardedBlock(std::span<std::byte> mapped, std::span<std::byte> usable, std::span<std::byte> bytes);
    [[nodiscard]] std::span<std::byte> before() const;
    [[nodiscard]] std::span<std::byte> behind() const;

    std::span<std::byte> m_mapped; // with the pages that nobody may touch
    std::span<std::byte> m_usable; // without them
    std::span<std::byte> m_bytes;
};

} // namespace sw
