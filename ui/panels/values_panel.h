#pragma once

#include "ui/models/value_model.h"
#include "ui/panels/panel.h"

class QComboBox;
class QLabel;
class QStackedWidget;
class QTableView;

namespace stepwell::ui {

// The values of an output, or of the node selected in any pane. The box above the statistics says which.
class ValuesPanel : public Panel {
    Q_OBJECT

public:
    ValuesPanel(const PanelContext &context, const PanelName &name);

    void setSnapshot(const SnapshotPtr &snapshot) override;

protected:
    void showEvent(QShowEvent *event) override;
    bool belongsToEnd() const override { return true; }
    void showOutOfDate(bool isOutOfDate) override;

private:
    void fillOutputs();
    void onSelectionChanged();
    void onValue(std::uint32_t node, const sw::TensorSummary &summary);
    void showOutput(int index);
    void fitColumns();
    void showStatistics();
    void showSummary(const sw::TensorSummary &summary, std::optional<std::uint64_t> madeBy);

    ValueModel *m_model;
    QComboBox *m_outputs;
    QLabel *m_statistics;
    QTableView *m_table;
    QStackedWidget *m_stack;
    SnapshotPtr m_snapshot;
    sw::ReportPtr m_measured; // the report whose outputs the box lists
    std::uint32_t m_wantedNode = sw::kNoIndex;
    std::uint32_t m_shownNode = sw::kNoIndex;
    std::uint64_t m_nodesOf = 0; // the compilation that the node numbers belong to
};

} // namespace stepwell::ui
