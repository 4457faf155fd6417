// How a session runs its program: once what is edited is compiled, with the inputs of the tool bar, alone or beside a baseline.

#include "ui/session/session.h"

#include <algorithm>
#include <utility>

namespace stepwell::ui {

sw::RunInputs Session::runInputs() const
{
    sw::RunInputs inputs;
    inputs.seed = m_seed;
    inputs.inputs = m_inputs;
    if (m_snapshot)
        for (const sw::DimensionEntry &entry : m_snapshot->report->dimensions)
            if (const auto wanted = m_dimensions.find(entry.name); wanted != m_dimensions.end())
                inputs.dimensions.emplace(entry.name, std::clamp(wanted->second, entry.low, entry.high));
    return inputs;
}

void Session::run()
{
    if (isEdited())
        compileNow();
    if (m_activity == Activity::Compiling)
        m_isRunWanted = true;
    else if (m_snapshot)
        startRun();
}

sw::RunRequest Session::beginRun()
{
    setActivity(Activity::Running);
    ++m_run;
    sw::RunRequest request;
    sw::RunInputs inputs = runInputs();
    request.seed = inputs.seed;
    request.dimensions = std::move(inputs.dimensions);
    request.inputs = std::move(inputs.inputs);
    request.limit = m_runLimit;
    request.checkAccesses = m_isChecking;
    m_progress = std::make_shared<RunProgress>();
    request.onProgress = [progress = m_progress](std::uint64_t done, std::uint64_t all) {
        progress->done = done;
        progress->all = all;
    };
    return request;
}

void Session::startRun()
{
    m_isBoth = false;
    const sw::RunRequest request = beginRun();
    m_queue.post(RequestTag::Run,
                 [this, run = m_run, compilation = m_compilation, request, earlier = m_snapshot](const std::stop_token &stop) {
                     const sw::ReportPtr report = m_service.run(request, stop);
                     const SnapshotPtr snapshot = report ? makeSnapshot(earlier, report, compilation, true) : nullptr;
                     QMetaObject::invokeMethod(this, [this, run, snapshot] { onRunReport(run, snapshot); });
                 });
}

void Session::runBoth(const sw::ExploreRequest &baseline)
{
    if (!m_snapshot || m_activity == Activity::Compiling)
        return;
    m_isBoth = true;
    const sw::RunRequest request = beginRun();
    m_queue.post(RequestTag::Run, [this, run = m_run, compilation = m_compilation, baseline, request,
                                   earlier = m_snapshot](const std::stop_token &stop) {
        sw::BothRuns runs = m_service.runBoth(baseline, request, stop);
        const SnapshotPtr snapshot = runs.now ? makeSnapshot(earlier, runs.now, compilation, true) : nullptr;
        QMetaObject::invokeMethod(this, [this, run, snapshot, runs = std::move(runs)] {
            if (snapshot && run == m_run && m_activity == Activity::Running)
                emit bothRan(runs);
            onRunReport(run, snapshot);
        });
    });
}

// A newer compilation ended the run when the activity is another.
void Session::onRunReport(std::uint64_t run, const SnapshotPtr &snapshot)
{
    if (run != m_run || m_activity != Activity::Running)
        return;
    if (snapshot) {
        m_snapshot = snapshot;
        emit snapshotChanged(m_snapshot);
    }
    setActivity(Activity::Idle);
    emit runFinished(snapshot && snapshot->report->succeeded);
}

} // namespace stepwell::ui
