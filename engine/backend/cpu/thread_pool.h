#pragma once
// Threads that work on one job at a time. A job has pieces, and each thread has a share of neighbouring ones: the same part in
// each job, so that it finds in its own cache what it has computed there; then it helps the others. Workers spin for a while
// after a job, because the program's next kernel usually follows at once and waking a sleeping thread costs tens of microseconds;
// then they sleep.
//
// A word from one core to another takes as long as a small kernel: 0.3 microseconds and more where they have no cache in common.
// So a worker finds all that it needs in one line of the cache, its share, and says in another how many pieces it has done. A
// piece is claimed before it is done, and a job is over when all its pieces are done. So a job does not wait for workers that
// arrive late: the others take their pieces.
//
// A worker that the system wakes on the caller's own core, where it cannot run as long as the caller does, would miss job after
// job, with another core idle: a kernel of 0.1 ms on two cores took 0.2 ms for many runs. Hence workers are kept off the core
// that the caller is on.

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include <sched.h>

namespace sw {

class ThreadPool {
    struct Share;

public:
    // Pieces of one share, which one thread does one after the other. It starts with a piece that the thread has claimed.
    class Pieces {
    public:
        [[nodiscard]] std::int64_t index() const { return m_index; }    // of the claimed piece, counted over the whole job
        [[nodiscard]] std::uint32_t thread() const { return m_thread; } // that calls: 0 is the one that asked for the job

        // Claims the next piece; false: there is none left.
        [[nodiscard]] bool next();

    private:
        friend class ThreadPool;
        Pieces(Share &share, std::uint32_t job, std::uint32_t thread) : m_share(share), m_job(job), m_thread(thread) {}

        Share &m_share;
        std::uint32_t m_job; // of whose pieces it claims
        std::uint32_t m_thread;
        std::int64_t m_index = 0;
        std::int64_t m_claimed = 0;
    };

    // threads: how many work on a job, including the caller's own. onStart runs first on every worker.
    ThreadPool(std::uint32_t threads, std::function<void()> onStart);
    ~ThreadPool();
    ThreadPool(const ThreadPool &) = delete;
    ThreadPool &operator=(const ThreadPool &) = delete;

    [[nodiscard]] std::uint32_t threads() const { return m_threads; }

    // Calls job(pieces) on this thread and on others, each of which has to do what it claims: all of them together do so many
    // pieces. Returns when all calls have returned. One job at a time.
    template <class Job>
    void run(std::int64_t pieces, Job &job)
    {
        runJob(pieces, [](void *what, Pieces &claimed) { (*static_cast<Job *>(what))(claimed); }, &job);
    }

private:
    using Work = void (*)(void *job, Pieces &pieces);

    // Pieces that nobody has claimed, the last ones of a share, and the number of the job whose pieces they are: who helps others
    // with one job does not begin the next one with their pieces.
    struct Left {
        std::uint32_t job = 0;
        std::uint32_t pieces = 0;
    };
    static_assert(std::atomic<Left>::is_always_lock_free);

    // What a thread has of a job. Whoever has claimed a piece may read what the job is, which does not change before it is done.
    struct alignas(64) Share {
        std::atomic<Left> left{};
        std::atomic<void *> job{nullptr};
        Work work = nullptr;
        std::int64_t end = 0; // behind the last piece
    };

    struct alignas(64) Done {
        std::atomic<std::int64_t> pieces{0}; // of all jobs
    };

    void runJob(std::int64_t pieces, Work work, void *job);
    // The pieces begin <= i < end. All that were offered before are done.
    void offer(Share &share, std::int64_t begin, std::int64_t end, Work work, void *job) const;
    void wakeSleepers();
    void takePieces(Share &share, std::uint32_t job, std::uint32_t thread);
    void takeOwnThenOthers(std::uint32_t thread);
    [[nodiscard]] std::int64_t piecesDone() const;
    void workerLoop(std::uint32_t number);
    void keepWorkersOffOwnCore();
    [[nodiscard]] bool waitForShare(const Share &own); // false: the pool is ending

    std::uint32_t m_threads;
    std::unique_ptr<Share[]> m_shares; // by thread
    std::unique_ptr<Done[]> m_done;    // by thread
    std::uint32_t m_job = 0;           // number of the last job
    std::int64_t m_offered = 0;        // pieces of all jobs
    std::atomic<std::uint32_t> m_sleepers{0};
    std::atomic<std::uint32_t> m_wakes{0}; // what sleepers wait on
    std::atomic<bool> m_isEnding{false};
    std::function<void()> m_onStart;
    cpu_set_t m_cores{};    // that the process may use
    int m_callersCore = -1; // which the workers were kept off last; -1: none
    std::vector<std::thread> m_workers;
};

} // namespace sw
