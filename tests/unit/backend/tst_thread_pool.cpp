#include "engine/backend/cpu/thread_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <latch>
#include <thread>
#include <vector>

#include <sched.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace sw {
namespace {

constexpr std::uint32_t kThreads = 3;

// Which thread did each piece; the others have not been claimed.
class Log {
public:
    explicit Log(std::int64_t pieces) : m_threads(static_cast<std::size_t>(pieces), -1) {}

    void operator()(ThreadPool::Pieces &pieces)
    {
        do {
            m_repeated = m_repeated || threadOf(pieces.index()) != -1;
            m_threads[static_cast<std::size_t>(pieces.index())] = static_cast<int>(pieces.thread());
        } while (pieces.next());
    }

    [[nodiscard]] int threadOf(std::int64_t piece) const { return m_threads.at(static_cast<std::size_t>(piece)); }
    [[nodiscard]] bool isWhole() const
    {
        return !m_repeated && std::ranges::all_of(m_threads, [](int thread) { return thread >= 0; });
    }

private:
    std::vector<int> m_threads;
    std::atomic<bool> m_repeated = false;
};

// No thread goes on before all of them have a piece.
class Meeting {
public:
    void operator()(ThreadPool::Pieces &pieces)
    {
        do {
            m_threadOf[static_cast<std::size_t>(pieces.index())] = pieces.thread();
            m_latch.arrive_and_wait();
        } while (pieces.next());
    }

    // By piece.
    [[nodiscard]] const std::array<std::uint32_t, kThreads> &threads() const { return m_threadOf; }

private:
    std::latch m_latch{kThreads};
    std::array<std::uint32_t, kThreads> m_threadOf{};
};

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
    std::latch latch(2);
    auto job = [&](ThreadPool::Pieces &pieces) {
        do {
            if (pieces.thread() != 0)
                cores = coresOfThisThread();
            latch.arrive_and_wait();
        } while (pieces.next());
    };
    pool.run(2, job);
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

TEST(ThreadPool, doesEachPieceOnce)
{
    ThreadPool pool(kThreads, [] {});
    for (int job = 0; job < 3000; ++job) {
        const std::int64_t pieces = job % 40;
        Log log(pieces);
        pool.run(pieces, log);
        ASSERT_TRUE(log.isWhole()) << pieces;
    }
}

// By its number a thread finds the same part of the work again; the caller's is 0.
TEST(ThreadPool, givesEachThreadTheSameShare)
{
    ThreadPool pool(kThreads, [] {});
    for (int job = 0; job < 200; ++job) {
        Meeting meeting;
        pool.run(kThreads, meeting);
        EXPECT_EQ(meeting.threads(), (std::array<std::uint32_t, kThreads>{0, 1, 2}));
    }
}

TEST(ThreadPool, wakesWorkersThatSleep)
{
    ThreadPool pool(kThreads, [] {});
    for (int job = 0; job < 20; ++job) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2)); // ten times as long as a worker spins
        Meeting meeting;
        pool.run(kThreads, meeting); // would not end
    }
}

TEST(ThreadPool, doesNotWaitForWorkersThatArriveLate)
{
    std::atomic<bool> mayStart = false;
    ThreadPool pool(kThreads, [&] { mayStart.wait(false); });
    for (const std::int64_t pieces : {1, 2, 3, 48}) {
        Log log(pieces);
        pool.run(pieces, log);
        EXPECT_TRUE(log.isWhole()) << pieces;
        for (std::int64_t piece = 0; piece < pieces; ++piece)
            EXPECT_EQ(log.threadOf(piece), 0);
    }
    mayStart = true;
    mayStart.notify_all();
    Meeting meeting;
    pool.run(kThreads, meeting); // which they are there for
}

TEST(ThreadPool, doesOnePieceOnTheCallersThread)
{
    ThreadPool pool(kThreads, [] {});
    for (int job = 0; job < 200; ++job) {
        Log log(1);
        pool.run(1, log);
        EXPECT_EQ(log.threadOf(0), 0);
    }
}

#if defined(__x86_64__)
// Kernels store large results past the caches: whoever waits for the pieces finds all of it in memory, and so do the next pieces,
// on whatever thread.
TEST(ThreadPool, whatIsStoredPastTheCachesIsThereAfterwards)
{
    constexpr std::int64_t kRounds = 20000;
    constexpr std::int64_t kPieces = 4;
    constexpr std::size_t kNumbers = 256; // of a piece
    ThreadPool pool(2, [] {});
    std::vector<std::int32_t> values(kPieces * kNumbers);
    std::atomic<std::int64_t> stale = 0;
    for (std::int32_t round = 1; round <= kRounds; ++round) {
        auto job = [&](ThreadPool::Pieces &pieces) {
            do {
                // What another thread may have stored in the last round.
                const auto own = static_cast<std::size_t>((pieces.index() + round) % kPieces) * kNumbers;
                stale += values[own + kNumbers - 1] == round - 1 ? 0 : 1;
                for (std::size_t i = 0; i < kNumbers; ++i)
                    _mm_stream_si32(&values[own + i], round);
            } while (pieces.next());
        };
        pool.run(kPieces, job);
        stale += std::ranges::count_if(values, [&](std::int32_t value) { return value != round; });
    }
    EXPECT_EQ(stale, 0);
}
#endif

// A job that returns early is called again.
TEST(ThreadPool, callsAJobUntilNothingIsLeft)
{
    ThreadPool pool(kThreads, [] {});
    std::array<std::atomic<int>, 30> times{};
    auto job = [&](const ThreadPool::Pieces &pieces) { ++times[static_cast<std::size_t>(pieces.index())]; };
    pool.run(30, job);
    EXPECT_TRUE(std::ranges::all_of(times, [](const std::atomic<int> &time) { return time == 1; }));
}

} // namespace
} // namespace sw
