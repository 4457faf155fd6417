#include "ui/session/debugger.h"

#include <algorithm>
#include <utility>

namespace stepwell::ui {

namespace {

constexpr int kUnnoticed = 150;                // milliseconds
constexpr std::int64_t kShortRun = 20'000'000; // operations and bytes

std::shared_ptr<const TraceFacts> factsOf(const sw::KernelTrace &trace)
{
    return std::make_shared<const TraceFacts>(TraceFacts{trace.kernelName(), trace.lines(), trace.instructionLines(),
                                                         trace.memories(), trace.loops(), trace.globalSize()});
}

// What stays when other kernels come and go: the name without its number, and which of that name it is.
QString nameOf(const std::vector<sw::KernelEntry> &kernels, std::uint32_t kernel)
{
    if (kernel >= kernels.size())
        return {};
    const std::string_view name = withoutKernelNumber(kernels[kernel].name);
    const auto before = std::count_if(kernels.begin(), kernels.begin() + kernel,
                                      [name](const sw::KernelEntry &entry) { return withoutKernelNumber(entry.name) == name; });
    return QStringLiteral("%1 %2").arg(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()))).arg(before);
}

bool isShort(const std::vector<sw::KernelEntry> &kernels, std::uint32_t kernel)
{
    return kernel < kernels.size() && kernels[kernel].flops + kernels[kernel].bytes <= kShortRun;
}

std::optional<std::uint32_t> kernelNamed(const std::vector<sw::KernelEntry> &kernels, const QString &name)
{
    const std::string wanted = name.section(u' ', 0, -2).toStdString();
    qsizetype before = name.section(u' ', -1).toInt();
    for (std::size_t i = 0; i < kernels.size(); ++i)
        if (withoutKernelNumber(kernels[i].name) == wanted && before-- == 0)
            return static_cast<std::uint32_t>(i);
    return std::nullopt;
}

} // namespace

const sw::TraceMemory *TraceFacts::memory(std::uint32_t instruction) const
{
    const auto found = std::ranges::find(memories, instruction, &sw::TraceMemory::instruction);
    return found == memories.end() ? nullptr : &*found;
}

Debugger::Debugger(Session &session, QObject *parent) : QObject(parent), m_session(session)
{
    m_patience.setInterval(kUnnoticed);
    connect(&m_patience, &QTimer::timeout, this, [this] {
        m_isBusy = true;
        emit busyChanged();
    });
    connect(&session, &Session::snapshotChanged, this, &Debugger::onSnapshot);
    connect(&session, &Session::activityChanged, this, &Debugger::onActivity);
}

void Debugger::addViewer(const QObject *viewer)
{
    m_viewers.insert(viewer);
    reopen();
}

void Debugger::removeViewer(const QObject *viewer)
{
    m_viewers.erase(viewer);
}

// A compilation cancels what the engine was asked; the moves that wait go on behind it if their kernel is still there.
void Debugger::onActivity(Activity activity)
{
    if (activity == Activity::Compiling && m_isMoving) {
        setMoving(false);
        m_moves.clear();
        if (m_state == TraceState::Opening)
            await();
    }
    if (activity == Activity::Compiling)
        m_isAsking = false;
    if (activity != Activity::Idle)
        return;
    if (m_state == TraceState::Closed)
        reopen();
    goOn();
}

// The kernel is opened when the compilation that goes on has ended.
void Debugger::await()
{
    m_state = TraceState::Closed;
    m_compilation = 0;
    emit opened();
}

void Debugger::onSnapshot(const SnapshotPtr &snapshot)
{
    if (!snapshot) {
        close();
        m_left.clear();
        m_breakpoints.clear();
        emit breakpointsChanged();
        return;
    }
    if (snapshot->isFinal && snapshot->goodCompilation == snapshot->compilation)
        reopen();
}

// Another compilation was made since: the kernel of the same name is opened, if there is one.
void Debugger::reopen()
{
    const SnapshotPtr &snapshot = m_session.snapshot();
    if (m_viewers.empty() || !m_kernel || !snapshot || !snapshot->isFinal || snapshot->compilation == m_compilation ||
        snapshot->goodCompilation != snapshot->compilation)
        return;
    if (const std::optional<std::uint32_t> kernel = kernelNamed(snapshot->report->kernels, m_name))
        open(*kernel);
    else
        close();
}

