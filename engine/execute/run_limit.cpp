#include "engine/execute/run_limit.h"

namespace sw {

RunLimit::RunLimit(std::chrono::milliseconds limit, const std::stop_token &outer)
    : m_limit(limit), m_onOuter(outer, [this] { m_stop.request_stop(); })
{
    if (limit.count() > 0)
        m_watcher = std::jthread([this](const std::stop_token &ended) { watch(ended); });
}

RunLimit::~RunLimit() = default;

void RunLimit::watch(const std::stop_token &ended)
{
    {
        std::unique_lock lock(m_mutex);
        if (m_wake.wait_for(lock, ended, m_limit, [&] { return ended.stop_requested(); }) || ended.stop_requested())
            return;
        m_isOver = true;
    }
    m_stop.request_stop();
}

Diagnostics RunLimit::errorsOf(const Diagnostics &errors) const
{
    const std::scoped_lock lock(m_mutex);
    if (!m_isOver || errors.empty() || errors.front().code != Code::Cancelled)
        return errors;
    Diagnostic told = errors.front();
    told.code = Code::Limit;
    told.message = format("the run took longer than {:g} s and was ended",
                          std::chrono::duration_cast<std::chrono::duration<double>>(m_limit).count());
    if (!told.notes.empty()) // where it was
        told.message += ", " + told.notes.front().message;
    told.notes.clear();
    return {std::move(told)};
}

} // namespace sw
