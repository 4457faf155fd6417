#pragma once

#include "ui/panels/memory_chart.h"
#include "ui/panels/panel.h"

class QStackedWidget;

namespace stepwell::ui {

// Where every buffer lies in its device's memory, and for how long.
class MemoryPanel : public Panel {
    Q_OBJECT

public:
    MemoryPanel(const PanelContext &context, const PanelName &name);

    void setSnapshot(const SnapshotPtr &snapshot) override;

protected:
    void refill() override;
    void showOutOfDate(bool isOutOfDate) override { m_chart->setDimmed(isOutOfDate); }

private:
    void showNote(const sw::StageDocument &schedule);

    SnapshotPtr m_snapshot;
    MemoryChart *m_chart;
    QStackedWidget *m_stack;
};

} // namespace stepwell::ui
