#pragma once

#include "engine/api/inputs.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace stepwell::ui {

// What fills one input, as fields.
class InputsForm : public QWidget {
    Q_OBJECT

public:
    explicit InputsForm(QWidget *parent = nullptr);

    // Null: no input is chosen.
    void setEntry(const sw::InputEntry *entry, const sw::InputChoice &choice);
    void tell(const QString &text, bool isError);

signals:
    void chosen(const sw::InputChoice &choice);
    void fileWanted();
    void cellsWanted();
    void resetWanted();

private:
    void fitFields();
    void onFill();
    void emitChoice();
    [[nodiscard]] sw::InputFill fill() const;

    sw::InputChoice m_choice;
    QComboBox *m_fill;
    QLabel *m_firstLabel;
    QLineEdit *m_first;
    QLabel *m_secondLabel;
    QLineEdit *m_second;
    QLabel *m_seedLabel;
    QLineEdit *m_seed;
    QPushButton *m_load;
    QPushButton *m_cells;
    QPushButton *m_reset;
    QLabel *m_told;
};

} // namespace stepwell::ui
