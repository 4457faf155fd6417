// The moves of a stepped run: what the worker thread does for each.

#include "ui/session/counted.h"
#include "ui/session/debugger.h"

#include <array>

namespace stepwell::ui {

namespace {

constexpr std::size_t kShownPast = 200;
constexpr std::uint64_t kCountedSteps = 20'000'000;
constexpr std::int64_t kCountedElements = 4'000'000; // 16 bytes each

QString textOf(const sw::Diagnostics &errors)
{
    return QString::fromStdString(errors.front().message);
}

} // namespace

void Debugger::step(sw::TraceDirection direction)
{
    move([direction](sw::KernelTrace &trace, const std::stop_token &) {
        if (trace.step(direction))
            return QString();
        return direction == sw::TraceDirection::Forward ? tr("The run is at its end.") : tr("The run is at its beginning.");
    });
}

void Debugger::search(const QString &name,
                      std::function<sw::Result<sw::TraceSearch>(sw::KernelTrace &, const std::stop_token &)> find,
                      sw::TraceDirection direction)
{
    move([=, find = std::move(find)](sw::KernelTrace &trace, const std::stop_token &stop) {
        const sw::Result<sw::TraceSearch> search = find(trace, stop);
        if (!search)
            return textOf(search.error());
        if (search->isFound)
            return QString();
        const QString steps = counted(static_cast<qint64>(search->steps), tr("%1 step"), tr("%1 steps"));
        return direction == sw::TraceDirection::Forward
                   ? tr("%1 does not come in the %2 to the end.").arg(name, steps)
                   : tr("%1 does not come in the %2 back to the beginning.").arg(name, steps);
    });
}

void Debugger::stepOver(sw::TraceDirection direction)
{
    search(
        tr("Another step"),
        [direction](sw::KernelTrace &trace, const std::stop_token &stop) { return trace.stepOver(direction, stop); }, direction);
}

void Debugger::stepOut(sw::TraceDirection direction)
{
    search(
        tr("A loop to leave"),
        [direction](sw::KernelTrace &trace, const std::stop_token &stop) { return trace.stepOut(direction, stop); }, direction);
}

void Debugger::runTo(sw::TraceDirection direction, const std::string &condition, const QString &name)
{
    search(
        name,
        [direction, condition](sw::KernelTrace &trace, const std::stop_token &stop) {
            return trace.run(direction, condition, stop);
        },
        direction);
}

void Debugger::runToAccess(sw::TraceDirection direction)
{
    search(
        tr("An access"),
        [direction](sw::KernelTrace &trace, const std::stop_token &stop) {
            const std::array<std::string, 2> conditions{"load", "store"};
            return trace.runToAny(direction, conditions, stop);
        },
        direction);
}

void Debugger::runToDifference(sw::TraceDirection direction)
{
    move([direction](sw::KernelTrace &trace, const std::stop_token &stop) {
        const sw::Result<sw::TraceSearch> search = trace.run(direction, "difference", stop);
        if (!search)
            return textOf(search.error());
        if (search->isFound)
            return QString();
        const sw::Result<sw::TraceComparison> comparison = trace.comparison(stop);
        if (!comparison)
            return textOf(comparison.error());
        const QString compared = QString::fromStdString(toText(*comparison));
        return direction == sw::TraceDirection::Forward ? tr("No difference from here to the end: %1").arg(compared)
                                                        : tr("No difference back to the beginning: %1").arg(compared);
    });
}

void Debugger::run(sw::TraceDirection direction)
{
    std::vector<std::string> conditions = m_oddities;
    for (const Breakpoint &breakpoint : breakpoints())
        if (breakpoint.isEnabled)
            conditions.push_back(conditionOf(breakpoint));
    move([direction, conditions](sw::KernelTrace &trace, const std::stop_token &stop) {
        sw::Result<sw::TraceSearch> search = trace.runToAny(direction, conditions, stop);
        if (!search)
            return textOf(search.error());
        if (search->isFound)
            return QString();
        std::uint64_t goal = 0;
        if (direction == sw::TraceDirection::Forward) {
            const sw::Result<std::uint64_t> end = trace.findEnd(stop);
            if (!end)
                return textOf(end.error());
            goal = *end;
        }
        const sw::Result<sw::Done> there = trace.goTo(goal, stop);
        return there ? QString() : textOf(there.error());
    });
}

void Debugger::jump(sw::TraceDirection direction, const std::string &place)
{
    m_moves.clear(); // what waits would lead somewhere else first
    move([direction, place](sw::KernelTrace &trace, const std::stop_token &stop) {
        const bool isForward = direction == sw::TraceDirection::Forward;
        for (const auto way : {direction, isForward ? sw::TraceDirection::Backward : sw::TraceDirection::Forward}) {
            const sw::Result<sw::TraceSearch> search = trace.runTo(way, place, stop);
            if (!search)
                return textOf(search.error());
            if (search->isFound)
                return QString();
        }
        return tr("The run never comes to %1.").arg(QString::fromStdString(place));
    });
}

void Debugger::goTo(std::uint64_t position)
{
    m_moves.clear();
    move([position](sw::KernelTrace &trace, const std::stop_token &stop) {
        const sw::Result<sw::Done> there = trace.goTo(position, stop);
        return there ? QString() : textOf(there.error());
    });
}

void Debugger::goToEnd()
{
    m_moves.clear();
    move([](sw::KernelTrace &trace, const std::stop_token &stop) {
        const sw::Result<std::uint64_t> end = trace.findEnd(stop);
        if (!end)
            return textOf(end.error());
        const sw::Result<sw::Done> there = trace.goTo(*end, stop);
        return there ? QString() : textOf(there.error());
    });
}

void Debugger::askHistory(const std::string &value)
{
    ask("history", Urgency::Later, [this, value](sw::KernelTrace &trace, const std::stop_token &stop) {
        const sw::Result<std::vector<sw::TracePast>> past = trace.history(value, kShownPast, stop);
        return [this, value, values = past ? *past : std::vector<sw::TracePast>(),
                problem = past ? QString() : textOf(past.error())] {
            emit historyReady(QString::fromStdString(value), values, problem);
        };
    });
}

void Debugger::askTotals()
{
    ask("totals", Urgency::Later, [this](sw::KernelTrace &trace, const std::stop_token &stop) {
        sw::Result<sw::TraceTotals> totals = trace.totals(kCountedSteps, kCountedElements, stop);
        const auto made = totals ? std::make_shared<const sw::TraceTotals>(std::move(*totals)) : nullptr;
        return [this, made] { emit totalsReady(made); };
    });
}

} // namespace stepwell::ui
