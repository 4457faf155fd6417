#include "app/commands/progress_line.h"

#include "engine/api/compile_progress.h"

#include <string>
#include <utility>

namespace sw::command {

namespace {

constexpr std::chrono::milliseconds kBetween{100};
constexpr std::string_view kEmptyLine = "\r\x1b[K"; // from the first column, clears it to its end

} // namespace

ProgressLine::ProgressLine(const WorkProgress &progress, Write write, std::chrono::milliseconds patience)
    : m_progress(progress), m_write(std::move(write)), m_thread([this, patience] { follow(patience); })
{
}

ProgressLine::~ProgressLine()
{
    {
        const std::scoped_lock lock(m_mutex);
        m_isOver = true;
    }
    m_over.notify_one();
    m_thread.join();
}

void ProgressLine::follow(std::chrono::milliseconds patience)
{
    std::string shown;
    const auto show = [&](std::string text) {
        if (text == shown)
            return;
        m_write(std::string(kEmptyLine) + text);
        shown = std::move(text);
    };
    std::unique_lock lock(m_mutex);
    const auto isOver = [this] { return m_isOver; };
    for (auto wait = patience; !m_over.wait_for(lock, wait, isOver); wait = kBetween)
        show(progressText(m_progress));
    show({});
}

} // namespace sw::command
