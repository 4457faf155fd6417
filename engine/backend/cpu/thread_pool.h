#pragma once
// Threads that work on one job at a time, each taking pieces of it. Workers spin for a while after a job, because the program's
// next kernel usually follows at once and waking a sleeping thread costs tens of microseconds; then they sleep.

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace sw {

class ThreadPool {
public:
    // threads: how many work on a job, including the caller's own. onStart runs first on every worker.
    ThreadPool(std::uint32_t threads, std::function<void()> onStart);
    ~ThreadPool();
    ThreadPool(const ThreadPool &) = delete;
    ThreadPool &operator=(const ThreadPool &) = delete;

    [[nodiscard]] std::uint32_t threads() const { return static_cast<std::uint32_t>(m_workers.size()) + 1; }

    // Calls work on this thread and on the workers that arrive in time; returns when all calls have returned. work hands out its
    // pieces itself, so a call that finds nothing left returns at once. It is told which thread calls: 0 is this one. One job at
    // a time.
    void run(const std::function<void(std::uint32_t)> &work);

private:
    void workerLoop(std::uint32_t number);
    [[nodiscard]] bool waitForJob(std::uint32_t &seen); // false: the pool is ending

    // The gate counts the workers inside the job; when the highest bit is set, no more may enter.
    static constexpr std::uint32_t kClosed = 1U << 31U;
    alignas(64) std::atomic<std::uint32_t> m_epoch{0};
    alignas(64) std::atomic<std::uint32_t> m_gate{kClosed};
    const std::function<void(std::uint32_t)> *m_work = nullptr; // read only between entering and leaving the gate
    std::atomic<bool> m_isEnding{false};
    std::function<void()> m_onStart;
    std::vector<std::thread> m_workers;
};

} // namespace sw
