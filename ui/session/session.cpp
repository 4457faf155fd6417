#include "ui/session/session.h"

#include <QPointer>

#include <algorithm>
#include <utility>

namespace stepwell::ui {

namespace {

// Time between the last key and compiling: as long as the last compilation took. A program that compiles at once follows every
// key; a slow one does not compile while the user types.
constexpr qint64 kShortestPause = 25; // milliseconds
constexpr qint64 kLongestPause = 200;
// Results older than the text are marked as such after this time, so that the marks do not flicker during typing.
constexpr int kUnnoticed = 500; // milliseconds

} // namespace

Session::Session(EngineService &service, QObject *parent) : QObject(parent), m_service(service), m_device(QStringLiteral("llvm"))
{
    m_debounce.setSingleShot(true);
    m_debounce.setInterval(static_cast<int>(kLongestPause));
    connect(&m_debounce, &QTimer::timeout, this, &Session::compileNow);
    m_patience.setSingleShot(true);
    m_patience.setInterval(kUnnoticed);
    connect(&m_patience, &QTimer::timeout, this, [this] {
        m_isSlow = true;
        emit outOfDateChanged();
    });
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
        QMetaObject::invokeMethod(this, [this, devices = std::move(devices)] {
            m_devices = devices;
            emit devicesChanged(devices);
        });
    });
}

void Session::forgetProgram()
{
    m_snapshot.reset();
    m_dimensions.clear();
    m_compiledText.clear();
    m_threads = 0;
    m_knownDimensions.clear();
    m_openDimensions.clear();
    m_knownInputs.clear();
    m_seed = sw::RunInputs().seed;
    m_isKept = false;
    m_isSlow = false;
    emit snapshotChanged(m_snapshot);
}

void Session::openProgram(ProgramSource source)
{
    m_source = std::move(source);
    forgetProgram();
    compileNow();
}

void Session::editProgram(const QString &text)
{
    if (text == m_source.text)
        return;
    m_source.text = text;
    m_isRunWanted = false;
    if (m_isLive) {
        m_debounce.start();
        awaitResult();
    }
    emit outOfDateChanged();
}

bool Session::isOutOfDate(std::uint64_t compilation) const
{
    if (isEdited())
        return !m_isLive || m_isSlow;
    if (compilation == m_compilation)
        return false;
    return m_activity != Activity::Compiling || m_isSlow;
}

void Session::awaitResult()
{
    if (!m_isSlow && !m_patience.isActive())
        m_patience.start();
}

void Session::renameProgram(const QString &fileName)
{
    if (fileName == m_source.fileName)
        return;
    m_source.fileName = fileName;
    compileNow();
}

