#pragma once
// A line on a terminal that says how far a command is, for commands that take long.

#include "engine/base/work_progress.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string_view>
#include <thread>

namespace sw::command {

// While it lives, the line is written once the work takes longer than the patience, again when it has changed, and is empty while
// no step is going on. Nothing of it stays.
class ProgressLine {
public:
    using Write = std::function<void(std::string_view)>; // called on a thread of its own

    ProgressLine(const WorkProgress &progress, Write write, std::chrono::milliseconds patience = std::chrono::seconds(1));
    ~ProgressLine();
    ProgressLine(const ProgressLine &) = delete;
    ProgressLine &operator=(const ProgressLine &) = delete;

private:
    void follow(std::chrono::milliseconds patience);

    const WorkProgress &m_progress;
    Write m_write;
    std::mutex m_mutex; // of m_isOver
    std::condition_variable m_over;
    bool m_isOver = false;
    std::thread m_thread;
};

} // namespace sw::command
