#include "ui/session/request_queue.h"

#include <algorithm>
#include <utility>

namespace stepwell::ui {

RequestQueue::RequestQueue() : m_worker([this](const std::stop_token &stop) { serve(stop); }) {}

RequestQueue::~RequestQueue()
{
    {
        const std::lock_guard lock(m_mutex);
        m_waiting.clear();
        m_isInterrupted = false;
        m_runningStop.request_stop();
    }
    m_worker.request_stop();
    m_worker.join();
}

void RequestQueue::post(RequestTag tag, Work work)
{
    {
        const std::lock_guard lock(m_mutex);
        std::erase_if(m_waiting, [tag](const Request &request) { return request.tag == tag; });
        if (m_running == tag || m_running == RequestTag::Ahead) {
            m_isInterrupted = m_running != tag;
            m_runningStop.request_stop();
        }
        m_waiting.push_back({tag, std::move(work)});
    }
    m_wake.notify_one();
}

Cancelled RequestQueue::cancel(RequestTag tag)
{
    const std::lock_guard lock(m_mutex);
    const bool wasWaiting = std::erase_if(m_waiting, [tag](const Request &request) { return request.tag == tag; }) > 0;
    if (m_running != tag)
        return wasWaiting ? Cancelled::Waiting : Cancelled::Nothing;
    m_isInterrupted = false;
    m_runningStop.request_stop();
    return wasWaiting ? Cancelled::Waiting : Cancelled::Running;
}

void RequestQueue::serve(const std::stop_token &stop)
{
    std::unique_lock lock(m_mutex);
    while (m_wake.wait(lock, stop, [this] { return !m_waiting.empty(); })) {
        Request request = takeNext();
        m_running = request.tag;
        m_runningStop = std::stop_source();
        m_isInterrupted = false;
        const std::stop_token token = m_runningStop.get_token();
        lock.unlock();
        request.work(token);
        lock.lock();
        m_running.reset();
        if (std::exchange(m_isInterrupted, false))
            m_waiting.push_back(std::move(request));
    }
}

RequestQueue::Request RequestQueue::takeNext()
{
    const auto asked = std::ranges::find_if(m_waiting, [](const Request &each) { return each.tag != RequestTag::Ahead; });
    const auto next = asked == m_waiting.end() ? m_waiting.begin() : asked;
    Request request = std::move(*next);
    m_waiting.erase(next);
    return request;
}

} // namespace stepwell::ui