void Session::setLive(bool isLive)
{
    m_isLive = isLive;
    if (!isLive)
        m_debounce.stop();
    else if (isEdited())
        compileNow();
    emit outOfDateChanged();
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

void Session::setSwitches(const sw::CompileSwitches &switches)
{
    if (switches == m_switches)
        return;
    m_switches = switches;
    emit switchesChanged(switches);
    if (m_compilation > 0)
        compileNow();
}

void Session::setOverrides(std::string text, std::string name)
{
    m_overrides = std::move(text);
    m_overridesName = std::move(name);
}

sw::ExploreRequest Session::exploreRequest(const std::string &overrides) const
{
    sw::ExploreRequest request;
    request.fileName = m_source.fileName.toStdString();
    request.text = m_source.text.toStdString();
    request.isFile = m_source.isFile;
    request.device = m_device.toStdString();
    request.overrides = overrides;
    request.overridesName = m_overridesName;
    if (m_source.model) {
        request.text = *m_source.model;
        request.isFile = false;
    }
    static_cast<sw::CompileSwitches &>(request) = m_switches;
    request.threads = m_threads;
    request.dimensions = m_knownDimensions;
    request.openDimensions = m_openDimensions;
    request.knownInputs = m_knownInputs;
    return request;
}

// Returns the number of the compilation.
std::uint64_t Session::begin(sw::ExploreRequest request)
{
    m_debounce.stop();
    m_sinceRequest.start();
    ++m_compilation;
    m_isRunWanted = false;
    awaitResult();
    dropQuestions();
    m_isStopped = false;
    setActivity(Activity::Compiling);
    m_compiledText = m_source.text;
    m_request = std::move(request);
    return m_compilation;
}

void Session::compileNow()
{
    const std::uint64_t compilation = begin(exploreRequest(m_overrides));
    m_isKept = false;
    m_queue.post(RequestTag::Compile,
                 [this, request = m_request, compilation, earlier = m_snapshot](const std::stop_token &stop) {
                     SnapshotPtr snapshot = earlier; // this thread builds the partner indices, not the GUI thread
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
                     else
                         QMetaObject::invokeMethod(this, [this, compilation] { onStopped(compilation); });
                 });
}

std::function<bool()> Session::expectAnswer(RequestTag tag, QObject *receiver)
{
    Asked &newest = asked(tag);
    newest.state = QuestionState::Waiting;
    return [number = ++newest.number, &newest, to = QPointer(receiver)] {
        if (number != newest.number || newest.state != QuestionState::Waiting)
            return false;
        newest.state = QuestionState::Idle;
        return !to.isNull();
    };
}

// What was asked about the compilation before.
void Session::dropQuestions()
{
    for (auto tag = static_cast<std::size_t>(RequestTag::Run); tag < kRequestTags; ++tag) {
        m_queue.cancel(static_cast<RequestTag>(tag));
        if (m_asked[tag].state == QuestionState::Waiting)
            m_asked[tag].state = QuestionState::Dropped;
    }
    m_prepared.clear();
}

void Session::setDimension(const std::string &name, std::int64_t value)
{
    m_dimensions.insert_or_assign(name, value);
}

void Session::compileModelFor(const sw::DimensionChoice &choice)
{
    m_knownDimensions.erase(choice.name);
    m_openDimensions.erase(choice.name);
    if (const auto *range = std::get_if<sw::DimensionRange>(&choice.size))
        m_openDimensions.emplace(choice.name, *range);
    else
        m_knownDimensions.emplace(choice.name, std::get<std::int64_t>(choice.size));
    compileNow();
}

void Session::setInputs(std::vector<sw::InputChoice> inputs)
{
    m_inputs = std::move(inputs);
}

void Session::stop()
{
    m_isRunWanted = false;
    if (m_activity == Activity::Compiling) {
        m_isStopped = true; // stages that are on their way do not take the place of whole results
        if (m_queue.cancel(RequestTag::Compile) == Cancelled::Waiting)
            onStopped(m_compilation);
    }
    if (m_activity == Activity::Running && m_queue.cancel(RequestTag::Run) == Cancelled::Waiting)
        onRunReport(m_run, nullptr);
}

void Session::cancel(RequestTag tag)
{
    asked(tag).state = QuestionState::Idle;
    m_queue.cancel(tag);
}

void Session::requestPass(std::uint32_t index, std::uint32_t afterRewrites)
{
    ask(
        RequestTag::Pass, this,
        [index, afterRewrites](EngineService &service, const std::stop_token &) {
            return service.passDocuments(index, afterRewrites);
        },
        [this, index, afterRewrites](const sw::PassDocuments &documents) { emit passReady(index, afterRewrites, documents); });
}

void Session::requestMachineCode(const std::vector<std::uint32_t> &kernels)
{
    if (!m_snapshot || !m_snapshot->isFinal || m_activity == Activity::Compiling)
        return;
    ask(
        RequestTag::MachineCode, this,
        [kernels, compilation = knownCompilation(), earlier = m_snapshot](EngineService &service, const std::stop_token &stop) {
            const sw::ReportPtr report = service.readMachineCode(kernels, stop);
            return report ? makeSnapshot(earlier, report, compilation, true) : nullptr;
        },
        [this](const SnapshotPtr &snapshot) {
            if (!snapshot)
                return;
            m_snapshot = snapshot;
            emit snapshotChanged(m_snapshot);
        });
}

void Session::onReport(std::uint64_t compilation, const SnapshotPtr &snapshot)
{
    if (compilation != m_compilation)
        return; // a newer one is on its way
    if (m_isStopped && !snapshot->isFinal)
        return;
    m_isStopped = false; // it was done before it could be stopped
    m_snapshot = snapshot;
    if (snapshot->isFinal && !isEdited()) {
        m_patience.stop();
        m_isSlow = false;
    }
    emit snapshotChanged(m_snapshot);
    if (!snapshot->isFinal)
        return;
    m_debounce.setInterval(static_cast<int>(std::clamp(m_sinceRequest.elapsed(), kShortestPause, kLongestPause)));
    setActivity(Activity::Idle);
    emit outOfDateChanged();
    emit compileFinished(snapshot->report->succeeded);
    if (std::exchange(m_isRunWanted, false) && snapshot->report->succeeded)
        startRun();
}

// A compilation replaced by a newer one does not count as stopped: its number is not the newest.
void Session::onStopped(std::uint64_t compilation)
{
    if (compilation != m_compilation)
        return;
    m_isStopped = true;
    m_compiledText.clear();
    setActivity(Activity::Idle);
    emit compileFinished(false);
}

void Session::setActivity(Activity activity)
{
    if (activity == m_activity)
        return;
    m_activity = activity;
    m_sinceActivity.start();
    emit activityChanged(activity);
}

} // namespace stepwell::ui
