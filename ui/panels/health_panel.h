#pragma once

#include "ui/models/health_model.h"
#include "ui/panels/panel.h"

class QCheckBox;
class QDoubleSpinBox;
class QLabel;
class QStackedWidget;
class QTableView;

namespace stepwell::ui {

// Where values first become NaN, infinite or subnormal, or lose bits; the graph marks these nodes too.
class HealthPanel : public Panel {
    Q_OBJECT

public:
    HealthPanel(const PanelContext &context, const PanelName &name);

    void setSnapshot(const SnapshotPtr &snapshot) override;
    [[nodiscard]] bool isSettled() const override { return !m_context.health.isRunning(); }

protected:
    bool belongsToEnd() const override { return true; }

private:
    void refresh();
    void onRow(const QModelIndex &index);
    [[nodiscard]] QString hint() const;

    SnapshotPtr m_snapshot;
    HealthModel *m_model;
    QTableView *m_table;
    QStackedWidget *m_stack;
    QCheckBox *m_switch;
    QDoubleSpinBox *m_bits;
};

} // namespace stepwell::ui
