#include "engine/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace sw {

void inParallel(std::size_t count, const std::function<void(std::size_t)> &work)
{
    std::atomic<std::size_t> next{0};
    std::once_flag isFailed;
    std::exception_ptr failure;
    const auto doSome = [&] {
        try {
            for (std::size_t i = next++; i < count; i = next++)
                work(i);
        } catch (...) {
            std::call_once(isFailed, [&] { failure = std::current_exception(); });
            next = count;
        }
    };
    {
        std::vector<std::jthread> others;
        const std::size_t threads = std::min<std::size_t>(count, std::max(std::thread::hardware_concurrency(), 1U));
        for (std::size_t i = 1; i < threads; ++i)
            others.emplace_back(doSome);
        doSome();
    }
    if (failure)
        std::rethrow_exception(failure);
}

} // namespace sw
