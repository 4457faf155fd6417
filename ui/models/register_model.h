#pragma once

#include "engine/api/kernel_trace.h"
#include "ui/theme/appearance.h"

#include <QAbstractTableModel>

namespace stepwell::ui {

// The values that the next step of a run can see, in the order of the text.
class RegisterModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { kChanged, kName, kLanes, kType, kColumns };

    explicit RegisterModel(const Appearance &appearance, QObject *parent = nullptr);

    void setValues(std::vector<sw::TraceValue> values);
    [[nodiscard]] const std::vector<sw::TraceValue> &values() const { return m_values; }
    [[nodiscard]] int rowNamed(const std::string &name) const; // -1: there is none
    [[nodiscard]] int firstChanged() const;                    // likewise

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    const Appearance &m_appearance;
    std::vector<sw::TraceValue> m_values;
};

// "1.5", or "[1.0, 2.0, ...]": as many lanes as fit in so many characters.
[[nodiscard]] QString lanesText(const std::vector<std::string> &lanes, int characters);
[[nodiscard]] bool hasNan(const std::vector<std::string> &lanes);

} // namespace stepwell::ui
