#include "ui/session/breakpoints.h"

#include <algorithm>
#include <cstdlib>

namespace stepwell::ui {

namespace {

std::uint32_t nearestLine(const std::string &text, std::uint32_t line, const std::vector<std::string> &lines)
{
    std::uint32_t nearest = line <= lines.size() ? line : 0;
    bool isFound = false;
    for (std::uint32_t i = 0; i < lines.size(); ++i) {
        if (lines[i] != text)
            continue;
        const auto away = [line](std::uint32_t other) { return std::abs(std::int64_t{other} - std::int64_t{line}); };
        if (!isFound || away(i + 1) < away(nearest))
            nearest = i + 1;
        isFound = true;
    }
    return nearest;
}

} // namespace

std::string conditionOf(const Breakpoint &breakpoint)
{
    const std::string line = "line:" + std::to_string(breakpoint.line);
    return breakpoint.check.empty() ? line : line + " if " + breakpoint.check;
}

const Breakpoint *BreakpointList::at(std::uint32_t line) const
{
    const auto found = std::ranges::find(m_all, line, &Breakpoint::line);
    return found == m_all.end() ? nullptr : &*found;
}

void BreakpointList::set(const Breakpoint &breakpoint)
{
    remove(breakpoint.line);
    m_all.insert(std::ranges::lower_bound(m_all, breakpoint.line, {}, &Breakpoint::line), breakpoint);
}

void BreakpointList::remove(std::uint32_t line)
{
    std::erase_if(m_all, [line](const Breakpoint &one) { return one.line == line; });
}

void BreakpointList::follow(const std::vector<std::string> &before, const std::vector<std::string> &now)
{
    BreakpointList moved;
    for (Breakpoint one : m_all) {
        if (one.line == 0 || one.line > before.size())
            continue;
        one.line = nearestLine(before[one.line - 1], one.line, now);
        if (one.line != 0)
            moved.set(one);
    }
    m_all = std::move(moved.m_all);
}

} // namespace stepwell::ui
