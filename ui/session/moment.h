#pragma once
// When the window is: at the end of the compilation, or after some of the rewrites of one of its passes. The bar moves it, the
// panes show what there was then, and none of them knows another. The same pass stays chosen when the program is compiled anew.

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
    explicit Moment(Session &session, QObject *parent = nullptr);

    // Nothing: the end.
    [[nodiscard]] const std::optional<sw::MomentPlace> &place() const { return m_place; }
    [[nodiscard]] bool isAtEnd() const { return !m_place; }
    [[nodiscard]] const std::vector<sw::PassEntry> &passes() const;
    [[nodiscard]] const sw::PassEntry *pass() const; // of the place; null at the end
    [[nodiscard]] std::uint32_t done() const;        // rewrites of that pass
    // What the panes show; null: nothing yet. While the moment's stages are made, those of an earlier one.
    [[nodiscard]] const SnapshotPtr &snapshot() const { return m_shown; }
    [[nodiscard]] bool isPending() const { return m_isPending; }
    // The last rewrite of the moment that is shown; null: there is none, or it is not known yet.
    [[nodiscard]] const sw::RewriteEntry *rewrite() const;

    void goTo(sw::MomentPlace place);
    // "simplify", or "simplify:3" for three of its rewrites. The reason why not; empty: all is well.
    [[nodiscard]] QString goToNamed(const QString &words);
    void goToStart();
    void goToEnd();
    // By one, forwards or backwards. Single rewrites go on in the next pass that changed something; behind the last is the end.
    void stepRewrite(int direction);
    void stepPass(int direction);
    // From the end forwards: to the first pass that changed something.
    void stepChanged(int direction);

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
    [[nodiscard]] bool canMove() const;                           // the passes are those of what was compiled last
    [[nodiscard]] int nextChanged(int from, int direction) const; // -1: none

    Session &m_session;
    SnapshotPtr m_end;
    SnapshotPtr m_shown;
    MomentStagesPtr m_stages;
    std::optional<sw::MomentPlace> m_place;
    std::string m_passId;        // of the place
    std::uint64_t m_placeOf = 0; // the compilation whose passes the place counts
    bool m_isPending = false;
};

} // namespace stepwell::ui
