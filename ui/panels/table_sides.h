#pragma once
// What a pane with a table of a report shows while there is a baseline: its own table, or both side by side.

#include "ui/models/difference_model.h"
#include "ui/panels/panel.h"
#include "ui/panels/side_choice.h"

#include <QStackedWidget>

#include <functional>

class QTableView;

namespace stepwell::ui {

class TableSides : public QStackedWidget {
    Q_OBJECT

public:
    struct Rows {
        sw::TableDifference rows;
        std::vector<bool> isNoise = {};
    };
    using Compare = std::function<Rows(const sw::Report &before, const sw::Report &now)>;

    // now: the pane's own widget; it becomes a page. name: of the table.
    TableSides(const PanelContext &context, QWidget *now, const QString &name, std::vector<ComparedQuantity> quantities,
               Compare compare);

    void setChoice(SideChoice &choice);
    void setSnapshot(const SnapshotPtr &snapshot);
    [[nodiscard]] bool isDifference() const { return currentIndex() == 1; }
    [[nodiscard]] DifferenceModel &model() { return *m_model; }

signals:
    void changed();

private:
    void showSide();
    void showColumns(Shown side);

    PanelContext m_context;
    Compare m_compare;
    DifferenceModel *m_model;
    QTableView *m_table;
    QStackedWidget *m_stack;
    SideChoice *m_choice = nullptr;
    SnapshotPtr m_snapshot;
};

// Kernels with their times. Of times that were measured in turn, those whose bands overlap are noise; of others those whose
// measurements do.
[[nodiscard]] TableSides::Rows comparedKernels(const sw::Report &before, const sw::Report &now, bool isInTurn);

} // namespace stepwell::ui
