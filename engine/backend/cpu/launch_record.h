#pragma once
// The launch that this process is at, for whoever has to say what a signal ended (crash_handler.h). A signal handler can only
// read memory that it knows beforehand, so this is the one thing of the process that all runtimes share.

#include <cstddef>
#include <span>

namespace sw {

// While it lives, the launch works on these buffers, by argument position. One at a time counts: the newest.
class LaunchRecord {
public:
    LaunchRecord(std::span<const std::span<std::byte>> arguments, const void *entry);
    ~LaunchRecord();
    LaunchRecord(const LaunchRecord &) = delete;
    LaunchRecord &operator=(const LaunchRecord &) = delete;

    [[nodiscard]] std::span<const std::span<std::byte>> arguments() const { return m_arguments; }
    [[nodiscard]] const void *entry() const { return m_entry; } // of the kernel's machine code; null: unknown
    // Null: there is none. May be called by a signal handler.
    [[nodiscard]] static const LaunchRecord *current();

private:
    std::span<const std::span<std::byte>> m_arguments;
    const void *m_entry;
};

} // namespace sw
