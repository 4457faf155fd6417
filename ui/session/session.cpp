#include "ui/session/session.h"

#include <QPointer>

#include <algorithm>
#include <utility>

namespace stepwell::ui {

namespace {

// Between the last key and compiling: as long as the last compilation took, so that a program that compiles at once follows every
// key, and one that does not is left alone while somebody types.
constexpr qint64 kShortestPause = 25; // milliseconds
constexpr qint64 kLongestPause = 200;

} // namespace

Session::Session(EngineService &service, QObject *parent) : QObject(parent), m_service(service), m_device(QStringLiteral("llvm"))
{
    m_debounce.setSingleShot(true);
    m_debounce.setInterval(static_cast<int>(kLongestPause));
    connect(&m_debounce, &QTimer::timeout, this, &Session::compileNow);
}

Session::~Session() = default;

void Session::requestFacts()
{
    m_queue.post(RequestTag::Facts, [this](const std::stop_token &) {
        auto examples = m_service.examples();
        QMetaObject::invokeMethod(this, [this, examples = std::move(examples)] { emit examplesChanged(examples); });
        auto reference = m_service.reference();
        QMetaObject::invokeMethod(this, [this, reference = std::move(reference)] { emit referenceChanged(reference); });
        auto devices = m_service.devices();
        QMetaObject::invokeMethod(this, [this, devices = std::move(devices)] { emit devicesChanged(devices); });
    });
}

void Session::openProgram(ProgramSource source)
{
    m_source = std::move(source);
    m_snapshot.reset();
    m_dimensions.clear();
    m_compiledText.clear();
    emit snapshotChanged(m_snapshot);
    compileNow();
}

void Session::editProgram(const QString &text)
{
    if (text == m_source.text)
        return;
    m_source.text = text;
    if (m_isLive)
        m_debounce.start();
}

void Session::setLive(bool isLive)
{
    m_isLive = isLive;
    if (!isLive)
        m_debounce.stop();
    else if (!isCompiledText(m_source.text))
        compileNow();
}

void Session::setDevice(const QString &device)
{
    if (device == m_device || device.isEmpty())
        return;
    m_device = device;
    emit deviceChanged(device);
    if (m_compilation > 0)
        compileNow();
}

void Session::setOptions(bool fuse, bool optimize)
{
    if (fuse == m_fuse && optimize == m_optimize)
        return;
    m_fuse = fuse;
    m_optimize = optimize;
    if (m_compilation > 0)
        compileNow();
}

void Session::compileNow()
{
    m_debounce.stop();
    m_sinceRequest.start();
    const std::uint64_t compilation = ++m_compilation;
    m_queue.cancel(RequestTag::Run);
    m_queue.cancel(RequestTag::Pass);
    m_queue.cancel(RequestTag::Value);
    m_queue.cancel(RequestTag::MachineCode);
    m_isReadingMachineCode = false;
    setActivity(Activity::Compiling);

    sw::ExploreRequest request;
    request.fileName = m_source.fileName.toStdString();
    request.text = m_source.text.toStdString();
    request.isFile = m_source.isFile;
    request.device = m_device.toStdString();
    request.fuse = m_fuse;
    request.optimize = m_optimize;
    m_compiledText = m_source.text;

    m_queue.post(RequestTag::Compile,
                 [this, request = std::move(request), compilation, earlier = m_snapshot](const std::stop_token &stop) {
                     SnapshotPtr snapshot = earlier; // partner indices are built here, off the GUI thread
                     const auto deliver = [&](const sw::ReportPtr &report, bool isFinal) {
                         snapshot = makeSnapshot(snapshot, report, compilation, isFinal);
                         QMetaObject::invokeMethod(this, [this, compilation, snapshot] { onReport(compilation, snapshot); });
                     };
                     const sw::ReportPtr report = m_service.compile(
                         request,
                         [&](const sw::ReportPtr &growing) {
                             if (growing && !stop.stop_requested())
                                 deliver(growing, false);
                         },
                         stop);
                     if (report)
                         deliver(report, true);
                 });
}

void Session::setDimension(const std::string &name, std::int64_t value)
{
    m_dimensions.insert_or_assign(name, value);
}

void Session::run()
{
    if (!m_snapshot)
        return;
    setActivity(Activity::Running);
    const std::uint64_t compilation = m_compilation;
    sw::RunRequest request;
    for (const sw::DimensionEntry &entry : m_snapshot->report->dimensions)
        if (const auto wanted = m_dimensions.find(entry.name); wanted != m_dimensions.end())
            request.dimensions.emplace(entry.name, std::clamp(wanted->second, entry.low, entry.high));
    m_queue.post(RequestTag::Run, [this, compilation, request, earlier = m_snapshot](const std::stop_token &stop) {
        const sw::ReportPtr report = m_service.run(request, stop);
        const SnapshotPtr snapshot = report ? makeSnapshot(earlier, report, compilation, true) : nullptr;
        QMetaObject::invokeMethod(this, [this, compilation, snapshot] { onRunReport(compilation, snapshot); });
    });
}

void Session::cancelRun()
{
    m_queue.cancel(RequestTag::Run);
}

void Session::requestPass(std::uint32_t index, std::uint32_t afterRewrites)
{
    const std::uint64_t compilation = m_compilation;
    m_queue.post(RequestTag::Pass, [this, compilation, index, afterRewrites](const std::stop_token &) {
        auto documents = m_service.passDocuments(index, afterRewrites);
        QMetaObject::invokeMethod(this, [this, compilation, index, afterRewrites, documents = std::move(documents)] {
            if (compilation == m_compilation)
                emit passReady(index, afterRewrites, documents);
        });
    });
}

void Session::requestValue(std::uint32_t node)
{
    const std::uint64_t compilation = m_compilation;
    m_queue.post(RequestTag::Value, [this, compilation, node](const std::stop_token &stop) {
        auto summary = m_service.nodeValue(node, stop);
        if (stop.stop_requested())
            return;
        QMetaObject::invokeMethod(this, [this, compilation, node, summary = std::move(summary)] {
            if (compilation == m_compilation)
                emit valueReady(node, summary);
        });
    });
}

void Session::requestMachineCode(const std::vector<std::uint32_t> &kernels)
{
    if (!m_snapshot || !m_snapshot->isFinal)
        return;
    const std::uint64_t compilation = m_compilation;
    m_queue.post(RequestTag::MachineCode, [this, compilation, kernels, earlier = m_snapshot](const std::stop_token &stop) {
        const sw::ReportPtr report = m_service.readMachineCode(kernels, stop);
        if (stop.stop_requested())
            return; // a newer request is on its way, whose report has these kernels too
        const SnapshotPtr snapshot = report ? makeSnapshot(earlier, report, compilation, true) : nullptr;
        QMetaObject::invokeMethod(this, [this, compilation, snapshot] { onMachineReport(compilation, snapshot); });
    });
    m_isReadingMachineCode = true;
}

void Session::onMachineReport(std::uint64_t compilation, const SnapshotPtr &snapshot)
{
    if (compilation != m_compilation)
        return;
    m_isReadingMachineCode = false;
    if (!snapshot)
        return;
    m_snapshot = snapshot;
    emit snapshotChanged(m_snapshot);
}

void Session::onReport(std::uint64_t compilation, const SnapshotPtr &snapshot)
{
    if (compilation != m_compilation)
        return; // a newer one is on its way
    m_snapshot = snapshot;
    emit snapshotChanged(m_snapshot);
    if (!snapshot->isFinal)
        return;
    m_debounce.setInterval(static_cast<int>(std::clamp(m_sinceRequest.elapsed(), kShortestPause, kLongestPause)));
    setActivity(Activity::Idle);
    emit compileFinished(snapshot->report->succeeded);
}

void Session::onRunReport(std::uint64_t compilation, const SnapshotPtr &snapshot)
{
    if (compilation != m_compilation)
        return;
    if (snapshot) {
        m_snapshot = snapshot;
        emit snapshotChanged(m_snapshot);
    }
    setActivity(Activity::Idle);
    emit runFinished(snapshot && snapshot->report->succeeded);
}

void Session::setActivity(Activity activity)
{
    if (activity == m_activity)
        return;
    m_activity = activity;
    emit activityChanged(activity);
}

} // namespace stepwell::ui
