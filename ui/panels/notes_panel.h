#pragma once

#include "ui/panels/panel.h"

class QLineEdit;
class QStackedWidget;
class QTableView;

namespace stepwell::ui {

class NotesModel;

// The notes and the bookmarks. A click goes to the item or the moment; the line below pins a note to what is selected.
class NotesPanel : public Panel {
    Q_OBJECT

public:
    NotesPanel(const PanelContext &context, const PanelName &name);

    void setSnapshot(const SnapshotPtr &snapshot) override;

private:
    void refresh();
    void updateLine();
    void pin();
    void goTo(int row);
    void removeCurrent();

    NotesModel *m_model;
    QTableView *m_table;
    QStackedWidget *m_stack;
    QLineEdit *m_line;
    QToolButton *m_bookmark;
    QToolButton *m_remove;
};

} // namespace stepwell::ui
