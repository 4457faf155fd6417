#pragma once
// The open kernel once more, as it is with fewer of its loop transformations, beside the run that is stepped through: it stands
// where that run stands, at the same part of its way.

#include "engine/api/kernel_trace.h"
#include "ui/session/debugger.h"

#include <QObject>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace stepwell::ui {

class TraceTwin : public QObject {
    Q_OBJECT

public:
    TraceTwin(Session &session, Debugger &debugger, QObject *parent = nullptr);

    // The kernel with only its first transformations; nothing: no twin. After a recompilation the choice stays for the same
    // kernel, where it still has the transformation.
    void choose(std::optional<std::size_t> transforms);
    [[nodiscard]] const std::optional<std::size_t> &chosen() const { return m_chosen; }
    // Of the open kernel.
    [[nodiscard]] const sw::ChosenTransforms &transforms() const { return m_transforms; }
    void watchTrail(std::size_t accesses);

    // For jobs on the worker thread, which leave it where it stands; null: it is not open.
    [[nodiscard]] const std::shared_ptr<sw::KernelTrace> &trace() const { return m_trace; }
    [[nodiscard]] bool isOpen() const { return m_trace != nullptr; }
    [[nodiscard]] const QString &problem() const { return m_problem; } // why it was not opened
    [[nodiscard]] const std::vector<sw::TraceMemory> &memories() const { return m_memories; }
    // Where it stands; its end is known.
    [[nodiscard]] std::uint64_t position() const { return m_position; }
    [[nodiscard]] std::uint64_t steps() const { return m_steps; }
    [[nodiscard]] const std::vector<sw::TracePastAccess> &trail() const { return m_trail; } // newest first
    [[nodiscard]] const std::shared_ptr<const sw::TraceTotals> &totals() const { return m_totals; }
    // Of the twin, and of the run that is stepped through; nothing: not known yet.
    [[nodiscard]] const std::optional<sw::LineCounts> &lines() const { return m_lines; }
    [[nodiscard]] const std::optional<sw::LineCounts> &linesOfRun() const { return m_linesOfRun; }
    // Nothing is on its way.
    [[nodiscard]] bool isSettled() const { return !m_isAsking; }

signals:
    void transformsChanged(); // of the open kernel
    void opened();            // or closed, or failed
    void moved();             // where it stands, or what it counts

private:
    struct Opened {
        std::shared_ptr<sw::KernelTrace> trace;
        std::vector<sw::TraceMemory> memories;
        std::uint64_t steps = 0;
        std::optional<sw::LineCounts> lines;
        std::shared_ptr<const sw::TraceTotals> totals;
        QString problem;
    };
    struct Seen {
        std::uint64_t position = 0;
        std::vector<sw::TracePastAccess> trail;
    };

    // What was chosen, as a person sees it.
    struct Choice {
        std::string kernel;
        std::string line; // the transformation that the twin is before
        bool isBeforeAll = false;
    };

    void onOpened();
    void chooseAgain();
    void open();
    void close();
    void follow();

    Session &m_session;
    Debugger &m_debugger;
    std::optional<std::size_t> m_chosen;
    std::optional<Choice> m_choice; // outlives the compilation
    sw::ChosenTransforms m_transforms;
    std::size_t m_trailLength = 64;
    std::shared_ptr<sw::KernelTrace> m_trace; // used on the worker thread only
    QString m_problem;
    std::vector<sw::TraceMemory> m_memories;
    std::uint64_t m_position = 0;
    std::uint64_t m_steps = 0;
    std::vector<sw::TracePastAccess> m_trail;
    std::shared_ptr<const sw::TraceTotals> m_totals;
    std::optional<sw::LineCounts> m_lines;
    std::optional<sw::LineCounts> m_linesOfRun;
    std::uint64_t m_compilation = 0; // that the transformations are of
    std::optional<std::uint32_t> m_kernel;
    bool m_isAsking = false;
};

// Where a run of `steps` is, that is as far as one of `otherSteps` at `otherPosition`.
[[nodiscard]] std::uint64_t samePartOf(std::uint64_t steps, std::uint64_t otherPosition, std::uint64_t otherSteps);

} // namespace stepwell::ui
