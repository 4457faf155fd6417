#pragma once
// What bounds every kernel: a plot under the roofs of this machine, and a table with the estimates that the compiler decided by.

#include "ui/models/roofline_model.h"
#include "ui/panels/panel.h"
#include "ui/panels/roofline_plot.h"

#include <QString>

class QLabel;
class QPushButton;
class QSortFilterProxyModel;
class QSplitter;
class QStackedWidget;
class QTableView;

namespace stepwell::ui {

class RooflinePanel : public Panel {
    Q_OBJECT

public:
    RooflinePanel(const PanelContext &context, const PanelName &name);

    void setSnapshot(const SnapshotPtr &snapshot) override;

protected:
    [[nodiscard]] bool belongsToEnd() const override { return true; }

private:
    void ask(sw::RoofsWanted wanted);
    void fill();
    void rememberRun();
    void choose(std::uint32_t kernel);
    void onSelectionChanged();
    // Where the arrows begin: at the baseline, if it was run; without one, at the run before the last one of this program.
    [[nodiscard]] std::vector<sw::RooflinePoint> pointsBefore(const sw::Report &now) const;

    RooflinePlot *m_plot;
    RooflineModel *m_model;
    QSortFilterProxyModel *m_sorted;
    QTableView *m_table;
    QSplitter *m_content;
    QStackedWidget *m_stack;
    QLabel *m_told = nullptr;
    QPushButton *m_measure = nullptr;
    QToolButton *m_again = nullptr;
    SnapshotPtr m_snapshot;
    std::optional<sw::MachineRoofs> m_roofs;
    QString m_roofsError;
    QString m_roofsDevice; // whose roofs they are
    sw::RoofsWanted m_wanted = sw::RoofsWanted::Known;
    sw::ReportPtr m_run;       // the last report with times
    sw::ReportPtr m_runBefore; // the one before it
};

} // namespace stepwell::ui
