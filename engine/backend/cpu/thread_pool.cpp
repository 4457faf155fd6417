#include "engine/backend/cpu/thread_pool.h"

#include <chrono>
#include <cstddef>

#include <pthread.h>
#include <sched.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace sw {

namespace {

constexpr std::chrono::microseconds kSpinTime{500};
constexpr int kPausesPerLook = 32;

void pause()
{
#if defined(__x86_64__)
    _mm_pause();
#else
    std::this_thread::yield();
#endif
}

// What pieces have stored past the caches comes to memory in no order, and a store that tells of it may overtake it.
void orderStores()
{
#if defined(__x86_64__)
    _mm_sfence();
#else
    std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

// What a job is begins in these lines, and all of them are under way while the first piece is claimed.
void fetchJob(const void *job)
{
    constexpr int kLines = 3;
    for (int line = 0; line < kLines; ++line)
        __builtin_prefetch(static_cast<const std::byte *>(job) + 64 * line);
}

} // namespace

bool ThreadPool::Pieces::next()
{
    Left left = m_share.left.load(std::memory_order_relaxed);
    while (left.job == m_job && left.pieces > 0) {
        const Left fewer{left.job, left.pieces - 1};
        if (!m_share.left.compare_exchange_weak(left, fewer, std::memory_order_acquire, std::memory_order_relaxed))
            continue;
        m_index = m_share.end - left.pieces;
        ++m_claimed;
        return true;
    }
    return false;
}

ThreadPool::ThreadPool(std::uint32_t threads, std::function<void()> onStart)
    : m_threads(threads),
      m_shares(std::make_unique<Share[]>(threads)),
      m_done(std::make_unique<Done[]>(threads)),
      m_onStart(std::move(onStart))
{
    if (sched_getaffinity(0, sizeof(m_cores), &m_cores) != 0)
        CPU_ZERO(&m_cores);
    for (std::uint32_t i = 1; i < threads; ++i)
        m_workers.emplace_back([this, i] { workerLoop(i); });
}

ThreadPool::~ThreadPool()
{
    m_isEnding = true;
    m_wakes.fetch_add(1);
    m_wakes.notify_all();
    for (std::thread &worker : m_workers)
        worker.join();
}

void ThreadPool::runJob(std::int64_t pieces, Work work, void *job)
{
    ++m_job;
    m_offered += pieces;
    if (pieces > 1 && m_threads > 1) {
        keepWorkersOffOwnCore();
        for (std::uint32_t i = m_threads - 1; i >= 1; --i)
            offer(m_shares[i], pieces * i / m_threads, pieces * (i + 1) / m_threads, work, job);
        offer(m_shares[0], 0, pieces / m_threads, work, job); // last: what others have to fetch is on its way by then
        wakeSleepers();
        takeOwnThenOthers(0);
    } else {
        offer(m_shares[0], 0, pieces, work, job);
        takePieces(m_shares[0], m_job, 0);
    }
    for (int looks = 0; piecesDone() != m_offered; ++looks) {
        if (looks < 4096)
            pause();
        else
            std::this_thread::yield();
    }
}

void ThreadPool::offer(Share &share, std::int64_t begin, std::int64_t end, Work work, void *job) const
{
    share.end = end;
    share.work = work;
    share.job.store(job, std::memory_order_relaxed);
    share.left.store({m_job, static_cast<std::uint32_t>(end - begin)}, std::memory_order_release);
}

// A worker counts itself as asleep and looks at its share once more; its share is offered before it is looked at who sleeps. So
// one of both sees the other.
void ThreadPool::wakeSleepers()
{
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (m_sleepers.load(std::memory_order_relaxed) == 0)
        return;
    m_wakes.fetch_add(1);
    m_wakes.notify_all();
}

void ThreadPool::takePieces(Share &share, std::uint32_t job, std::uint32_t thread)
{
    Pieces pieces(share, job, thread);
    while (pieces.next())
        share.work(share.job.load(std::memory_order_relaxed), pieces);
    std::atomic<std::int64_t> &done = m_done[thread].pieces;
    if (pieces.m_claimed == 0)
        return;
    orderStores();
    done.store(done.load(std::memory_order_relaxed) + pieces.m_claimed, std::memory_order_release);
}

void ThreadPool::takeOwnThenOthers(std::uint32_t thread)
{
    const std::uint32_t job = m_shares[thread].left.load(std::memory_order_relaxed).job;
    for (std::uint32_t i = 0; i < m_threads; ++i)
        takePieces(m_shares[(thread + i) % m_threads], job, thread);
}

std::int64_t ThreadPool::piecesDone() const
{
    std::int64_t pieces = 0;
    for (std::uint32_t i = 0; i < m_threads; ++i)
        pieces += m_done[i].pieces.load(std::memory_order_acquire);
    return pieces;
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

bool ThreadPool::waitForShare(const Share &own)
{
    const auto deadline = std::chrono::steady_clock::now() + kSpinTime;
    for (int looks = 1; own.left.load(std::memory_order_relaxed).pieces == 0; ++looks) {
        if (m_isEnding)
            return false;
        pause();
        if (looks % kPausesPerLook != 0 || std::chrono::steady_clock::now() < deadline)
            continue;
        const std::uint32_t wakes = m_wakes.load();
        ++m_sleepers;
        std::atomic_thread_fence(std::memory_order_seq_cst);
        if (own.left.load().pieces == 0 && !m_isEnding)
            m_wakes.wait(wakes);
        --m_sleepers;
        break; // its own share may be done by now, and others still have pieces
    }
    fetchJob(own.job.load(std::memory_order_relaxed));
    return !m_isEnding;
}

void ThreadPool::workerLoop(std::uint32_t number)
{
    if (m_onStart)
        m_onStart();
    while (waitForShare(m_shares[number]))
        takeOwnThenOthers(number);
}

} // namespace sw
