#pragma once

#include "ui/models/input_model.h"
#include "ui/panels/panel.h"

class QBoxLayout;
class QCheckBox;
class QStackedWidget;
class QTableView;

namespace stepwell::ui {

class InputsForm;

// What the program runs on: a row for each input and parameter, and what fills it.
class InputsPanel : public Panel {
    Q_OBJECT

public:
    InputsPanel(const PanelContext &context, const PanelName &name);

    void setSnapshot(const SnapshotPtr &snapshot) override;
    // Takes the chosen input's values from a .npy or .csv file, or from a picture, for which it asks how.
    void load(const QString &path);

protected:
    void showEvent(QShowEvent *event) override;
    void hideEvent(QHideEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    bool belongsToEnd() const override { return true; }

private:
    [[nodiscard]] std::string current() const; // empty: none
    void arrange();                            // the form beside the table, or below it
    void showCurrent();
    void refresh();
    void choose(const sw::InputChoice &choice);
    void chooseFile();
    void loadPicture(const QString &path, const sw::InputEntry &entry);
    void take(const sw::TensorViewPtr &tensor, const std::string &input);

    InputModel *m_model;
    QTableView *m_table;
    QStackedWidget *m_stack;
    InputsForm *m_form;
    QCheckBox *m_runs;
    QBoxLayout *m_row; // the table and the form
    QWidget *m_side;   // the form
};

} // namespace stepwell::ui
