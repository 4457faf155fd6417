#pragma once

#include "engine/api/report.h"
#include "ui/theme/appearance.h"

#include <QAbstractTableModel>

namespace stepwell::ui {

// A tensor's values as a table: the last dimension runs across, all the others down.
class ValueModel : public QAbstractTableModel {
    Q_OBJECT

public:
    explicit ValueModel(const Appearance &appearance, QObject *parent = nullptr);

    void setSummary(sw::TensorSummary summary);
    void setOutOfDate(bool isOutOfDate);
    [[nodiscard]] bool isOutOfDate() const { return m_isOutOfDate; }
    [[nodiscard]] const sw::TensorSummary &summary() const { return m_summary; }
    [[nodiscard]] bool isTruncated() const;                         // some values are missing here
    [[nodiscard]] bool hasFinite() const;                           // otherwise there is no minimum, maximum or mean
    [[nodiscard]] int longestText() const { return m_longestText; } // in characters

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    const Appearance &m_appearance;
    sw::TensorSummary m_summary;
    int m_columns = 0;
    int m_rows = 0;
    int m_longestText = 0;
    bool m_isOutOfDate = false;

    [[nodiscard]] std::int64_t elements() const;
};

} // namespace stepwell::ui
