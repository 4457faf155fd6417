#include "tests/unit/allocations/counted_allocations.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

// All forms are replaced: a sanitizer has a form of its own for each that is not, and reports memory that one of its own gave and
// one of these takes back. All memory here is malloc's, so that every form may take back what any other gave.

namespace {

std::atomic<std::uint64_t> calls = 0;
std::atomic<std::uint64_t> bytes = 0;

void *countedOrNull(std::size_t size) noexcept
{
    calls.fetch_add(1, std::memory_order_relaxed);
    bytes.fetch_add(size, std::memory_order_relaxed);
    return std::malloc(std::max<std::size_t>(size, 1));
}

void *countedOrNull(std::size_t size, std::align_val_t alignment) noexcept
{
    calls.fetch_add(1, std::memory_order_relaxed);
    bytes.fetch_add(size, std::memory_order_relaxed);
    const auto multiple = std::max(static_cast<std::size_t>(alignment), sizeof(void *));
    const std::size_t whole = (std::max<std::size_t>(size, 1) + multiple - 1) / multiple * multiple; // as aligned_alloc wants it
    return std::aligned_alloc(multiple, whole);
}

template <class... Alignment>
void *counted(std::size_t size, Alignment... alignment)
{
    void *const memory = countedOrNull(size, alignment...);
    if (memory == nullptr)
        throw std::bad_alloc();
    return memory;
}

} // namespace

namespace sw::test {

Allocations allocationsSoFar()
{
    return {calls.load(std::memory_order_relaxed), bytes.load(std::memory_order_relaxed)};
}

} // namespace sw::test

void *operator new(std::size_t size)
{
    return counted(size);
}

void *operator new[](std::size_t size)
{
    return counted(size);
}

void *operator new(std::size_t size, std::align_val_t alignment)
{
    return counted(size, alignment);
}

void *operator new[](std::size_t size, std::align_val_t alignment)
{
    return counted(size, alignment);
}

void *operator new(std::size_t size, const std::nothrow_t &) noexcept
{
    return countedOrNull(size);
}

void *operator new[](std::size_t size, const std::nothrow_t &) noexcept
{
    return countedOrNull(size);
}

void *operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t &) noexcept
{
    return countedOrNull(size, alignment);
}

void *operator new[](std::size_t size, std::align_val_t alignment, const std::nothrow_t &) noexcept
{
    return countedOrNull(size, alignment);
}

void operator delete(void *memory) noexcept
{
    std::free(memory);
}

void operator delete[](void *memory) noexcept
{
    std::free(memory);
}

void operator delete(void *memory, std::size_t) noexcept
{
    std::free(memory);
}

void operator delete[](void *memory, std::size_t) noexcept
{
    std::free(memory);
}

void operator delete(void *memory, std::align_val_t) noexcept
{
    std::free(memory);
}

void operator delete[](void *memory, std::align_val_t) noexcept
{
    std::free(memory);
}

void operator delete(void *memory, std::size_t, std::align_val_t) noexcept
{
    std::free(memory);
}

void operator delete[](void *memory, std::size_t, std::align_val_t) noexcept
{
    std::free(memory);
}

void operator delete(void *memory, const std::nothrow_t &) noexcept
{
    std::free(memory);
}

void operator delete[](void *memory, const std::nothrow_t &) noexcept
{
    std::free(memory);
}

void operator delete(void *memory, std::align_val_t, const std::nothrow_t &) noexcept
{
    std::free(memory);
}

void operator delete[](void *memory, std::align_val_t, const std::nothrow_t &) noexcept
{
    std::free(memory);
}
