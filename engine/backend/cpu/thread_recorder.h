#pragma once
// Records when the threads of a runtime work, and what their hardware counters count meanwhile.

#include "engine/backend/work_recorder.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

namespace sw {

class ThreadRecorder {
public:
    // counters: null when there are none to ask for.
    explicit ThreadRecorder(std::shared_ptr<CounterSource> counters = nullptr) : m_source(std::move(counters)) {}

    void start(WithCounters counters);
    [[nodiscard]] RecordedWork take();
    [[nodiscard]] bool isOn() const { return m_isOn.load(std::memory_order_relaxed); }

    // Around a launch, on the thread that asked for it.
    void beginLaunch();
    void endLaunch(std::chrono::nanoseconds begin, std::chrono::nanoseconds end);

    // Around the work of the calling thread; several threads call them at the same time.
    struct Begun {
        std::uint32_t thread = 0;
        HardwareCounts counts;
        std::chrono::nanoseconds at{0};
    };
    [[nodiscard]] Begun beginWork();
    void endWork(const Begun &begun);

private:
    struct Thread {
        std::uint32_t number = 0;
        std::unique_ptr<ThreadCounters> counters; // null: it does not count
    };
    [[nodiscard]] Thread &thisThread(); // holding the lock

    std::shared_ptr<CounterSource> m_source;
    std::atomic<bool> m_isOn = false;
    std::mutex m_mutex;
    bool m_isCounting = false;
    std::map<std::thread::id, Thread> m_threads;
    RecordedLaunch m_launch; // that threads work on
    RecordedWork m_work;
};

} // namespace sw
