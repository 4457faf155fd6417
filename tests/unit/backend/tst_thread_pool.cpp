#include "engine/backend/cpu/thread_pool.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>

namespace sw {
namespace {

// Every thread has a number of its own, the same in every job, and the caller's is 0: by it a thread takes the same share of the
// work again.
TEST(ThreadPool, tellsEachThreadItsNumber)
{
    constexpr std::uint32_t kThreads = 3;
    ThreadPool pool(kThreads, [] {});
    std::array<std::atomic<std::thread::id>, kThreads> known{};
    std::atomic<int> wrong = 0;
    std::atomic<int> calls = 0;
    for (int job = 0; job < 200; ++job)
        pool.run([&](std::uint32_t number) {
            ++calls;
            if (number >= kThreads) {
                ++wrong;
                return;
            }
            std::thread::id before{};
            if (!known[number].compare_exchange_strong(before, std::this_thread::get_id()) &&
                before != std::this_thread::get_id())
                ++wrong;
        });
    EXPECT_EQ(wrong, 0);
    EXPECT_GE(calls, 200);
    EXPECT_EQ(known[0].load(), std::this_thread::get_id());
}

} // namespace
} // namespace sw
