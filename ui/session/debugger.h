#pragma once
// The kernel that is opened to be stepped through, where its run stands, and where it is to stop. One for the window: every view
// of the run sees the same. The engine does the moves on the session's worker thread, one after the other; none is lost, and a
// search can be stopped. A recompilation opens the kernel again, with its breakpoints, and at the same step if its text is the
// same.

#include "engine/api/kernel_trace.h"
#include "ui/session/breakpoints.h"
#include "ui/session/session.h"

#include <QHash>
#include <QObject>
#include <QTimer>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace stepwell::ui {

// What does not change while a kernel is open.
struct TraceFacts {
    std::string name;
    std::vector<std::string> lines;
    std::vector<std::uint32_t> instructionLines; // by instruction, from 1
    std::vector<sw::TraceMemory> memories;
    std::vector<sw::TraceLoop> loops;
    std::array<std::int64_t, 3> globalSize{1, 1, 1};

    [[nodiscard]] const sw::TraceMemory *memory(std::uint32_t instruction) const; // null: there is none
};

// Some elements of a memory at the current position.
struct TracePage {
    std::uint32_t memory = sw::kNoIndex; // instruction
    std::int64_t first = 0;
    std::vector<std::string> elements;
    std::optional<std::int64_t> followed; // the element that was read or written last, when the page follows that
};

// Which elements to read at every position.
struct MemoryWindow {
    std::uint32_t memory = sw::kNoIndex;
    std::int64_t first = 0;
    std::size_t count = 1024;
    // A move goes to the elements that were read or written last.
    bool followsAccess = true;
};

enum class TraceState : unsigned char { Closed, Opening, Open, Failed };

class Debugger : public QObject {
    Q_OBJECT

public:
    explicit Debugger(Session &session, QObject *parent = nullptr);

    // Opens a kernel of the newest compilation, at the step where it was left.
    void open(std::uint32_t kernel);
    // While there is a viewer, a recompilation opens the kernel again at once, else when there is one again.
    // Qt hides widgets that it never showed, so adding and removing need not come in pairs.
    void addViewer(const QObject *viewer);
    void removeViewer(const QObject *viewer);

    [[nodiscard]] TraceState state() const { return m_state; }
    [[nodiscard]] const QString &problem() const { return m_problem; } // why it was not opened
    [[nodiscard]] std::optional<std::uint32_t> kernel() const { return m_kernel; }
    [[nodiscard]] std::uint64_t compilation() const { return m_compilation; } // which the open kernel is of
    // These are null, or empty, unless a kernel is open.
    [[nodiscard]] const TraceFacts *facts() const { return m_facts.get(); }
    [[nodiscard]] const sw::TracePosition *position() const { return m_facts ? &m_position : nullptr; }
    [[nodiscard]] const TracePage &page() const { return m_page; }
    [[nodiscard]] const std::vector<sw::TracePastAccess> &trail() const { return m_trail; } // newest first
    [[nodiscard]] bool hasStepped() const { return m_facts && m_position.position != 0; }
    [[nodiscard]] bool isMoving() const { return m_isMoving || !m_moves.empty(); }
    // Nothing is on its way: everything that was asked about the run is known.
    [[nodiscard]] bool isSettled() const { return !isMoving() && m_questions.empty(); }
    // The move takes longer than one notices.
    [[nodiscard]] bool isBusy() const { return m_isBusy; }
    [[nodiscard]] std::uint64_t reached() const { return m_trace ? m_trace->reached() : 0; } // by the move that goes on
    // What came of the last move, when it did not get where it was to: "There is no NaN in the 300 steps from here on."
    [[nodiscard]] const QString &note() const { return m_note; }

    void step(sw::TraceDirection direction);
    void stepOver(sw::TraceDirection direction);
    void stepOut(sw::TraceDirection direction);
    // To the next breakpoint, or to what else is switched on; without one, to the end or the beginning.
    void run(sw::TraceDirection direction);
    // condition: as in docs/stepping.md. name: what people call it.
    void runTo(sw::TraceDirection direction, const std::string &condition, const QString &name);
    void runToAccess(sw::TraceDirection direction); // a load or a store
    // A store of something else than the reference has. When there is none, the note tells what was compared.
    void runToDifference(sw::TraceDirection direction);
    // place: "i=3,j=0". Looks in this direction first.
    void jump(sw::TraceDirection direction, const std::string &place);
    void goTo(std::uint64_t position);
    void goToEnd();
    void knowEnd(); // position() will tell how many steps the run has, however long it is
    void stop();    // the move that goes on, and those that wait

