#pragma once

#include "ui/models/kernel_model.h"
#include "ui/panels/panel.h"

class QSortFilterProxyModel;
class QStackedWidget;
class QTableView;

namespace stepwell::ui {

class TableSides;

// The cost of every kernel on the chosen device.
class TimingsPanel : public Panel {
    Q_OBJECT

public:
    TimingsPanel(const PanelContext &context, const PanelName &name);

    void setSnapshot(const SnapshotPtr &snapshot) override;

protected:
    bool belongsToEnd() const override { return true; }
    void showOutOfDate(bool isOutOfDate) override { m_model->setOutOfDate(isOutOfDate); }

private:
    void showMenu(const QPoint &at); // of the kernel there
    void onClicked(const QModelIndex &index);
    void onSelectionChanged();
    void updateNote();

    KernelModel *m_model;
    QSortFilterProxyModel *m_sorted;
    QTableView *m_table;
    QStackedWidget *m_stack;
    TableSides *m_sides;
    SnapshotPtr m_snapshot;
};

} // namespace stepwell::ui
