#pragma once
// Shows the graph, or the kernel groups as a graph.

#include "ui/graph_view/graph_view.h"
#include "ui/panels/panel.h"

namespace stepwell::ui {

class GraphPanel : public Panel {
    Q_OBJECT

public:
    GraphPanel(const PanelContext &context, const PanelName &name, sw::StageKind stage);

    void setSnapshot(const SnapshotPtr &snapshot) override;
    void find() override { m_view->find(); }
    void findNext() override { m_view->findNext(); }
    void findPrevious() override { m_view->findPrevious(); }
    void zoom(int steps) override;
    void resetZoom() override { m_view->canvas().zoomTo(1); }
    void fit() override { m_view->canvas().fit(); }
    void foldAll() override { m_view->foldAll(); }
    void unfoldAll() override { m_view->unfoldAll(); }
    [[nodiscard]] bool isSettled() const override { return !m_view->isLayingOut(); }
    [[nodiscard]] std::optional<sw::StageKind> stage() const override { return m_stage; }

    [[nodiscard]] GraphView &view() { return *m_view; }

protected:
    void showOutOfDate(bool isOutOfDate) override { m_view->setDimmed(isOutOfDate); }

private:
    void updateNote();
    void updateHint();

    sw::StageKind m_stage;
    GraphView *m_view;
    SnapshotPtr m_snapshot;
    QToolButton *m_fold = nullptr;
    QToolButton *m_unfold = nullptr;
    QToolButton *m_fit = nullptr;
};

} // namespace stepwell::ui
