#pragma once
// Threads that work on one job at a time, each taking pieces of it. Workers spin for a while after a job, because the program's
// next kernel usually follows at once and waking a sleeping thread costs tens of microseconds; then they sleep.
//
// A job does not wait for workers that arrive late. So a worker that the system wakes on the caller's own core, where it cannot
// run as long as the caller does, would miss job after job, with another core idle: a kernel of 0.1 ms on two cores took 0.2 ms
// for many runs. Hence workers are kept off the core that the caller is on.

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include <sched.h>

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
    void keepWorkersOffOwnCore();
    [[nodiscard]] bool waitForJob(std::uint32_t &seen); // false: the pool is ending

    // The gate counts the workers inside the job; when the highest bit is set, no more may enter.
    static constexpr std::uint32_t kClosed = 1U << 31U;
    alignas(64) std::atomic<std::uint32_t> m_epoch{0};
    alignas(64) std::atomic<std::uint32_t> m_gate{kClosed};
    const std::function<void(std::uint32_t)> *m_work = nullptr; // read only between entering and leaving the gate
    std::atomic<bool> m_isEnding{false};
    std::function<void()> m_onStart;
    cpu_set_t m_cores{};    // that the process may use
    int m_callersCore = -1; // which the workers were kept off last; -1: none
    std::vector<std::thread> m_workers;
};

} // namespace sw
