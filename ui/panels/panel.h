#pragma once
// The content of a pane. Panels see the snapshot, the session and the selection, but never each other. The frame around a panel
// draws its title and tools.

#include "ui/session/baseline.h"
#include "ui/session/debugger.h"
#include "ui/session/health.h"
#include "ui/session/moment.h"
#include "ui/session/notes.h"
#include "ui/session/requests.h"
#include "ui/session/selection.h"
#include "ui/session/session.h"
#include "ui/session/target_choice.h"
#include "ui/session/watch_list.h"
#include "ui/session/what_if.h"
#include "ui/theme/appearance.h"

#include <QWidget>

#include <cstdint>
#include <optional>
#include <vector>

class QBoxLayout;
class QLabel;
class QToolButton;

namespace stepwell::ui {

struct PanelContext {
    const Appearance &appearance;
    Session &session;
    Selection &selection;
    Moment &moment;
    Requests &requests;
    WhatIf &whatIf;
    InputChoices &inputs;
    Health &health;
    WatchList &watched;
    Debugger &debugger;
    Baseline &baseline;
    Notes &notes;
    TargetChoice &targets;
};

// What the row of a panel calls it.
struct PanelName {
    QString id;
    QString title;
};

class Panel : public QWidget {
    Q_OBJECT

public:
    Panel(const PanelContext &context, const PanelName &name);

    [[nodiscard]] const QString &title() const { return m_title; }
    // Count, badge and buttons, for the frame's header.
    [[nodiscard]] QWidget *tools() { return m_tools; }
    [[nodiscard]] QString note() const;
    [[nodiscard]] bool isMarkedOutOfDate() const;

    // Gives the keyboard focus to what the panel currently shows.
    void takeFocus();

    // The snapshots at the current moment and at the end of the compilation; null: nothing yet.
    void setSnapshots(const SnapshotPtr &now, const SnapshotPtr &end);
    virtual void setSnapshot(const SnapshotPtr &snapshot) = 0; // receives whichever of the two the panel shows
    // Handlers for the window's Find, Zoom and Copy while this panel has the focus.
    virtual void find() {}
    virtual void findNext() {}
    virtual void findPrevious() {}
    virtual void zoom(int steps);
    virtual void resetZoom() {}
    virtual void fit() {}
    virtual void foldAll() {}
    virtual void unfoldAll() {}
    // To the next difference to the baseline, or the one before. False: it shows none, or there is none in that direction.
    virtual bool stepDifference(int) { return false; }
    [[nodiscard]] virtual bool isSettled() const { return true; } // what it shows is final
    // The stage whose document it shows; nothing: it shows none.
    [[nodiscard]] virtual std::optional<sw::StageKind> stage() const { return {}; }

signals:
    void titleChanged();

protected:
    void showEvent(QShowEvent *event) override;
    // Work that only who looks at the panel needs: refill() is called at once if the panel is visible, and otherwise when it
    // becomes visible.
    void refillWhenVisible();
    virtual void refill() {}
    void setTitle(const QString &title);
    void setNote(const QString &note);
    // Which compilation made what the panel shows; nothing: no compilation did, and the panel is never out of date.
    [[nodiscard]] bool isCompiling() const { return m_context.session.activity() == Activity::Compiling; }
    void setMadeBy(std::optional<std::uint64_t> compilation);
    virtual void showOutOfDate(bool) {} // changes how the content looks; the frame draws the badge
    // True for results made or measured after the last pass: they are shown at any moment, with a note before the end.
    [[nodiscard]] virtual bool belongsToEnd() const { return false; }
    [[nodiscard]] bool isBeforeEnd() const { return m_isBeforeEnd; }
    // For panels that show what is of the moment and what is of the end: says which it is now.
    void setFromEnd(bool isFromEnd);
    // "Not yet: made by Group into kernels". Empty: the stage exists, or will never exist.
    [[nodiscard]] QString notYet(const SnapshotPtr &snapshot, sw::StageKind stage) const;
    QToolButton *addTool(const QString &icon, const QString &toolTip);
    void setContent(QWidget *content);

    PanelContext m_context;

private:
    void setIcons();
    void updateOutOfDate();

    QString m_title;
    std::optional<std::uint64_t> m_madeBy;
    bool m_isOutOfDate = false;
    bool m_isBeforeEnd = false;
    bool m_isDimmed = false;
    bool m_isRefillDue = false;
    QWidget *m_tools;
    QLabel *m_note;
    QLabel *m_badge;
    QLabel *m_endBadge;
    std::vector<std::pair<QToolButton *, QString>> m_buttons; // with their icons
};

} // namespace stepwell::ui
