#pragma once
// Drivers translate a kernel for the device when it is first launched. This does it beforehand and in the background, by a launch
// without buffers, which the text returns from at once, on a queue and with kernel objects of its own. One kernel after the
// other: PoCL 3.1 holds a lock of the whole process while it translates, so two threads take as long, even with two contexts.

#include "engine/backend/opencl/cl_handles.h"

#include <array>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

namespace sw {

// A kernel that is translated or will be. Nobody waits for one that nobody holds any more.
struct ClTranslation {
    std::shared_ptr<std::remove_pointer_t<cl_program>> program;
    std::string symbol;
    std::array<std::size_t, 3> group{1, 1, 1};
    std::optional<Result<Done>> outcome = {}; // nothing until it is done; the translator's lock guards it
};

class ClTranslator {
public:
    explicit ClTranslator(ClQueue queue) : m_queue(std::move(queue)) {}
    ~ClTranslator(); // leaves undone what it has not begun
    ClTranslator(const ClTranslator &) = delete;
    ClTranslator &operator=(const ClTranslator &) = delete;

    void add(const std::shared_ptr<ClTranslation> &kernel);
    // Waits for this kernel, which is the next one if it has to be.
    [[nodiscard]] Result<Done> finish(const std::shared_ptr<ClTranslation> &kernel);
    // Waits for all: a launch beside a translation would be measured with its load. Errors: stopped.
    [[nodiscard]] Result<Done> finishAll(const std::stop_token &stop);

private:
    void work();
    [[nodiscard]] Result<Done> translated(const ClTranslation &kernel) const;

    ClQueue m_queue;
    std::mutex m_mutex; // of what follows
    std::condition_variable_any m_changed;
    std::deque<std::weak_ptr<ClTranslation>> m_waiting;
    bool m_isWorking = false; // on one that is not in the list any more
    bool m_isEnding = false;
    std::thread m_worker; // started by the first kernel
};

} // namespace sw
