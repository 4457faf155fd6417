#pragma once
// The sizes that a program leaves open, each with a field for the value in the next run.

#include "engine/api/report.h"

#include <QWidget>

#include <map>
#include <string>
#include <vector>

class QDoubleSpinBox;
class QHBoxLayout;

namespace stepwell::ui {

class DimensionBar : public QWidget {
    Q_OBJECT

public:
    explicit DimensionBar(QWidget *parent = nullptr);

    // wanted: values chosen before, by name; the others come from the program. Fields that remain keep the focus.
    void setDimensions(const std::vector<sw::DimensionEntry> &dimensions, const std::map<std::string, std::int64_t> &wanted);
    [[nodiscard]] bool isEmpty() const { return m_entries.empty(); }
    void focusFirst();

signals:
    void valueChanged(const std::string &name, std::int64_t value);
    void runRequested(); // the user pressed Return in a field

private:
    void makeField(const sw::DimensionEntry &entry, std::int64_t value);

    std::vector<sw::DimensionEntry> m_entries;
    std::vector<QDoubleSpinBox *> m_fields; // by entry
    QHBoxLayout *m_layout = nullptr;
};

} // namespace stepwell::ui
