#pragma once
// Shows the graph, or the kernel groups as a graph.

#include "ui/graph_view/graph_view.h"
#include "ui/panels/panel.h"

namespace stepwell::ui {

class GraphSides;

class GraphPanel : public Panel {
    Q_OBJECT

public:
    GraphPanel(const PanelContext &context, const PanelName &name, sw::StageKind stage);

    void setSnapshot(const SnapshotPtr &snapshot) override;
    void find() override { shownView().find(); }
    void findNext() override { shownView().findNext(); }
    void findPrevious() override { shownView().findPrevious(); }
    void zoom(int steps) override;
    void resetZoom() override { shownView().canvas().zoomTo(1); }
    void fit() override { shownView().canvas().fit(); }
    void foldAll() override { shownView().foldAll(); }
    void unfoldAll() override { shownView().unfoldAll(); }
    bool stepDifference(int direction) override;
    [[nodiscard]] bool isSettled() const override;
    [[nodiscard]] std::optional<sw::StageKind> stage() const override { return m_stage; }

    [[nodiscard]] GraphView &view() { return *m_view; } // of the graph as it is now
    [[nodiscard]] GraphSides &sides() { return *m_sides; }

protected:
    void showOutOfDate(bool isOutOfDate) override { m_view->setDimmed(isOutOfDate); }

private:
    [[nodiscard]] GraphView &shownView() const;
    void showFlags();
    void updateNote();
    void showMenu(Selection::Place place, const QPoint &at);
    void updateHint();

    sw::StageKind m_stage;
    GraphView *m_view;
    GraphSides *m_sides;
    SnapshotPtr m_snapshot;
    QToolButton *m_fold = nullptr;
    QToolButton *m_unfold = nullptr;
    QToolButton *m_fit = nullptr;
};

} // namespace stepwell::ui
