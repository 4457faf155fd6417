// Opens what a session file keeps.

#include "ui/session/session.h"

#include <utility>

namespace stepwell::ui {

void Session::openKept(ProgramSource source, const sw::SessionContents &kept)
{
    m_source = std::move(source);
    forgetProgram();
    m_threads = kept.threads;
    m_knownDimensions = kept.dimensions;
    m_openDimensions = kept.openDimensions;
    m_dimensions.insert(kept.inputs.dimensions.begin(), kept.inputs.dimensions.end());
    if (m_source.isFile)
        for (const sw::InputChoice &choice : kept.inputs.inputs)
            if (choice.tensor && choice.changes.empty())
                m_knownInputs.push_back(choice.tensor);
    m_seed = kept.inputs.seed;
    m_switches = kept;
    emit switchesChanged(m_switches);
    m_device = QString::fromStdString(kept.device);
    emit deviceChanged(m_device);

    // What was kept has a number of its own: its times are of an earlier compilation.
    const std::uint64_t earlier = ++m_compilation;
    const std::uint64_t compilation = begin(exploreRequest(m_overrides));
    m_queue.post(RequestTag::Compile, [this, earlier, compilation, request = m_request,
                                       report = std::make_shared<const sw::Report>(kept.report)](const std::stop_token &stop) {
        SnapshotPtr snapshot = makeSnapshot(nullptr, report, earlier, false);
        QMetaObject::invokeMethod(this, [this, compilation, snapshot] { onKept(compilation, snapshot, false); });
        const sw::ReportPtr made = m_service.compile(request, {}, stop);
        if (made && (made->succeeded || !report->succeeded)) {
            snapshot = makeSnapshot(snapshot, made, compilation, true);
            QMetaObject::invokeMethod(this, [this, compilation, snapshot] { onReport(compilation, snapshot); });
            return;
        }
        const auto told = std::make_shared<sw::Report>(*report);
        if (made) // why it is not compiled here
            told->messages.insert(told->messages.end(), made->messages.begin(), made->messages.end());
        snapshot = makeSnapshot(snapshot, told, compilation, true);
        QMetaObject::invokeMethod(this, [this, compilation, snapshot] { onKept(compilation, snapshot, true); });
    });
}

void Session::onKept(std::uint64_t compilation, const SnapshotPtr &snapshot, bool isFinal)
{
    if (compilation != m_compilation)
        return;
    m_isKept = isFinal;
    if (isFinal) {
        onReport(compilation, snapshot);
        return;
    }
    m_snapshot = snapshot;
    emit snapshotChanged(m_snapshot);
}

} // namespace stepwell::ui
