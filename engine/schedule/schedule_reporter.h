#pragma once
// What the verifiers of a schedule share: the list of errors, each at the line of the program that it is about.

#include "engine/schedule/schedule.h"

#include <utility>

namespace sw {

class ScheduleReporter {
public:
    explicit ScheduleReporter(const Schedule &schedule) : m_schedule(schedule), m_graph(*schedule.graph) {}

protected:
    template <class... Args>
    void report(const Origin &origin, fmt::format_string<Args...> pattern, Args &&...args)
    {
        errors.push_back(
            Diagnostic::error(Code::InvalidIr, m_graph.sources().programRange(origin), pattern, std::forward<Args>(args)...));
    }
    [[nodiscard]] const Origin &whole() const { return m_graph.nodes().back().origin; }

    const Schedule &m_schedule;
    const Graph &m_graph;

public:
    Diagnostics errors;
};

template <class Verifier>
[[nodiscard]] Diagnostics errorsOf(const Schedule &schedule)
{
    Verifier verifier(schedule);
    verifier.verify();
    return std::move(verifier.errors);
}

} // namespace sw
