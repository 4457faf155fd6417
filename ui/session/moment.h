#pragma once
// The moment that the window shows: the end of the compilation, or after some rewrites of one of its passes. The bar moves it;
// the panes show the state at that moment and do not know each other. After a recompilation the same pass stays selected.

#include "ui/session/moment_filter.h"
#include "ui/session/session.h"

#include <QObject>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stepwell::ui {

class Moment : public QObject {
    Q_OBJECT

public:
    Moment(Session &session, const Selection &selection, QObject *parent = nullptr);

    // No value: the end.
    [[nodiscard]] const std::optional<sw::MomentPlace> &place() const { return m_place; }
    [[nodiscard]] bool isAtEnd() const { return !m_place; }
    [[nodiscard]] const std::vector<sw::PassEntry> &passes() const;
    [[nodiscard]] const std::vector<sw::KernelEntry> &kernels() const;
    [[nodiscard]] const sw::PassEntry *pass() const; // the pass of the place; null at the end
    [[nodiscard]] std::uint32_t done() const;        // rewrites done in that pass
    // What the panes show; null: nothing yet. While the stages of a new moment are being made, those of an earlier one.
    [[nodiscard]] const SnapshotPtr &snapshot() const { return m_shown; }
    [[nodiscard]] bool isPending() const { return m_session.isAsking(RequestTag::Moment) || m_filter->isPending(); }
    // Which rewrites stepping goes through.
    [[nodiscard]] MomentFilter &filter() const { return *m_filter; }
    // The last rewrite of the moment that is shown; null: there is none, or it is not known yet.
    [[nodiscard]] const sw::RewriteEntry *rewrite() const;

    void goTo(sw::MomentPlace place);
    // "simplify", or "simplify:3" for three of its rewrites. Returns the reason for a failure; empty: success.
    [[nodiscard]] QString goToNamed(const QString &words);
    void goToStart();
    void goToEnd();
    // One step forwards or backwards. Rewrites continue in the next pass that changed something; after the last comes the end.
    // With a filter, they continue at the next match.
    void stepRewrite(int direction);
    void stepPass(int direction);
    // Going forwards from the end leads to the first pass that changed something, or that has a match.
    void stepChanged(int direction);
    // To the next stage, or the one before, when its last pass is done.
    void stepStage(int direction);
    // Whether the pass is stepped to and shown; those that changed nothing may be hidden.
    [[nodiscard]] bool isShown(std::size_t pass) const;
    // Whether the pass changed something, or has a match of the filter.
    [[nodiscard]] bool isWorthSeeing(std::size_t pass) const;

signals:
    void placeChanged();
    void passesChanged();
    void snapshotChanged(const stepwell::ui::SnapshotPtr &snapshot);

private:
    void onSnapshot(const SnapshotPtr &end);
    void onStages(const MomentStagesPtr &stages);
    void moveTo(std::optional<sw::MomentPlace> place);
    void findAgain();
    void show();
    // Where a step by one rewrite leads; nothing: to the end.
    [[nodiscard]] std::optional<sw::MomentPlace> beside(int direction) const;
    void prepareNeighbours();
    [[nodiscard]] bool canMove() const;                           // the passes belong to the latest compilation
    [[nodiscard]] int nextChanged(int from, int direction) const; // -1: none

    Session &m_session;
    MomentFilter *m_filter = nullptr;
    SnapshotPtr m_end;
    SnapshotPtr m_shown;
    MomentStagesPtr m_stages;
    std::optional<sw::MomentPlace> m_place;
    std::string m_passId;        // the pass of the place
    std::uint64_t m_placeOf = 0; // the compilation whose passes the place refers to
};

} // namespace stepwell::ui
