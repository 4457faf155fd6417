#pragma once
// The sizes that a program leaves open, each with a field for the value in the next run; and before them those of a model's
// inputs, each with a field for what the model is compiled for: a number, or the range in which it stays open.

#include "engine/api/report.h"

#include <QWidget>

#include <map>
#include <string>
#include <vector>

class QDoubleSpinBox;
class QHBoxLayout;
class QLineEdit;

namespace stepwell::ui {

class DimensionBar : public QWidget {
    Q_OBJECT

public:
    explicit DimensionBar(QWidget *parent = nullptr);

    // wanted: values chosen before, by name; the others come from the program. Fields that remain keep the focus.
    void setDimensions(const std::vector<sw::DimensionEntry> &dimensions, const std::map<std::string, std::int64_t> &wanted);
    void setModelDimensions(const std::vector<sw::DimensionChoice> &dimensions);
    [[nodiscard]] bool isEmpty() const { return m_entries.empty() && m_modelDimensions.empty(); }
    void focusFirst();

signals:
    void valueChanged(const std::string &name, std::int64_t value);
    void runRequested(); // the user pressed Return in a field
    void modelSizeEntered(const sw::DimensionChoice &choice);

private:
    void makeField(const sw::DimensionEntry &entry, std::int64_t value);
    void makeModelField(const sw::DimensionChoice &dimension);

    std::vector<sw::DimensionChoice> m_modelDimensions;
    std::vector<sw::DimensionEntry> m_entries;
    std::vector<QDoubleSpinBox *> m_fields; // by entry
    std::vector<QLineEdit *> m_modelFields; // by dimension of the model
    QHBoxLayout *m_layout = nullptr;        // of the fields of the next run
    QHBoxLayout *m_modelLayout = nullptr;   // of those of the model
};

} // namespace stepwell::ui
