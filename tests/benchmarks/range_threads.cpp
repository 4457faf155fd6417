#include "tests/benchmarks/range_threads.h"

#include <thread>
#include <vector>

namespace sw::benchmark {

void inParallel(std::uint32_t threads, std::size_t count, const std::function<void(std::size_t begin, std::size_t end)> &work)
{
    std::vector<std::jthread> others;
    const std::size_t part = count / threads;
    for (std::uint32_t i = 1; i < threads; ++i)
        others.emplace_back(work, i * part, i + 1 == threads ? count : (i + 1) * part);
    work(0, threads == 1 ? count : part);
}

} // namespace sw::benchmark
