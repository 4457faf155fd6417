#pragma once

#include "ui/models/watch_model.h"
#include "ui/panels/panel.h"

class QStackedWidget;
class QTableView;
class QToolButton;

namespace stepwell::ui {

// The watched values together, with what changed since the run before.
class WatchPanel : public Panel {
    Q_OBJECT

public:
    WatchPanel(const PanelContext &context, const PanelName &name);

    void setSnapshot(const SnapshotPtr &snapshot) override;
    [[nodiscard]] bool isSettled() const override { return m_context.watched.isSettled(); }

protected:
    bool belongsToEnd() const override { return true; }

private:
    void refresh();
    void removeCurrent();

    WatchModel *m_model;
    QTableView *m_table;
    QStackedWidget *m_stack;
    QToolButton *m_remove;
};

} // namespace stepwell::ui