    void watchMemory(const MemoryWindow &window); // shows exactly this until the next move
    [[nodiscard]] const MemoryWindow &window() const { return m_watched.window; }
    void followAccess(bool isOn);
    // How many of the last accesses to tell at every position.
    void watchTrail(std::size_t accesses);
    // Asks something of the run where it stands: the job runs on the worker thread, leaves the run where it is, and returns what
    // to do with the answer on this thread. A newer question of the same name replaces it. A move comes first; then it is asked
    // again.
    using Job = std::function<std::function<void()>(sw::KernelTrace &trace, const std::stop_token &stop)>;
    enum class Urgency : unsigned char { Now, Later };
    void ask(const std::string &name, Urgency urgency, Job job);
    // Asks for the last values that an instruction made; historyReady() tells them.
    void askHistory(const std::string &value);
    // Asks what the whole run touches, as far as that can be counted quickly; totalsReady() tells it.
    void askTotals();

    // Of the open kernel.
    [[nodiscard]] const std::vector<Breakpoint> &breakpoints() const;
    void toggleBreakpoint(std::uint32_t line);
    // check: "acc > 0.5"; empty: always. Empty result: it was set; else why it cannot be.
    void setBreakpoint(const Breakpoint &breakpoint);
    void removeBreakpoint(std::uint32_t line);
    // "nan", "inf", "fault" or "difference", which stop run() too.
    void setStopsAt(const std::string &oddity, bool isOn);
    [[nodiscard]] bool stopsAt(const std::string &oddity) const;

signals:
    void opened();      // or closed, or failed: state() tells
    void moved();       // position(), page() and note() are new
    void busyChanged(); // and again and again while it is
    void breakpointsChanged();
    void historyReady(const QString &value, const std::vector<sw::TracePast> &past, const QString &problem);
    void totalsReady(const std::shared_ptr<const sw::TraceTotals> &totals);

private:
    // Returns what to tell; empty: it got there.
    using Move = std::function<QString(sw::KernelTrace &trace, const std::stop_token &stop)>;
    struct Question {
        std::string name;
        std::uint64_t number = 0;
        Job job;
    };
    // What to read at every position.
    struct Watched {
        MemoryWindow window;
        std::size_t trail = 0;
    };
    struct Seen {
        sw::TracePosition position;
        TracePage page;
        std::vector<sw::TracePastAccess> trail;
        QString note;
    };
    struct Opened {
        std::shared_ptr<sw::KernelTrace> trace;
        std::shared_ptr<const TraceFacts> facts;
        Seen seen;
        QString problem;
    };
    struct Left { // where a kernel was left
        std::vector<std::string> lines;
        std::uint64_t position = 0;
    };

    [[nodiscard]] static Seen look(sw::KernelTrace &trace, Watched watched, const std::stop_token &stop);
    // Returns the element that the window now follows.
    static std::optional<std::int64_t> follow(MemoryWindow &window, sw::KernelTrace &trace, const std::stop_token &stop);
    void onSnapshot(const SnapshotPtr &snapshot);
    void onActivity(Activity activity);
    void await();
    void reopen();
    void close();
    void move(Move move);
    void search(const QString &name, std::function<sw::Result<sw::TraceSearch>(sw::KernelTrace &, const std::stop_token &)> find,
                sw::TraceDirection direction);
    void goOn();
    void makeMoves();
    void findEnd(); // of a short run, so that one sees how far it goes
    void askNext();
    void lookAgain(Watched watched);
    void show(Seen seen);
    void onOpened(Opened opened);
    void setMoving(bool isMoving);

    Session &m_session;
    TraceState m_state = TraceState::Closed;
    QString m_problem;
    std::optional<std::uint32_t> m_kernel;
    QString m_name; // of the kernel, without its number, and which of that name it is
    std::uint64_t m_compilation = 0;
    std::shared_ptr<sw::KernelTrace> m_trace; // used on the worker thread only
    std::shared_ptr<const TraceFacts> m_facts;
    sw::TracePosition m_position;
    TracePage m_page;
    std::vector<sw::TracePastAccess> m_trail;
    QString m_note;
    Watched m_watched;
    std::deque<Move> m_moves; // that wait
    std::deque<Question> m_questions;
    std::uint64_t m_questionNumber = 0;
    bool m_isAsking = false; // the first of them
    bool m_isMoving = false;
    bool m_isBusy = false;
    QTimer m_patience;
    std::set<const QObject *> m_viewers;
    bool m_isShort = false;                       // the run of the open kernel
    QHash<QString, Left> m_left;                  // by name
    QHash<QString, BreakpointList> m_breakpoints; // likewise
    std::vector<std::string> m_oddities;
};

} // namespace stepwell::ui