void Debugger::close()
{
    if (m_facts)
        m_left.insert(m_name, {m_facts->lines, m_position.position});
    m_trace.reset();
    m_facts.reset();
    m_kernel.reset();
    m_moves.clear();
    m_questions.clear();
    m_note.clear();
    setMoving(false);
    m_state = TraceState::Closed;
    emit opened();
}

void Debugger::open(std::uint32_t kernel)
{
    if (m_facts)
        m_left.insert(m_name, {m_facts->lines, m_position.position});
    const SnapshotPtr &snapshot = m_session.snapshot();
    const QString name = snapshot ? nameOf(snapshot->report->kernels, kernel) : QString();
    if (name != m_name)
        m_facts.reset(); // else the run before is shown until the new one is there
    m_kernel = kernel;
    m_name = name;
    m_compilation = snapshot ? snapshot->compilation : 0;
    m_isShort = snapshot && isShort(snapshot->report->kernels, kernel);
    m_moves.clear();
    m_questions.clear();
    m_isAsking = false;
    m_problem.clear();
    m_trace.reset();
    if (m_session.activity() == Activity::Compiling) {
        await();
        return;
    }
    m_state = TraceState::Opening;
    setMoving(true);
    m_session.ask(
        RequestTag::Trace, this,
        [kernel, left = m_left.value(m_name), watched = m_watched](EngineService &service, const std::stop_token &stop) {
            const sw::TraceOpening opening = service.openKernel(kernel, stop);
            if (!opening.trace)
                return Opened{nullptr, nullptr, {}, QString::fromStdString(opening.error)};
            Opened made{opening.trace, factsOf(*opening.trace), {}, {}};
            if (left.position != 0 && left.lines == made.facts->lines) {
                // Other inputs may end the run earlier: then it stays at its beginning.
                [[maybe_unused]] const sw::Result<sw::Done> isThere = opening.trace->goTo(left.position, stop);
            }
            made.seen = look(*opening.trace, watched, stop);
            return made;
        },
        [this](Opened made) { onOpened(std::move(made)); });
    emit opened();
}

void Debugger::onOpened(Opened made)
{
    m_trace = std::move(made.trace);
    m_facts = std::move(made.facts);
    m_problem = made.problem;
    m_state = m_trace ? TraceState::Open : TraceState::Failed;
    setMoving(false);
    if (!m_facts)
        m_moves.clear();
    if (m_facts) {
        if (m_left.contains(m_name))
            m_breakpoints[m_name].follow(m_left.value(m_name).lines, m_facts->lines);
        m_left.insert(m_name, {m_facts->lines, made.seen.position.position});
        m_position = std::move(made.seen.position);
        m_page = std::move(made.seen.page);
        m_trail = std::move(made.seen.trail);
        m_watched.window.memory = m_page.memory;
        m_watched.window.first = m_page.first;
        m_note.clear();
    }
    emit opened();
    emit breakpointsChanged();
    emit moved();
    findEnd();
    goOn();
}

void Debugger::findEnd()
{
    if (m_isShort)
        knowEnd();
}

void Debugger::knowEnd()
{
    if (m_state != TraceState::Open || m_position.steps)
        return;
    ask("end", Urgency::Later, [this](sw::KernelTrace &trace, const std::stop_token &stop) {
        const sw::Result<std::uint64_t> end = trace.findEnd(stop);
        return [this, steps = end ? std::optional(*end) : std::nullopt] {
            m_position.steps = steps;
            emit moved();
        };
    });
}

// The same at a position however the run came to it.
std::optional<std::int64_t> Debugger::follow(MemoryWindow &window, sw::KernelTrace &trace, const std::stop_token &stop)
{
    const sw::Result<std::vector<sw::TracePastAccess>> past = trace.lastAccesses(1, stop);
    const auto half = static_cast<std::int64_t>(window.count / 2);
    window.first = 0;
    if (past && !past->empty()) {
        window.memory = past->front().memory;
        window.first = past->front().first / half * half;
        return past->front().first;
    }
    if (const std::vector<sw::TraceMemory> memories = trace.memories(); !memories.empty()) {
        window.memory = memories.front().instruction;
    }
    return std::nullopt;
}

