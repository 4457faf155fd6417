#pragma once

#include "ui/session/debugger.h"
#include "ui/theme/appearance.h"

#include <QAbstractTableModel>

#include <optional>

namespace stepwell::ui {

// The elements of one memory of a stepped kernel, some in a row. It holds one page of them; what lies outside is shown as dots
// until it is asked for. What the last step read or wrote is marked.
class CellModel : public QAbstractTableModel {
    Q_OBJECT

public:
    explicit CellModel(const Appearance &appearance, QObject *parent = nullptr);

    void setMemory(const sw::TraceMemory &memory);
    void setColumns(int columns);
    void setPage(const TracePage &page, const std::vector<sw::TraceAccess> &accesses);
    void clear();

    [[nodiscard]] const sw::TraceMemory &memory() const { return m_memory; }
    [[nodiscard]] std::int64_t elementAt(const QModelIndex &index) const; // -1: behind the end
    [[nodiscard]] QModelIndex indexOf(std::int64_t element) const;
    [[nodiscard]] int longestText() const { return m_longest; } // in characters
    enum class Touch : unsigned char { None, Read, Written };
    [[nodiscard]] Touch touchOf(std::int64_t element) const; // by the last step

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    const Appearance &m_appearance;
    sw::TraceMemory m_memory;
    TracePage m_page;
    std::vector<sw::TraceAccess> m_accesses;
    int m_columns = 4;
    int m_longest = 1;
};

// "[3, 0]": the place of an element in a row-major tensor.
[[nodiscard]] QString placeText(const std::vector<std::int64_t> &shape, std::int64_t element);

} // namespace stepwell::ui
