#pragma once
// The memory of a stepped kernel: the elements of one buffer, with what the last step read and wrote.

#include "ui/models/cell_model.h"
#include "ui/session/debugger.h"

#include <QWidget>

class QCheckBox;
class QComboBox;
class QTableView;

namespace stepwell::ui {

class MemoryCells : public QWidget {
    Q_OBJECT

public:
    MemoryCells(const Appearance &appearance, Debugger &debugger, QWidget *parent = nullptr);

    [[nodiscard]] CellModel &model() { return *m_model; }

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void onOpened();
    void onMoved();
    void choose(int index);
    void fitColumns();
    void askForVisible(); // for elements that are scrolled to
    void showMenu(const QPoint &at);

    const Appearance &m_appearance;
    Debugger &m_debugger;
    CellModel *m_model;
    QComboBox *m_memories;
    QCheckBox *m_follows;
    QTableView *m_table;
};

} // namespace stepwell::ui
