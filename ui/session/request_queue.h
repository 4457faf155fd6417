#pragma once
// One worker thread and its queue. Each request has a tag; a newer request with the same tag replaces the waiting one and asks
// the running one to stop. Work that is done ahead is asked to stop by any request, and begins again when the others are done.
// Work that takes minutes lets the others in between its steps.

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace stepwell::ui {

// The state of a request when it was cancelled. Waiting: it will never run.
enum class Cancelled : unsigned char { Nothing, Waiting, Running };

enum class RequestTag : unsigned char {
    Facts,
    Compile,
    File, // is read or written: goes on while the program is edited
    Keep, // a tuning, or forget it: likewise
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
    Tuning,
    Tuned, // what is kept
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
    // Called by work that is running, on its thread: does what is waiting, and comes back.
    void letOthers();

private:
    struct Request {
        RequestTag tag;
        Work work;
    };
    struct Running {
        RequestTag tag;
        std::stop_source stop = {};
        bool isInterrupted = false; // it is done ahead, and gives way
    };

    void serve(const std::stop_token &stop);
    void doNext(std::unique_lock<std::mutex> &lock);
    [[nodiscard]] Request takeNext();

    std::mutex m_mutex;
    std::condition_variable_any m_wake;
    std::deque<Request> m_waiting;
    std::vector<Running> m_running; // the last one runs, and those before it let it
    std::jthread m_worker;          // last member: it uses all of the above
};

} // namespace stepwell::ui
