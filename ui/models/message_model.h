#pragma once

#include "engine/api/report.h"
#include "ui/theme/appearance.h"

#include <QAbstractTableModel>

namespace stepwell::ui {

class MessageModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Place, Text, Code, ColumnCount };

    explicit MessageModel(const Appearance &appearance, QObject *parent = nullptr);

    void setMessages(std::vector<sw::Message> messages);
    [[nodiscard]] const sw::Message &message(int row) const { return m_messages[static_cast<std::size_t>(row)]; }

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    const Appearance &m_appearance;
    std::vector<sw::Message> m_messages;
};

} // namespace stepwell::ui
