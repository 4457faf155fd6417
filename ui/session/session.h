#pragma once
// The window's conversation with the engine: one worker thread, newest request wins, results arrive as signals on the GUI thread.

#include "engine/api/session_file/session_contents.h"
#include "ui/session/engine_service.h"
#include "ui/session/request_queue.h"
#include "ui/session/snapshot.h"

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace stepwell::ui {

enum class Activity : unsigned char { Idle, Compiling, Running };

// The progress of a run: kernels launched so far, out of all. The worker counts; whoever shows the progress reads it.
struct RunProgress {
    std::atomic<std::uint64_t> done = 0;
    std::atomic<std::uint64_t> all = 0; // 0: not known yet
};

// What to compile: text for programs that are edited here; files (models) are read by the engine.
struct ProgramSource {
    QString fileName;
    QString text;
    bool isFile = false;
    std::shared_ptr<const std::string> model = {}; // the bytes of a model that is not read from the file; null: it is
};

class Session : public QObject {
    Q_OBJECT

public:
    explicit Session(EngineService &service, QObject *parent = nullptr);
    ~Session() override;

    void requestFacts(); // devices, examples and the reference

    // Opens a new program: nothing of the old one stays on screen.
    void openProgram(ProgramSource source);
    // Opens what a session keeps: it is shown at once and then compiled with its options. The overrides are set before. Where it
    // cannot be compiled (there is no such device here), what was kept stays, and isKept() says so.
    void openKept(ProgramSource source, const sw::SessionContents &kept);
    // What is shown was kept in a session: the engine knows nothing of it.
    [[nodiscard]] bool isKept() const { return m_isKept; }
    // The same program after an edit: in live mode it compiles after a pause; the last good result stays meanwhile.
    void editProgram(const QString &text);
    // The same program under another name: files beside it are now looked for in the new place.
    void renameProgram(const QString &fileName);
    void compileNow();
    void setLive(bool isLive);
    void setDevice(const QString &device);
    void setSwitches(const sw::CompileSwitches &switches);
    // The text of the overrides that the next compilation uses, and the name of their file; empty: none.
    void setOverrides(std::string text, std::string name);
    // The value for a dimension in the next runs of this program, if it has a dimension of that name.
    void setDimension(const std::string &name, std::int64_t value);
    // Compiles the model for a number in the place of a dimension of its inputs, or for all numbers of a range.
    void compileModelFor(const sw::DimensionChoice &choice);
    // What the next runs of this program take as inputs, where it is not what the program says.
    void setInputs(std::vector<sw::InputChoice> inputs);
    [[nodiscard]] sw::RunInputs runInputs() const; // of a run of the newest program
    // What compileNow() compiles, with these overrides in the place of its own.
    [[nodiscard]] sw::ExploreRequest exploreRequest(const std::string &overrides) const;
    // Ends runs that take longer; 0: no limit.
    void setRunLimit(std::chrono::milliseconds limit) { m_runLimit = limit; }
    // The next runs compare every access to memory with its buffer.
    void setCheckAccesses(bool isChecking) { m_isChecking = isChecking; }
    // Runs the current text; compiles it first unless it is what was compiled last.
    void run();
    // Runs the newest compilation, which must be there, and a baseline in turn. A newer compilation or run ends it.
    void runBoth(const sw::ExploreRequest &baseline);
    void stop(); // stops the current compilation or run

    // Asks the engine about the newest compilation. `job`, called as job(EngineService &, const std::stop_token &), runs on the
    // worker thread; `done` gets its result on this thread, unless there is a newer compilation by then (and the tag is about
    // one), a newer request with this tag, or no receiver any more. A job that is asked to stop may return anything.
    template <typename Job, typename Done>
    void ask(RequestTag tag, QObject *receiver, Job job, Done done);
    // Called by a job, on its thread, between its steps: does what was asked meanwhile, and comes back.
    void letOthers() { m_queue.letOthers(); }
    void cancel(RequestTag tag); // drops what was asked with the tag
    // The answer to the newest request with the tag is still to come. What was cancelled, or dropped because there is a newer
    // compilation, gets none.
    [[nodiscard]] bool isAsking(RequestTag tag) const { return asked(tag).state == QuestionState::Waiting; }
    // A newer compilation dropped the newest request with the tag. Who still wants to know asks again when it has finished.
    [[nodiscard]] bool isDropped(RequestTag tag) const { return asked(tag).state == QuestionState::Dropped; }
    void requestPass(std::uint32_t index, std::uint32_t afterRewrites);
    // Requests the stages of the last compilation at that moment.
    void requestMoment(sw::MomentPlace place);
    // Makes the stages at these moments while nothing else is asked, so that requestMoment() has them at once. Earlier ones are
    // forgotten.
    void prepareMoments(std::vector<sw::MomentPlace> places);
    // The stages at that moment, made ahead; null where they are not there yet.
    [[nodiscard]] MomentStagesPtr preparedAt(sw::MomentPlace place) const;
    // How many bytes of the documents of moments the engine keeps from the next request on.
    void keepMoments(std::size_t mostBytes) { m_momentBytes = mostBytes; }
    // Reads the code of these kernels of the last compilation; the result is a new snapshot.
    void requestMachineCode(const std::vector<std::uint32_t> &kernels);

    [[nodiscard]] const SnapshotPtr &snapshot() const { return m_snapshot; } // null before the first result
    [[nodiscard]] const std::map<std::string, std::int64_t> &wantedDimensions() const { return m_dimensions; }
    [[nodiscard]] const sw::CompileSwitches &switches() const { return m_switches; } // of the next compilation
    [[nodiscard]] const QString &device() const { return m_device; }
    [[nodiscard]] const std::vector<sw::DeviceEntry> &devices() const { return m_devices; } // empty: not known yet
    [[nodiscard]] const ProgramSource &source() const { return m_source; }
    // What the newest compilation was asked for.
    [[nodiscard]] const sw::ExploreRequest &request() const { return m_request; }
    [[nodiscard]] Activity activity() const { return m_activity; }
    [[nodiscard]] qint64 activityMilliseconds() const { return m_activity == Activity::Idle ? 0 : m_sinceActivity.elapsed(); }
    [[nodiscard]] const RunProgress &runProgress() const { return *m_progress; }
    // How far the compilation is; null: nobody can tell.
    [[nodiscard]] const sw::WorkProgress *compileProgress() const { return m_service.compileProgress(); }
    [[nodiscard]] bool isRunningBoth() const { return m_activity == Activity::Running && m_isBoth; }
    // The user stopped the newest compilation, so nothing has been made from the newest text.
    [[nodiscard]] bool isStopped() const { return m_isStopped; }
    [[nodiscard]] bool isReadingMachineCode() const { return isAsking(RequestTag::MachineCode); }
    // The shown program document was made from exactly this text.
    [[nodiscard]] bool isCompiledText(const QString &text) const { return text == m_compiledText; }
    [[nodiscard]] bool isEdited() const { return !isCompiledText(m_source.text); } // since the last compilation began
    // This compilation's results do not belong to the current text, and no newer result is about to come.
    [[nodiscard]] bool isOutOfDate(std::uint64_t compilation) const;

signals:
    void snapshotChanged(const stepwell::ui::SnapshotPtr &snapshot); // null: a new program, with no results yet
    void outOfDateChanged();                                         // the answer of isOutOfDate() may change
    void compileFinished(bool succeeded);
    void runFinished(bool succeeded);
    void bothRan(const sw::BothRuns &runs); // before runFinished(); not when it was stopped
    void activityChanged(stepwell::ui::Activity activity);
    void devicesChanged(const std::vector<sw::DeviceEntry> &devices);
    void deviceChanged(const QString &device);
    void switchesChanged(const sw::CompileSwitches &switches);
    void referenceChanged(const std::vector<sw::CatalogEntry> &reference);
    void examplesChanged(const std::vector<sw::ExampleEntry> &examples);
    void passReady(std::uint32_t index, std::uint32_t afterRewrites, const sw::PassDocuments &documents);
    void momentReady(const stepwell::ui::MomentStagesPtr &stages); // empty stages: no such moment

private:
    enum class QuestionState : unsigned char { Idle, Waiting, Dropped };
    struct Asked { // the newest request with a tag
        std::uint64_t number = 0;
        QuestionState state = QuestionState::Idle;
    };

    [[nodiscard]] Asked &asked(RequestTag tag) { return m_asked[static_cast<std::size_t>(tag)]; }
    [[nodiscard]] const Asked &asked(RequestTag tag) const { return m_asked[static_cast<std::size_t>(tag)]; }
    // Whether the answer to what is asked now is still wanted when it comes.
    [[nodiscard]] std::function<bool()> expectAnswer(RequestTag tag, QObject *receiver);
    void dropQuestions();
    [[nodiscard]] std::uint64_t knownCompilation() const; // the one that the engine answers for
    void keepPrepared(const MomentStagesPtr &stages);
    void forgetProgram();
    std::uint64_t begin(sw::ExploreRequest request);
    void onKept(std::uint64_t compilation, const SnapshotPtr &snapshot, bool isFinal);
    void onReport(std::uint64_t compilation, const SnapshotPtr &snapshot);
    void onStopped(std::uint64_t compilation);
    void onRunReport(std::uint64_t run, const SnapshotPtr &snapshot);
    void setActivity(Activity activity);
    void startRun();
    [[nodiscard]] sw::RunRequest beginRun(); // gives the run its number
    void awaitResult();

    EngineService &m_service;
    ProgramSource m_source;
    sw::ExploreRequest m_request;
    QString m_compiledText;
    QString m_device;
    std::vector<sw::DeviceEntry> m_devices;
    std::map<std::string, std::int64_t> m_dimensions; // as chosen, including ones that the program does not have now
    std::string m_overrides;
    std::string m_overridesName;
    std::vector<sw::InputChoice> m_inputs;
    std::size_t m_momentBytes = sw::kMomentBytes;
    std::chrono::milliseconds m_runLimit{0};
    bool m_isChecking = false; // accesses of runs
    sw::CompileSwitches m_switches;
    // What the program of a session was compiled for and run with.
    std::uint32_t m_threads = 0;
    std::map<std::string, std::int64_t, std::less<>> m_knownDimensions;
    sw::DimensionRanges m_openDimensions; // of a model
    std::vector<sw::TensorViewPtr> m_knownInputs;
    std::uint64_t m_seed = sw::RunInputs().seed;
    bool m_isKept = false;
    bool m_isLive = true;
    SnapshotPtr m_snapshot;
    std::uint64_t m_compilation = 0;
    std::array<Asked, kRequestTags> m_asked; // by tag
    std::vector<MomentStagesPtr> m_prepared;
    Activity m_activity = Activity::Idle;
    std::uint64_t m_run = 0;    // the number of the newest one; what an older one reports is not wanted
    bool m_isBoth = false;      // the newest one also runs a baseline
    bool m_isRunWanted = false; // run after the current compilation
    bool m_isSlow = false;      // the wait for the newest result has become noticeable
    QTimer m_debounce;
    QTimer m_patience;
    QElapsedTimer m_sinceRequest;
    QElapsedTimer m_sinceActivity;
    std::shared_ptr<RunProgress> m_progress = std::make_shared<RunProgress>(); // for the newest run
    bool m_isStopped = false;
    RequestQueue m_queue; // last: its worker uses the service and posts to this object
};

template <typename Job, typename Done>
void Session::ask(RequestTag tag, QObject *receiver, Job job, Done done)
{
    using Answer = std::invoke_result_t<Job &, EngineService &, const std::stop_token &>;
    const std::function<bool()> isWanted = expectAnswer(tag, receiver);
    m_queue.post(tag, [this, isWanted, job = std::move(job), done = std::move(done)](const std::stop_token &stop) mutable {
        // Shared, because it is passed on with a copy of the function.
        const auto answer = std::make_shared<Answer>(job(m_service, stop));
        if (stop.stop_requested())
            return;
        QMetaObject::invokeMethod(this, [isWanted, answer, done]() mutable {
            if (isWanted())
                done(std::move(*answer));
        });
    });
}

} // namespace stepwell::ui
