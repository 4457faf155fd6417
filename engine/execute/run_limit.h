#pragma once
// A run that is ended when it takes longer than it may. A kernel that never ends does not look at a stop token; it is ended with
// the process that runs it, so a limit holds for every kernel only where kernels run in processes of their own.

#include "engine/base/result.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace sw {

class RunLimit {
public:
    // 0: no limit. A stop of `outer` stops the run, too.
    RunLimit(std::chrono::milliseconds limit, const std::stop_token &outer);
    ~RunLimit();
    RunLimit(const RunLimit &) = delete;
    RunLimit &operator=(const RunLimit &) = delete;

    [[nodiscard]] std::stop_token token() const { return m_stop.get_token(); }
    // The errors of the run; where it was ended by the limit, one that says so, and what was running.
    [[nodiscard]] Diagnostics errorsOf(const Diagnostics &errors) const;

private:
    void watch(const std::stop_token &ended);

    std::chrono::milliseconds m_limit;
    std::stop_source m_stop;
    std::stop_callback<std::function<void()>> m_onOuter;
    mutable std::mutex m_mutex;
    std::condition_variable_any m_wake;
    bool m_isOver = false; // guarded by m_mutex
    std::jthread m_watcher;
};

} // namespace sw
