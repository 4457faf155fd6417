#pragma once

#include "ui/session/input_choices.h"
#include "ui/theme/appearance.h"

#include <QAbstractTableModel>

namespace stepwell::ui {

// The inputs and parameters of the program, and what fills them.
class InputModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column : int { Name, Kind, Type, Fill, Minimum, Maximum, Mean, Marks, kColumns };

    InputModel(const Appearance &appearance, const InputChoices &inputs, QObject *parent = nullptr);

    void refresh(); // the choices changed
    [[nodiscard]] std::string nameAt(int row) const { return m_entries.at(static_cast<std::size_t>(row)).name; }
    [[nodiscard]] int rowOf(const std::string &name) const; // -1: there is none

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] QString textOf(const sw::InputEntry &entry, Column column) const;

    const Appearance &m_appearance;
    const InputChoices &m_inputs;
    std::vector<sw::InputEntry> m_entries;
};

} // namespace stepwell::ui
