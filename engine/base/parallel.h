#pragma once
// Independent pieces of work, done by all processors.

#include <cstddef>
#include <functional>

namespace sw {

// Calls work(0) to work(count - 1), each once, in any order, on this thread and others at the same time; returns when all have
// returned. An exception is thrown again here, and what was not begun by then is left out.
void inParallel(std::size_t count, const std::function<void(std::size_t)> &work);

} // namespace sw
