#pragma once

#include "engine/api/compare/comparer.h"
#include "ui/models/matrix_model.h"
#include "ui/panels/panel.h"

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QPushButton;
class QStackedWidget;
class QTableView;

namespace stepwell::ui {

class KernelPair;
class MatrixColumns;
class MatrixFinding;

// Every kernel on several devices and with several options: what it costs, and whether its values are right. A cell opens its
// source and machine code beside those of another column; what differs leads to the first value that parts.
class MatrixPanel : public Panel {
    Q_OBJECT

public:
    MatrixPanel(const PanelContext &context, const PanelName &name);

    void setSnapshot(const SnapshotPtr &snapshot) override;
    [[nodiscard]] bool isSettled() const override;
    [[nodiscard]] const MatrixModel &model() const { return *m_model; }

protected:
    bool belongsToEnd() const override { return true; }
    void showOutOfDate(bool isOutOfDate) override { m_model->setOutOfDate(isOutOfDate); }
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    struct Cell {
        int row = -1;    // of the model
        int column = -1; // of the matrix; -1: the names
    };

    void addChoices(QWidget *content);
    void onRun();
    void start();
    void stop();
    void take(sw::Matrix matrix);
    void updateState();
    void applyShow();
    void onCurrent();
    void showCurrent();
    void openPair();
    void copy(int format);
    [[nodiscard]] Cell current() const;
    // The column that the current cell is compared with: the first other one that has the kernel; -1: none.
    [[nodiscard]] int otherColumn(const Cell &cell) const;
    [[nodiscard]] sw::ComparedProgram program() const;

    SnapshotPtr m_snapshot;
    MatrixModel *m_model;
    MatrixFilter *m_filter;
    MatrixColumns *m_columns;
    QTableView *m_table;
    QStackedWidget *m_stack;
    QComboBox *m_show;
    QDoubleSpinBox *m_factor;
    QPushButton *m_run;
    QPushButton *m_pairButton;
    QLabel *m_told;
    MatrixFinding *m_finding;
    KernelPair *m_pair = nullptr;  // made when it is first opened
    sw::ComparedProgram m_program; // of the matrix
    std::uint64_t m_madeBy = 0;    // the compilation that the matrix is about
    std::uint64_t m_started = 0;   // numbers the matrices, so that what an earlier one tells late is not shown
    bool m_isRunning = false;
    bool m_isTaking = false; // the current cell is being restored
};

} // namespace stepwell::ui
