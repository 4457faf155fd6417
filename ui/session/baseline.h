#pragma once
// Against what: the compilation that the window compares with, beside Selection (what) and Moment (when). There is a list of
// them, and at most one is current; the panes then show their document, the baseline's, or the difference. Whatever a baseline
// needs to be compiled for is compiled on the worker thread beside the program, and gives way when the program is compiled.

#include "ui/session/baseline_list.h"
#include "ui/session/selection.h"
#include "ui/session/selection_pair.h"
#include "ui/session/session.h"
#include "ui/session/stage_differences.h"

#include <QObject>
#include <QString>
#include <QStringList>

#include <cstdint>
#include <optional>
#include <utility>

namespace stepwell::ui {

// What a pane shows while there is a baseline.
enum class Shown : unsigned char { Now, Before, Difference };

// Where the baseline and the program part first.
struct FirstDifference {
    bool isAsked = false; // the answer is on its way
    QString text;         // empty: not asked
    std::optional<sw::PartingPoint> point;
};

// What running both in turn told.
struct BothTimes {
    std::uint64_t of = 0; // the entry that is run; another one may be chosen meanwhile
    sw::ReportPtr before; // the reports that have the times; null: nothing was measured in turn
    sw::ReportPtr now;
    QString difference; // "4.2 % faster (3.1 % to 5.0 %)"
    QStringList notes;  // what disturbed the times
    QString error;      // why the baseline could not be run
};

class Baseline : public QObject {
    Q_OBJECT

public:
    Baseline(Session &session, Selection &selection, QObject *parent = nullptr);

    [[nodiscard]] const std::vector<BaselineEntry> &entries() const { return m_list.entries(); }
    [[nodiscard]] const BaselineEntry *current() const { return m_list.find(m_current); } // null: none
    // The newest compilation before the one that the window shows; null: there is none.
    [[nodiscard]] const BaselineEntry *previous() const;
    // Documents of the current one; null: it has none yet, or none at all.
    [[nodiscard]] const SnapshotPtr &before() const { return m_before; }
    [[nodiscard]] bool isCompiling() const;
    // The baseline, its code or the differences are on their way.
    [[nodiscard]] bool isPending() const;
    // Why the current one stopped before its last stage; empty: it did not.
    [[nodiscard]] QString problem() const;
    [[nodiscard]] Selection &selection() { return m_selection; } // in the documents of `before`
    [[nodiscard]] const StageDifferences &differences() const { return m_differences; }

    void choose(std::uint64_t id); // of an entry; 0: none
    void compareWith(const CompileVariant &variant);
    // What the window shows becomes a baseline that is kept. Returns its id; 0: there is nothing to pin.
    std::uint64_t pin();
    // A compilation of an earlier window. report: null: it is compiled when it is chosen. Returns its id.
    std::uint64_t restore(const QString &name, const sw::ExploreRequest &request, const sw::ReportPtr &report);
    void rename(std::uint64_t id, const QString &name);
    void remove(std::uint64_t id);

    [[nodiscard]] Shown shown() const { return m_shown; }
    void setShown(Shown shown);
    // Reads the machine code of both sides.
    void wantCode();

    // Runs the current one and the program in turn; there must be both.
    void runBoth();
    [[nodiscard]] bool canRunBoth() const;
    // What the last runBoth() of the current one told.
    [[nodiscard]] const BothTimes &times() const { return m_times; }
    // The times of both that are shown are of one measurement.
    [[nodiscard]] bool isMeasuredInTurn() const;
    // The request that makes the current one; there must be one.
    [[nodiscard]] sw::ExploreRequest request() const;
    // The item of the baseline's graph for a node of the program's end, by DocumentItem::node; nothing: it has none.
    [[nodiscard]] std::optional<std::uint32_t> nodeBefore(std::uint32_t node) const;

    void askFirst();
    void forgetFirst();
    [[nodiscard]] const FirstDifference &first() const { return m_first; }

    // The snapshots at the moment and at the end, before the panels get them.
    void setNow(const SnapshotPtr &now, const SnapshotPtr &end);

signals:
    void changed();      // the list, the current one, or its documents
    void shownChanged(); // what the window shows of it
    void firstChanged();

private:
    void keepEarlier(const SnapshotPtr &end);
    void askChanges();
    void follow();
    void make(const sw::ExploreRequest &request, const sw::ReportPtr &report);
    void setBefore(const SnapshotPtr &before);
    void compare();
    void askAgain();
    void onBothRan(const sw::BothRuns &runs);
    void tellFirst(const sw::PartingAnswer &answer);
    void tellNextRewrite(sw::MomentPlace place);

    Session &m_session;
    BaselineList m_list;
    Selection m_selection;
    StageDifferences m_differences;
    SelectionPair m_pair;
    std::uint64_t m_current = 0; // 0: none
    Shown m_shown = Shown::Difference;
    SnapshotPtr m_now;
    SnapshotPtr m_end;
    SnapshotPtr m_before;
    // What documents are being made of; without a report it is being compiled.
    std::optional<std::pair<sw::ExploreRequest, sw::ReportPtr>> m_asked;
    bool m_isCodeWanted = false;
    bool m_isFirstWanted = false; // after each compilation
    FirstDifference m_first;
    BothTimes m_times;
};

} // namespace stepwell::ui
