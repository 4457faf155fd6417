#include "engine/api/disposal.h"

#include <utility>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace sw {

namespace {

// glibc keeps memory that was freed in pieces, and a gigabyte of it is missed elsewhere. Others wait for memory while it is
// returned, so it is not worth while for less.
void returnFreedMemory()
{
#ifdef __GLIBC__
    ::malloc_trim(0);
#endif
}

} // namespace

Disposal::Pause::Pause(Disposal &of) : m_of(of)
{
    std::unique_lock lock(m_of.m_mutex);
    m_of.m_changed.wait(lock, [&] { return m_of.m_waiting.size() <= kMostWaiting || m_of.m_pauses > 0; });
    ++m_of.m_pauses;
    m_of.m_changed.wait(lock, [&] { return !m_of.m_isDestroying; });
}

Disposal::Pause::~Pause()
{
    const std::lock_guard lock(m_of.m_mutex);
    --m_of.m_pauses;
    m_of.m_changed.notify_all();
}

Disposal::Disposal() : m_thread([this] { work(); }) {}

Disposal::~Disposal()
{
    {
        const std::lock_guard lock(m_mutex);
        m_isEnding = true;
        m_changed.notify_all();
    }
    m_thread.join();
}

void Disposal::add(Batch batch)
{
    const std::lock_guard lock(m_mutex);
    m_waiting.push_back(std::move(batch));
    m_changed.notify_all();
}

void Disposal::work()
{
    std::unique_lock lock(m_mutex);
    const auto mayDestroy = [&] { return !m_waiting.empty() && (m_pauses == 0 || m_isEnding); };
    for (;;) {
        m_changed.wait(lock, [&] { return mayDestroy() || m_isEnding; });
        if (m_waiting.empty())
            return;
        std::vector<std::shared_ptr<const void>> &parts = m_waiting.front().parts;
        for (std::size_t next = 0; next < parts.size(); ++next) {
            std::shared_ptr<const void> part = std::move(parts[next]);
            m_isDestroying = true;
            lock.unlock();
            part.reset();
            lock.lock();
            m_isDestroying = false;
            m_changed.notify_all();
            m_changed.wait(lock, [&] { return mayDestroy(); });
        }
        const bool isLarge = m_waiting.front().isLarge;
        m_waiting.pop_front();
        m_changed.notify_all();
        if (!isLarge)
            continue;
        lock.unlock();
        returnFreedMemory();
        lock.lock();
    }
}

} // namespace sw
