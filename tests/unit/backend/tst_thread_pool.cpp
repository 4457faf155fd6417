#include "engine/backend/cpu/thread_pool.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>

#include <sched.h>

namespace sw {
namespace {

// Every thread has a number of its own, the same in every job, and the caller's is 0: by it a thread takes the same share of the
// work again.
cpu_set_t coresOfThisThread()
{
    cpu_set_t cores{};
    EXPECT_EQ(sched_getaffinity(0, sizeof(cores), &cores), 0);
    return cores;
}

// The caller may run on the core alone; the worker says where it may run, once it has arrived.
cpu_set_t coresOfWorker(ThreadPool &pool, std::size_t callersCore)
{
    cpu_set_t only{};
    CPU_SET(callersCore, &only);
    EXPECT_EQ(sched_setaffinity(0, sizeof(only), &only), 0);
    cpu_set_t cores{};
    std::atomic<bool> hasArrived = false;
    pool.run([&](std::uint32_t number) {
        if (number == 0) {
            hasArrived.wait(false);
            return;
        }
        cores = coresOfThisThread();
        hasArrived = true;
        hasArrived.notify_one();
    });
    return cores;
}

TEST(ThreadPool, keepsWorkersOffTheCallersCore)
{
    const cpu_set_t all = coresOfThisThread();
    if (CPU_COUNT(&all) < 2)
        GTEST_SKIP() << "this machine has one core";
    ThreadPool pool(2, [] {});
    for (std::size_t core = 0; core < CPU_SETSIZE; ++core) {
        if (!CPU_ISSET(core, &all))
            continue;
        const cpu_set_t allowed = coresOfWorker(pool, core);
        EXPECT_FALSE(CPU_ISSET(core, &allowed)) << core;
        EXPECT_EQ(CPU_COUNT(&allowed), CPU_COUNT(&all) - 1) << core;
    }
    EXPECT_EQ(sched_setaffinity(0, sizeof(all), &all), 0);
}

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
