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
        for (Running &running : m_running) {
            running.isInterrupted = false;
            running.stop.request_stop();
        }
    }
    m_worker.request_stop();
    m_worker.join();
}

void RequestQueue::post(RequestTag tag, Work work)
{
    {
        const std::lock_guard lock(m_mutex);
        std::erase_if(m_waiting, [tag](const Request &request) { return request.tag == tag; });
        for (Running &running : m_running)
            if (running.tag == tag || running.tag == RequestTag::Ahead) {
                running.isInterrupted = running.tag != tag;
                running.stop.request_stop();
            }
        m_waiting.push_back({tag, std::move(work)});
    }
    m_wake.notify_one();
}

Cancelled RequestQueue::cancel(RequestTag tag)
{
    const std::lock_guard lock(m_mutex);
    const bool wasWaiting = std::erase_if(m_waiting, [tag](const Request &request) { return request.tag == tag; }) > 0;
    const auto running = std::ranges::find(m_running, tag, &Running::tag);
    if (running == m_running.end())
        return wasWaiting ? Cancelled::Waiting : Cancelled::Nothing;
    running->isInterrupted = false;
    running->stop.request_stop();
    return wasWaiting ? Cancelled::Waiting : Cancelled::Running;
}

void RequestQueue::serve(const std::stop_token &stop)
{
    std::unique_lock lock(m_mutex);
    while (m_wake.wait(lock, stop, [this] { return !m_waiting.empty(); }))
        doNext(lock);
}

// A newer request with the tag of one that lets others waits until that one, which is asked to stop, has ended.
void RequestQueue::letOthers()
{
    std::unique_lock lock(m_mutex);
    const auto mayRun = [this](const Request &request) {
        return request.tag != RequestTag::Ahead && std::ranges::find(m_running, request.tag, &Running::tag) == m_running.end();
    };
    while (!m_running.back().stop.stop_requested() && std::ranges::any_of(m_waiting, mayRun)) {
        std::ranges::stable_partition(m_waiting, mayRun);
        doNext(lock);
    }
}

void RequestQueue::doNext(std::unique_lock<std::mutex> &lock)
{
    Request request = takeNext();
    m_running.push_back({request.tag});
    const std::stop_token token = m_running.back().stop.get_token();
    lock.unlock();
    request.work(token);
    lock.lock();
    const bool isInterrupted = m_running.back().isInterrupted;
    m_running.pop_back();
    if (isInterrupted)
        m_waiting.push_back(std::move(request));
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
