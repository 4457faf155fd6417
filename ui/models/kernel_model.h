#pragma once

#include "ui/session/snapshot.h"
#include "ui/theme/appearance.h"

#include <QAbstractTableModel>
#include <QStyledItemDelegate>

namespace stepwell::ui {

// The kernels of a report with their costs.
class KernelModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Tag, Name, Nodes, Time, Spread, Share, FlopRate, ByteRate, CompileTime, ColumnCount };
    enum DataRole { SortRole = Qt::UserRole, ShareRole };

    explicit KernelModel(const Appearance &appearance, QObject *parent = nullptr);

    void setSnapshot(const SnapshotPtr &snapshot);
    void setOutOfDate(bool isOutOfDate);
    // The kernel's number in the documents now shown; kNoIndex: it left the program after it was timed.
    [[nodiscard]] std::uint32_t kernelAt(int row) const { return m_kernelsNow[static_cast<std::size_t>(row)]; }
    [[nodiscard]] int rowOf(std::uint32_t kernel) const; // -1: none
    [[nodiscard]] bool isMeasured() const { return m_totalNanoseconds > 0; }

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] QString textOf(const sw::KernelEntry &kernel, Column column, int row) const;
    [[nodiscard]] QVariant sortKeyOf(const sw::KernelEntry &kernel, Column column, int row) const;

    [[nodiscard]] const KernelIdentity *identityOf(int row) const; // null: the kernel is gone

    const Appearance &m_appearance;
    std::vector<sw::KernelEntry> m_kernels;
    std::vector<std::uint32_t> m_kernelsNow; // by row
    std::vector<KernelIdentity> m_identities;
    bool m_isOutOfDate = false;
    std::int64_t m_totalNanoseconds = 0;
    bool m_hasRun = false; // the program did, if not every kernel of it
};

// Draws a share of the total as a bar with its percentage.
class ShareDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    ShareDelegate(const Appearance &appearance, QObject *parent);
    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;

private:
    const Appearance &m_appearance;
};

} // namespace stepwell::ui
