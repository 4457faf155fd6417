#include "engine/backend/cpu/launch_record.h"

#include <atomic>

namespace sw {

namespace {

std::atomic<const LaunchRecord *> newest = nullptr;
static_assert(std::atomic<const LaunchRecord *>::is_always_lock_free, "a signal handler must not wait");

} // namespace

LaunchRecord::LaunchRecord(std::span<const std::span<std::byte>> arguments, const void *entry)
    : m_arguments(arguments), m_entry(entry)
{
    newest = this;
}

LaunchRecord::~LaunchRecord()
{
    const LaunchRecord *own = this;
    newest.compare_exchange_strong(own, nullptr);
}

const LaunchRecord *LaunchRecord::current()
{
    return newest;
}

} // namespace sw