Debugger::Seen Debugger::look(sw::KernelTrace &trace, Watched watched, const std::stop_token &stop)
{
    const MemoryWindow &window = watched.window;
    std::optional<std::int64_t> followed;
    if (window.followsAccess)
        followed = follow(watched.window, trace, stop);
    Seen seen{trace.where(), {window.memory, window.first, {}, followed}, {}, {}};
    if (window.memory != sw::kNoIndex)
        seen.page.elements = trace.elements(window.memory, window.first, window.count);
    if (watched.trail > 0)
        if (sw::Result<std::vector<sw::TracePastAccess>> past = trace.lastAccesses(watched.trail, stop))
            seen.trail = std::move(*past);
    return seen;
}

void Debugger::setMoving(bool isMoving)
{
    m_isMoving = isMoving;
    if (isMoving) {
        if (!m_isBusy && !m_patience.isActive())
            m_patience.start();
        return;
    }
    m_patience.stop();
    if (std::exchange(m_isBusy, false))
        emit busyChanged();
}

void Debugger::show(Seen seen)
{
    m_position = std::move(seen.position);
    m_page = std::move(seen.page);
    m_trail = std::move(seen.trail);
    m_note = std::move(seen.note);
    m_watched.window.memory = m_page.memory;
    m_watched.window.first = m_page.first;
    emit moved();
}

void Debugger::move(Move move)
{
    if (m_state != TraceState::Open && m_state != TraceState::Opening)
        return;
    m_moves.push_back(std::move(move));
    goOn();
}

void Debugger::ask(const std::string &name, Urgency urgency, Job job)
{
    if (m_state != TraceState::Open)
        return;
    std::erase_if(m_questions, [&](const Question &question) { return question.name == name; });
    Question question{name, ++m_questionNumber, std::move(job)};
    if (urgency == Urgency::Later) {
        m_questions.push_back(std::move(question));
    } else {
        m_questions.push_front(std::move(question));
        m_isAsking = false; // what is asked now is asked again behind it
    }
    goOn();
}

void Debugger::goOn()
{
    if (m_isMoving || m_state != TraceState::Open || m_session.activity() == Activity::Compiling)
        return;
    if (!m_moves.empty())
        makeMoves();
    else if (!m_isAsking && !m_questions.empty())
        askNext();
}

// All moves that wait are done in one request: the window shows where they led to.
void Debugger::makeMoves()
{
    setMoving(true);
    m_isAsking = false;
    m_session.ask(
        RequestTag::Trace, this,
        [trace = m_trace, moves = std::exchange(m_moves, {}), watched = m_watched](EngineService &, const std::stop_token &stop) {
            QString note;
            for (const Move &move : moves)
                if (!stop.stop_requested())
                    note = move(*trace, stop);
            Seen seen = look(*trace, watched, stop);
            seen.note = note;
            return seen;
        },
        [this](Seen seen) {
            setMoving(false);
            show(std::move(seen));
            findEnd();
            goOn();
        });
}

void Debugger::askNext()
{
    m_isAsking = true;
    m_session.ask(
        RequestTag::Trace, this,
        [trace = m_trace, job = m_questions.front().job](EngineService &, const std::stop_token &stop) {
            return job(*trace, stop);
        },
        [this, number = m_questions.front().number](const std::function<void()> &answer) {
            m_isAsking = false;
            std::erase_if(m_questions, [number](const Question &question) { return question.number == number; });
            answer();
            goOn();
        });
}

// Shows the position anew, without a move.
void Debugger::lookAgain(Watched watched)
{
    ask("look", Urgency::Now, [this, watched, note = m_note](sw::KernelTrace &trace, const std::stop_token &stop) {
        const auto seen = std::make_shared<Seen>(look(trace, watched, stop));
        seen->note = note;
        return [this, seen] { show(std::move(*seen)); };
    });
}

void Debugger::stop()
{
    m_moves.clear();
    if (!m_isMoving || m_state != TraceState::Open)
        return;
    setMoving(false);
    lookAgain(m_watched); // the newer request stops the move, which leaves the run where it was
}

void Debugger::watchMemory(const MemoryWindow &window)
{
    m_watched.window = window;
    Watched exactly = m_watched;
    exactly.window.followsAccess = false;
    lookAgain(exactly);
}

void Debugger::followAccess(bool isOn)
{
    m_watched.window.followsAccess = isOn;
    lookAgain(m_watched);
}

void Debugger::watchTrail(std::size_t accesses)
{
    m_watched.trail = accesses;
    Watched here = m_watched;
    here.window.followsAccess = false;
    lookAgain(here);
}

} // namespace stepwell::ui
