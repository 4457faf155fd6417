#include "engine/backend/cpu/thread_pool.h"

#include <chrono>

#include <pthread.h>
#include <sched.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace sw {

namespace {

constexpr std::chrono::microseconds kSpinTime{200};
constexpr int kPausesPerLook = 32;

void pause()
{
#if defined(__x86_64__)
    _mm_pause();
#else
    std::this_thread::yield();
#endif
}

} // namespace

ThreadPool::ThreadPool(std::uint32_t threads, std::function<void()> onStart) : m_onStart(std::move(onStart))
{
    if (sched_getaffinity(0, sizeof(m_cores), &m_cores) != 0)
        CPU_ZERO(&m_cores);
    for (std::uint32_t i = 1; i < threads; ++i)
        m_workers.emplace_back([this, i] { workerLoop(i); });
}

ThreadPool::~ThreadPool()
{
    m_isEnding = true;
    m_epoch.fetch_add(1);
    m_epoch.notify_all();
    for (std::thread &worker : m_workers)
        worker.join();
}

void ThreadPool::run(const std::function<void(std::uint32_t)> &work)
{
    m_work = &work;
    keepWorkersOffOwnCore();
    m_gate.fetch_and(~kClosed, std::memory_order_release);
    m_epoch.fetch_add(1);
    m_epoch.notify_all();
    work(0);
    // No worker may enter any more; those inside are on their last piece.
    m_gate.fetch_or(kClosed);
    for (int looks = 0; m_gate.load(std::memory_order_acquire) != kClosed; ++looks) {
        if (looks < 4096)
            pause();
        else
            std::this_thread::yield();
    }
    m_work = nullptr;
}

void ThreadPool::keepWorkersOffOwnCore()
{
    const int own = m_workers.empty() ? m_callersCore : sched_getcpu();
    if (own == m_callersCore || own < 0)
        return;
    m_callersCore = own;
    cpu_set_t others = m_cores;
    CPU_CLR(static_cast<std::size_t>(own), &others);
    if (CPU_COUNT(&others) == 0)
        return;
    for (std::thread &worker : m_workers) // a failure leaves it where the system puts it, which is right, too
        static_cast<void>(pthread_setaffinity_np(worker.native_handle(), sizeof(others), &others));
}

bool ThreadPool::waitForJob(std::uint32_t &seen)
{
    auto deadline = std::chrono::steady_clock::now() + kSpinTime;
    for (int looks = 1; m_epoch.load(std::memory_order_acquire) == seen; ++looks) {
        pause();
        if (looks % kPausesPerLook == 0 && std::chrono::steady_clock::now() > deadline)
            m_epoch.wait(seen);
    }
    seen = m_epoch.load(std::memory_order_acquire);
    return !m_isEnding;
}

void ThreadPool::workerLoop(std::uint32_t number)
{
    if (m_onStart)
        m_onStart();
    std::uint32_t seen = 0;
    while (waitForJob(seen)) {
        // A worker that arrives late finds the gate closed and must not touch the job.
        if ((m_gate.fetch_add(1, std::memory_order_acquire) & kClosed) == 0)
            (*m_work)(number);
        m_gate.fetch_sub(1, std::memory_order_release);
    }
}

} // namespace sw
