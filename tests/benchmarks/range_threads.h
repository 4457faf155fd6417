#pragma once
// Threads that live for one call, for what has none of its own: plain loops, and libraries that leave them to their callers.

#include <cstddef>
#include <cstdint>
#include <functional>

namespace sw::benchmark {

// Splits a range among threads; the calling one does the first part.
void inParallel(std::uint32_t threads, std::size_t count, const std::function<void(std::size_t begin, std::size_t end)> &work);

} // namespace sw::benchmark
