#include "engine/backend/cpu/thread_recorder.h"

#include <algorithm>
#include <utility>

namespace sw {

void ThreadRecorder::start(WithCounters counters)
{
    const std::scoped_lock lock(m_mutex);
    m_work = {};
    m_launch = {};
    m_isCounting = counters == WithCounters::Yes && m_source != nullptr;
    if (counters == WithCounters::Yes && m_source == nullptr)
        m_work.noCounters = "this device has no hardware counters to ask for";
    m_isOn = true;
}

RecordedWork ThreadRecorder::take()
{
    const std::scoped_lock lock(m_mutex);
    m_isOn = false;
    for (auto &[id, thread] : m_threads)
        thread.counters.reset();
    return std::exchange(m_work, {});
}

void ThreadRecorder::beginLaunch()
{
    const std::scoped_lock lock(m_mutex);
    m_launch = {};
}

void ThreadRecorder::endLaunch(std::chrono::nanoseconds begin, std::chrono::nanoseconds end)
{
    const std::scoped_lock lock(m_mutex);
    if (m_work.launches.size() == kMostRecordedLaunches) {
        ++m_work.lost;
        return;
    }
    m_launch.begin = begin;
    m_launch.end = end;
    m_work.launches.push_back(std::exchange(m_launch, {}));
}

ThreadRecorder::Thread &ThreadRecorder::thisThread()
{
    const auto [found, isNew] = m_threads.try_emplace(std::this_thread::get_id());
    Thread &own = found->second;
    if (isNew)
        own.number = static_cast<std::uint32_t>(m_threads.size() - 1);
    if (m_isCounting && own.counters == nullptr) {
        if (auto opened = m_source->open()) {
            own.counters = *std::move(opened);
        } else {
            m_isCounting = false; // the others would fail as well
            m_work.noCounters = opened.error().front().message;
        }
    }
    return own;
}

ThreadRecorder::Begun ThreadRecorder::beginWork()
{
    Begun begun;
    ThreadCounters *counters = nullptr;
    {
        const std::scoped_lock lock(m_mutex);
        const Thread &own = thisThread();
        begun.thread = own.number;
        counters = own.counters.get();
    }
    if (counters != nullptr)
        begun.counts = counters->read();
    begun.at = steadyNow();
    return begun;
}

void ThreadRecorder::endWork(const Begun &begun)
{
    const std::chrono::nanoseconds end = steadyNow();
    const std::scoped_lock lock(m_mutex);
    if (ThreadCounters *counters = thisThread().counters.get())
        m_launch.counts += countsBetween(begun.counts, counters->read());
    const auto known = std::ranges::find(m_launch.threads, begun.thread, &WorkSpan::thread);
    if (known == m_launch.threads.end())
        m_launch.threads.push_back({begun.thread, begun.at, end});
    else
        known->end = end; // it has helped another one, after its own part
}

} // namespace sw
