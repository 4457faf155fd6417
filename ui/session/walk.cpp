#include "ui/session/walk.h"

#include "ui/session/counted.h"

#include <QLocale>

#include <algorithm>
#include <utility>

namespace stepwell::ui {

Walk::Walk(Moment &moment, Debugger &debugger, Requests &requests, QObject *parent)
    : QObject(parent), m_moment(moment), m_debugger(debugger), m_requests(requests)
{
    connect(&moment, &Moment::placeChanged, this, [this] {
        if (!m_moment.isAtEnd())
            leave();
    });
    connect(&moment, &Moment::passesChanged, this, &Walk::changed);
    // Whoever steps the run is in it.
    connect(&debugger, &Debugger::moved, this, [this] {
        if (m_moment.isAtEnd() && m_debugger.hasStepped())
            m_isInRun = true;
        emit changed();
    });
    connect(&debugger, &Debugger::opened, this, [this] {
        if (!m_debugger.kernel())
            m_isInRun = false;
        emit changed();
    });
}

std::optional<std::uint32_t> Walk::kernel() const
{
    const std::optional<std::uint32_t> open = m_debugger.kernel();
    return m_isInRun && m_moment.isAtEnd() && open && *open < kernels().size() ? open : std::nullopt;
}

std::optional<double> Walk::done() const
{
    const sw::TracePosition *position = m_debugger.position();
    if (!kernel() || !position || !position->steps)
        return std::nullopt;
    return *position->steps == 0 ? 1.0 : static_cast<double>(position->position) / static_cast<double>(*position->steps);
}

QString Walk::text() const
{
    const std::optional<std::uint32_t> at = kernel();
    if (!at)
        return {};
    const QString name = QString::fromStdString(kernels()[*at].name);
    const QString which = tr("Kernel %1 of %2: %3").arg(*at + 1).arg(kernels().size()).arg(name);
    const sw::TracePosition *position = m_debugger.position();
    if (!position)
        return m_debugger.state() == TraceState::Failed ? tr("%1, not opened: %2").arg(which, m_debugger.problem()) : which;
    const QLocale numbers;
    const QString step = numbers.toString(static_cast<qulonglong>(position->position));
    return position->steps ? tr("%1, step %2 of %3").arg(which, step, numbers.toString(static_cast<qulonglong>(*position->steps)))
                           : tr("%1, step %2").arg(which, step);
}

bool Walk::isAtEnd() const
{
    return kernel() && *kernel() + 1 == kernels().size() && done() == 1.0;
}

void Walk::goTo(std::uint32_t kernel)
{
    if (kernel < kernels().size())
        enter(kernel);
}

void Walk::enter(std::uint32_t kernel)
{
    m_moment.goToEnd();
    m_isInRun = true;
    emit m_requests.panelNeeded(QStringLiteral("step"));
    // The panel may have opened the kernel of the selection.
    if (m_debugger.kernel() != kernel || m_debugger.state() == TraceState::Closed)
        m_debugger.open(kernel);
    emit changed();
}

void Walk::leave()
{
    if (std::exchange(m_isInRun, false))
        emit changed();
}

void Walk::stepKernel(int direction)
{
    const std::int64_t next = static_cast<std::int64_t>(*kernel()) + direction;
    if (next < 0)
        leave();
    else
        goTo(static_cast<std::uint32_t>(next));
}

void Walk::stepRun(int direction)
{
    const sw::TracePosition *position = m_debugger.position();
    if (!position || m_debugger.isMoving()) {
        // What is not open yet, or still moving, does the step when it can; it knows its own ends.
        m_debugger.step(direction > 0 ? sw::TraceDirection::Forward : sw::TraceDirection::Backward);
        return;
    }
    const bool isAtEdge = direction > 0 ? position->steps && position->position == *position->steps : position->position == 0;
    if (isAtEdge)
        stepKernel(direction);
    else
        m_debugger.step(direction > 0 ? sw::TraceDirection::Forward : sw::TraceDirection::Backward);
}

void Walk::stepRewrite(int direction)
{
    if (kernel())
        stepRun(direction);
    else if (m_moment.isAtEnd() && direction > 0)
        goTo(0);
    else
        m_moment.stepRewrite(direction);
}

void Walk::stepPass(int direction)
{
    if (kernel())
        stepKernel(direction);
    else if (m_moment.isAtEnd() && direction > 0)
        goTo(0);
    else
        m_moment.stepPass(direction);
}

// From the end of the compilation it goes round to the first pass.
void Walk::stepChanged(int direction)
{
    if (kernel())
        stepKernel(direction);
    else
        m_moment.stepChanged(direction);
}

void Walk::stepStage(int direction)
{
    if (kernel()) {
        if (direction < 0)
            leave();
    } else if (m_moment.isAtEnd() && direction > 0) {
        goTo(0);
    } else {
        m_moment.stepStage(direction);
    }
}

void Walk::goToStart()
{
    m_moment.goToStart();
}

void Walk::goToEnd()
{
    leave();
    m_moment.goToEnd();
}

} // namespace stepwell::ui
