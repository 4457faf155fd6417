#include "ui/session/trace_twin.h"

#include "ui/session/snapshot.h"

#include <cmath>
#include <utility>

namespace stepwell::ui {

namespace {

constexpr std::uint64_t kCountedSteps = 20'000'000;
constexpr std::int64_t kCountedElements = 4'000'000; // 16 bytes each

std::optional<sw::LineCounts> linesOf(sw::KernelTrace &trace, const std::stop_token &stop)
{
    const sw::Result<sw::LineCounts> lines = trace.countLines({.steps = kCountedSteps}, stop);
    return lines ? std::optional(*lines) : std::nullopt;
}

} // namespace

std::uint64_t samePartOf(std::uint64_t steps, std::uint64_t otherPosition, std::uint64_t otherSteps)
{
    if (otherSteps == 0)
        return 0;
    if (otherPosition >= otherSteps)
        return steps;
    return static_cast<std::uint64_t>(
        std::llround(static_cast<double>(otherPosition) / static_cast<double>(otherSteps) * static_cast<double>(steps)));
}

TraceTwin::TraceTwin(Session &session, Debugger &debugger, QObject *parent)
    : QObject(parent), m_session(session), m_debugger(debugger)
{
    connect(&debugger, &Debugger::opened, this, &TraceTwin::onOpened);
    connect(&debugger, &Debugger::moved, this, &TraceTwin::follow);
    connect(&session, &Session::compileFinished, this, [this] { // it was stopped: the run is still that of the compilation before
        if (m_session.isDropped(RequestTag::Beside) && m_session.snapshot() &&
            m_session.snapshot()->compilation == m_debugger.compilation()) {
            m_kernel.reset();
            onOpened();
        }
    });
}

void TraceTwin::watchTrail(std::size_t accesses)
{
    m_trailLength = accesses;
    follow();
}

// Another kernel has other transformations.
void TraceTwin::onOpened()
{
    if (m_debugger.state() != TraceState::Open)
        return;
    if (m_compilation == m_debugger.compilation() && m_kernel == m_debugger.kernel())
        return;
    m_compilation = m_debugger.compilation();
    m_kernel = m_debugger.kernel();
    m_transforms = {};
    m_chosen.reset();
    close();
    m_isAsking = true;
    m_session.ask(
        RequestTag::Beside, this,
        [kernel = *m_kernel](EngineService &service, const std::stop_token &) { return service.chosenTransforms(kernel); },
        [this](sw::ChosenTransforms transforms) {
            m_isAsking = false;
            m_transforms = std::move(transforms);
            emit transformsChanged();
            chooseAgain();
        });
}

void TraceTwin::chooseAgain()
{
    const TraceFacts *facts = m_debugger.facts();
    if (!m_choice || facts == nullptr || withoutKernelNumber(m_choice->kernel) != withoutKernelNumber(facts->name)) {
        m_choice.reset();
        return;
    }
    const std::vector<std::string> &lines = m_transforms.lines;
    std::size_t index = m_transforms.first;
    while (!m_choice->isBeforeAll && index < lines.size() && lines[index] != m_choice->line)
        ++index;
    if (index < lines.size())
        choose(index);
    else
        m_choice.reset();
}

void TraceTwin::choose(std::optional<std::size_t> transforms)
{
    if (m_chosen == transforms)
        return;
    m_chosen = transforms;
    m_choice.reset();
    if (m_chosen && m_debugger.facts())
        m_choice = Choice{m_debugger.facts()->name, m_transforms.lines.at(*m_chosen), *m_chosen == m_transforms.first};
    close();
    if (m_chosen)
        open();
}

void TraceTwin::close()
{
    m_session.cancel(RequestTag::Beside);
    m_isAsking = false;
    m_trace.reset();
    m_memories.clear();
    m_trail.clear();
    m_totals.reset();
    m_lines.reset();
    m_linesOfRun.reset();
    m_problem.clear();
    m_position = m_steps = 0;
    emit opened();
}

void TraceTwin::open()
{
    if (m_debugger.state() != TraceState::Open || !m_debugger.kernel())
        return;
    m_isAsking = true;
    m_session.ask(
        RequestTag::Beside, this,
        [kernel = *m_debugger.kernel(), transforms = *m_chosen](EngineService &service, const std::stop_token &stop) {
            const sw::TraceOpening opening = service.openKernelWith(kernel, transforms, stop);
            if (!opening.trace)
                return Opened{nullptr, {}, 0, {}, {}, QString::fromStdString(opening.error)};
            const sw::Result<std::uint64_t> end = opening.trace->findEnd(stop);
            if (!end)
                return Opened{nullptr, {}, 0, {}, {}, QString::fromStdString(end.error().front().message)};
            Opened made{opening.trace, opening.trace->memories(), *end, linesOf(*opening.trace, stop), {}, {}};
            if (sw::Result<sw::TraceTotals> totals = opening.trace->totals(kCountedSteps, kCountedElements, stop))
                made.totals = std::make_shared<const sw::TraceTotals>(std::move(*totals));
            return made;
        },
        [this](Opened made) {
            m_isAsking = false;
            m_trace = std::move(made.trace);
            m_memories = std::move(made.memories);
            m_steps = made.steps;
            m_lines = made.lines;
            m_totals = std::move(made.totals);
            m_problem = made.problem;
            emit opened();
            follow();
        });
    m_debugger.knowEnd();
    m_debugger.ask("lines", Debugger::Urgency::Later, [this](sw::KernelTrace &trace, const std::stop_token &stop) {
        return [this, lines = linesOf(trace, stop)] {
            m_linesOfRun = lines;
            emit moved();
        };
    });
}

void TraceTwin::follow()
{
    const sw::TracePosition *other = m_debugger.position();
    if (!m_trace || !other || !other->steps)
        return;
    m_isAsking = true;
    m_session.ask(
        RequestTag::Beside, this,
        [trace = m_trace, goal = samePartOf(m_steps, other->position, *other->steps),
         count = m_trailLength](EngineService &, const std::stop_token &stop) {
            // It is within the run; a newer request that stops it asks again.
            [[maybe_unused]] const sw::Result<sw::Done> isThere = trace->goTo(goal, stop);
            Seen seen{trace->where().position, {}};
            if (sw::Result<std::vector<sw::TracePastAccess>> past = trace->lastAccesses(count, stop))
                seen.trail = std::move(*past);
            return seen;
        },
        [this](Seen seen) {
            m_isAsking = false;
            m_position = seen.position;
            m_trail = std::move(seen.trail);
            emit moved();
        });
}

} // namespace stepwell::ui
