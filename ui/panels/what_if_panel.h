#pragma once
// The overrides of the program: each can be switched on and off, changed, moved and removed, with undo and redo. Below the list:
// what became of the chosen one, and what the last change did.

#include "ui/panels/panel.h"

#include <QTimer>

class QLabel;
class QMenu;
class QStackedWidget;
class QTableWidget;
class QTableWidgetItem;
class QTextBrowser;

namespace stepwell::ui {

class LoopEditor;

class WhatIfPanel : public Panel {
    Q_OBJECT

public:
    WhatIfPanel(const PanelContext &context, const PanelName &name);

    void setSnapshot(const SnapshotPtr &snapshot) override;

protected:
    [[nodiscard]] bool belongsToEnd() const override { return true; }

private:
    enum Column : int { Text, State };

    void makeTools();
    [[nodiscard]] QWidget *makeMeasureRow();
    [[nodiscard]] QMenu *makeMeasureMenu(QWidget *parent);
    void showMeasuring();
    void fill();
    [[nodiscard]] QTableWidgetItem &itemAt(int row, int column);
    void showDetail();
    void onCellChanged(const QTableWidgetItem *item);
    [[nodiscard]] std::optional<std::size_t> current() const;
    void moveBy(int rows);

    QTableWidget *m_table;
    QStackedWidget *m_stack;
    LoopEditor *m_loops;
    QTextBrowser *m_detail;
    std::size_t m_count = 0; // of the overrides in the list
    QToolButton *m_measure = nullptr;
    QLabel *m_measuring = nullptr; // what it does, or how it is set
    QTimer m_progress;             // while it measures
    QToolButton *m_undo = nullptr;
    QToolButton *m_redo = nullptr;
    QToolButton *m_up = nullptr;
    QToolButton *m_down = nullptr;
    QToolButton *m_remove = nullptr;
};

} // namespace stepwell::ui
