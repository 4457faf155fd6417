#pragma once
// Which rewrites the timeline shows and steps through: those of one rule, of one kernel, those that touch what is selected. The
// engine finds them; until it has, nothing matches yet.

#include "ui/session/selection.h"
#include "ui/session/session.h"

#include <QObject>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stepwell::ui {

class MomentFilter : public QObject {
    Q_OBJECT

public:
    MomentFilter(Session &session, const Selection &selection, QObject *parent);

    void setRule(const std::string &rule); // empty: any
    void setKernel(std::uint32_t kernel);  // kNoIndex: any
    // Follows the selection; without one it cannot be on.
    void setTouchesSelection(bool touchesSelection);
    // Passes that changed nothing are not shown, and not stepped to.
    void setHidesUnchanged(bool hidesUnchanged);
    void clear(); // all of them

    [[nodiscard]] const std::string &rule() const { return m_wanted.rule; }
    [[nodiscard]] std::uint32_t kernel() const { return m_wanted.kernel; }
    [[nodiscard]] bool touchesSelection() const { return m_touchesSelection; }
    [[nodiscard]] bool canTouchSelection() const { return !m_selection.selectedSources().empty(); }
    [[nodiscard]] bool hidesUnchanged() const { return m_hidesUnchanged; }
    // Only some rewrites are wanted; stepping goes from one of them to the next.
    [[nodiscard]] bool isActive() const { return m_touchesSelection || !m_wanted.isEmpty(); }
    [[nodiscard]] bool isPending() const { return m_session.isAsking(RequestTag::Filter); }

    [[nodiscard]] std::uint32_t matchesIn(std::size_t pass) const;
    [[nodiscard]] std::uint32_t matches() const; // in all passes
    [[nodiscard]] std::uint32_t matchingPasses() const;
    // The nearest match behind or before a moment in which `done` rewrites of the pass are done; nothing: there is none.
    [[nodiscard]] std::optional<sw::MomentPlace> nextMatch(std::size_t pass, std::uint32_t done, int direction) const;

signals:
    void changed(); // what is wanted, or what matches

private:
    void onSnapshot(const SnapshotPtr &snapshot);
    void onSelection();
    void findKernelAgain(const sw::Report &report);
    void apply();

    Session &m_session;
    const Selection &m_selection;
    sw::RewriteFilter m_wanted;
    std::string m_kernelName;
    bool m_touchesSelection = false;
    bool m_hidesUnchanged = false;
    std::uint64_t m_selectionNumber = 0; // of the selection that m_wanted has the sources of
    std::uint64_t m_compilation = 0;     // that the matches are of
    std::vector<sw::PassMatches> m_matches;
};

} // namespace stepwell::ui
