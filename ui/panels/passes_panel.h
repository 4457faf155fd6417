#pragma once

#include "ui/models/pass_model.h"
#include "ui/panels/panel.h"

class QStackedWidget;
class QTableView;

namespace stepwell::ui {

class CutLabel;
class DiffView;
class TableSides;

// The passes that ran, and the stage before and after the pass where the window is. Choosing a pass moves the window there.
class PassesPanel : public Panel {
    Q_OBJECT

public:
    PassesPanel(const PanelContext &context, const PanelName &name);

    void setSnapshot(const SnapshotPtr &snapshot) override;

    [[nodiscard]] int currentPass() const; // -1: none, at the end
    [[nodiscard]] DiffView &diff() { return *m_diff; }

protected:
    void showEvent(QShowEvent *event) override;

private:
    void follow(); // follows the moment
    void request();
    void onDocuments(std::uint32_t index, std::uint32_t afterRewrites, const sw::PassDocuments &documents);

    PassModel *m_model;
    QTableView *m_table;
    QStackedWidget *m_stack;
    TableSides *m_sides;
    DiffView *m_diff;
    CutLabel *m_rewrite;
    SnapshotPtr m_snapshot;
    std::optional<sw::MomentPlace> m_asked;
    bool m_isWanted = false; // will be requested when the panel is next shown
};

} // namespace stepwell::ui
