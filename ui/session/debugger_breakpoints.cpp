// Where a stepped run stops: at lines of its kernel, and at oddities.

#include "ui/session/debugger.h"

#include <algorithm>

namespace stepwell::ui {

namespace {

const std::vector<Breakpoint> kNoBreakpoints;

} // namespace

const std::vector<Breakpoint> &Debugger::breakpoints() const
{
    const auto found = m_breakpoints.constFind(m_name);
    return found == m_breakpoints.constEnd() ? kNoBreakpoints : found->all();
}

void Debugger::toggleBreakpoint(std::uint32_t line)
{
    if (m_breakpoints.value(m_name).at(line) != nullptr)
        removeBreakpoint(line);
    else
        setBreakpoint({line});
}

void Debugger::setBreakpoint(const Breakpoint &breakpoint)
{
    m_breakpoints[m_name].set(breakpoint);
    emit breakpointsChanged();
}

void Debugger::removeBreakpoint(std::uint32_t line)
{
    m_breakpoints[m_name].remove(line);
    emit breakpointsChanged();
}

void Debugger::setStopsAt(const std::string &oddity, bool isOn)
{
    std::erase(m_oddities, oddity);
    if (isOn)
        m_oddities.push_back(oddity);
    emit breakpointsChanged();
}

bool Debugger::stopsAt(const std::string &oddity) const
{
    return std::ranges::find(m_oddities, oddity) != m_oddities.end();
}

} // namespace stepwell::ui
