#pragma once
// What a pane with a graph shows while there is a baseline: its own graph, the baseline's, or one drawing of both.

#include "ui/graph_view/graph_view.h"
#include "ui/panels/panel.h"
#include "ui/panels/side_choice.h"

#include <QStackedWidget>

namespace stepwell::ui {

class GraphSides : public QStackedWidget {
    Q_OBJECT

public:
    // now: the pane's own view; it becomes a page.
    GraphSides(const PanelContext &context, sw::StageKind stage, GraphView *now, QWidget *parent);

    void setChoice(SideChoice &choice);
    [[nodiscard]] Shown shown() const { return m_choice ? m_choice->shown() : Shown::Now; }
    [[nodiscard]] GraphView &view() const;                               // of the page that is shown
    [[nodiscard]] GraphView *difference() const { return m_difference; } // null: it was never shown
    [[nodiscard]] bool isSettled() const;
    // What the pane's note says; empty: what it says of its own graph.
    [[nodiscard]] QString note() const;
    bool step(int direction);

signals:
    void changed(); // the page, or what it shows

private:
    void showSide();
    void showBefore();
    void showDifference();
    [[nodiscard]] GraphView *makeView(Selection &selection, const char *name);

    PanelContext m_context;
    sw::StageKind m_stage;
    GraphView *m_now;
    SideChoice *m_choice = nullptr;
    GraphView *m_before = nullptr;
    GraphView *m_difference = nullptr;
};

} // namespace stepwell::ui
