#pragma once
// One worker thread and its queue. Each request has a tag; a newer request with the same tag replaces the waiting one and asks
// the running one to stop. Work that is done ahead is asked to stop by any request, and begins again when the others are done.

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

namespace stepwell::ui {

// The state of a request when it was cancelled. Waiting: it will never run.
enum class Cancelled : unsigned char { Nothing, Waiting, Running };

enum class RequestTag : unsigned char {
    Facts,
    Compile,
    File, // is read or written: goes on while the program is edited
    // What follows is about one compilation: a newer one cancels it.
    Run,
    MachineCode,
    Pass,
    Moment,
    Filter,
    Value,
    Tensor,
    Inputs,
    InputFacts,
    Find,
    Watch,
    WatchName,
    Trace,
    Beside,
    Why,
    Effect,
    Measure,
    Roofs,
    Loops,
    Menu,
    Story,
    KernelSource,
    KernelInstructions,
    Health,
    Baseline,
    BaselineCode,
    Earlier,
    Difference,
    Parting,
    Matrix,
    Texts,
    Divergence,
    Minimal,
    Timelines,
    Sweep,
    TargetCode,
    CompilerPasses,
    Cycles,
    Ahead, // what may be asked next: gives way to every other request, and goes on when none is left
};
inline constexpr std::size_t kRequestTags = static_cast<std::size_t>(RequestTag::Ahead) + 1;

class RequestQueue {
public:
    using Work = std::function<void(std::stop_token)>;

    RequestQueue();
    ~RequestQueue(); // asks the running request to stop and waits for it
    RequestQueue(const RequestQueue &) = delete;
    RequestQueue &operator=(const RequestQueue &) = delete;

    void post(RequestTag tag, Work work);
    Cancelled cancel(RequestTag tag);

private:
    struct Request {
        RequestTag tag;
        Work work;
    };

    void serve(const std::stop_token &stop);
    [[nodiscard]] Request takeNext();

    std::mutex m_mutex;
    std::condition_variable_any m_wake;
    std::deque<Request> m_waiting;
    std::optional<RequestTag> m_running;
    std::stop_source m_runningStop;
    bool m_isInterrupted = false; // what runs is done ahead, and gives way
    std::jthread m_worker;        // last member: it uses all of the above
};

} // namespace stepwell::ui
