#pragma once

#include "ui/panels/panel.h"
#include "ui/panels/step_actions.h"
#include "ui/session/debugger.h"
#include "ui/text_view/text_view.h"

#include <QPointer>

class QComboBox;
class QGridLayout;
class QLabel;
class QSlider;
class QSplitter;
class QTableView;
class QTabBar;
class QStackedWidget;

namespace stepwell::ui {

class CutLabel;
class LoopBar;
class MemoryCells;
class PastModel;
class RegisterModel;

// Steps through a kernel, both ways: its text with the place of the run, its loops, values and memory. What the run comes to is
// selected in the whole window.
class StepPanel : public Panel {
    Q_OBJECT

public:
    StepPanel(const PanelContext &context, const PanelName &name);

    void setSnapshot(const SnapshotPtr &snapshot) override;
    void zoom(int steps) override { m_view->zoomBy(steps); }
    void resetZoom() override { m_view->resetZoom(); }

    [[nodiscard]] TextView &view() { return *m_view; }
    [[nodiscard]] RegisterModel &registers() { return *m_registers; }
    [[nodiscard]] MemoryCells &cells() { return *m_cells; }

protected:
    bool event(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void showEvent(QShowEvent *event) override;
    void hideEvent(QHideEvent *event) override;
    void refill() override;
    void resizeEvent(QResizeEvent *event) override;
    bool belongsToEnd() const override { return true; }
    void showOutOfDate(bool isOutOfDate) override { m_view->setDimmed(isOutOfDate); }

private:
    // step_panel_layout.cpp
    void makeValues();
    void makeBars();
    void placeBars(bool isWide);
    void arrange();

    void fillKernels();
    void followSelection();
    void openKernel(std::uint32_t kernel);
    void showText();
    void onOpened();
    void onMoved();
    void showRun();
    void showPosition();
    void showNote();
    void selectLine();
    void selectRow(int row);
    void showValues(const std::vector<sw::TraceValue> &values);
    void chooseValue(const QModelIndex &index);
    void askHistory();
    void showHistory(const QString &value, const std::vector<sw::TracePast> &past, const QString &problem);
    void showHistoryTab();

    // step_panel_menus.cpp
    void showBreakpointMenu(int row);
    void editCheck(std::uint32_t line);
    void showValueMenu(const QPoint &at);

    [[nodiscard]] std::uint32_t cursorLine() const; // of the kernel's text, from 1; 0: none

    Debugger &m_debugger;
    QPointer<Debugger> m_viewed; // null when the window is being destroyed: then a panel that hides tells nobody
    SnapshotPtr m_snapshot;
    std::optional<std::uint32_t> m_textOf; // the kernel whose text is shown
    sw::StageDocumentPtr m_document;       // the one that the text is from
    std::uint64_t m_selectedAt = 0;        // the position whose line was selected last
    QString m_chosenValue;                 // name; empty: none
    bool m_isFilling = false;              // the table of values
    QComboBox *m_kernels;
    sw::ReportPtr m_kernelsOf; // the report whose kernels it lists
    StepActions *m_actions;
    QGridLayout *m_bars = nullptr;
    QWidget *m_buttons = nullptr;
    QWidget *m_place = nullptr; // of the run: its step, and where it is
    bool m_isWide = true;
    QSlider *m_scrubber;
    QLabel *m_steps;
    CutLabel *m_noteLine;
    LoopBar *m_loops;
    QSplitter *m_splitter;
    TextView *m_view;
    RegisterModel *m_registers;
    PastModel *m_past;
    QTabBar *m_valueTabs;
    QStackedWidget *m_valueStack;
    QTableView *m_registerTable;
    QTableView *m_pastTable;
    MemoryCells *m_cells;
};

} // namespace stepwell::ui
