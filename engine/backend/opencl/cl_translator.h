#pragma once
// Drivers translate a kernel for the device on its first launch. This translates it earlier, in the background, by a launch
// without buffers, in which the kernel returns at once, with its own queue and kernel objects. It takes one kernel at a time:
// PoCL 3.1 holds a process-wide lock while it translates, so two threads take just as long, even with two contexts. Only a second
// process helps (cl_assistant.h).

#include "engine/backend/opencl/cl_assistant.h"
#include "engine/backend/opencl/cl_handles.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

namespace sw {

// A kernel that is or will be translated. A translation that nobody holds any more is skipped.
struct ClTranslation {
    std::shared_ptr<std::remove_pointer_t<cl_program>> program;
    std::string symbol;
    std::optional<Result<Done>> outcome = {}; // nothing until it is done; the translator's lock guards it
};

[[nodiscard]] Result<Done> translateKernel(cl_command_queue queue, const ClTranslation &kernel);

class ClTranslator {
public:
    explicit ClTranslator(ClQueue queue) : m_queue(std::move(queue)) {}
    ~ClTranslator(); // drops the kernels that it has not begun
    ClTranslator(const ClTranslator &) = delete;
    ClTranslator &operator=(const ClTranslator &) = delete;

    using Kernels = std::vector<std::shared_ptr<ClTranslation>>;
    // The assistant, if any, works on the shared kernels from their other end. One of an earlier call is ended.
    void add(const Kernels &own, const Kernels &shared, std::unique_ptr<ClAssistant> assistant);
    // Waits for this kernel and moves it to the front of the queue if it has not begun.
    [[nodiscard]] Result<Done> finish(const std::shared_ptr<ClTranslation> &kernel);
    // Waits for all kernels: a translation in the background would slow down measured launches. Errors: stopped.
    [[nodiscard]] Result<Done> finishAll(const std::stop_token &stop);

private:
    struct Waiting {
        std::weak_ptr<ClTranslation> kernel;
        std::optional<std::size_t> place = {}; // among the shared kernels; nothing: it is this process's own
    };

    void work();
    // The kernel to do now, taken out of the list. Nothing: only those are left that the assistant is busy with.
    [[nodiscard]] std::optional<Waiting> next();
    void dismissAssistant(); // the rest is this process's own

    ClQueue m_queue;
    std::mutex m_mutex; // guards the members below
    std::condition_variable_any m_changed;
    std::deque<Waiting> m_waiting; // the shared kernels are the last, in their order
    std::unique_ptr<ClAssistant> m_assistant;
    std::size_t m_sharedCount = 0; // with the assistant, finished ones too
    bool m_isWorking = false;      // on a kernel that is no longer in the list
    bool m_isEnding = false;
    std::thread m_worker; // started by the first kernel
};

} // namespace sw
