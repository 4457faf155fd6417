#pragma once
// The columns of other processors: one kernel's code for each chosen target, made on demand on the worker and kept per kernel and
// target as long as the compilation is the newest.

#include "ui/panels/machine_column.h"

#include <QWidget>

#include <map>
#include <optional>
#include <utility>
#include <vector>

class QMenu;
class QSplitter;

namespace stepwell::ui {

class MachineColumns : public QWidget {
    Q_OBJECT

public:
    MachineColumns(const PanelContext &context, QWidget *parent = nullptr);

    void setSnapshot(const SnapshotPtr &end);
    // Of the snapshot's machine code.
    void setKernel(std::uint32_t kernel);
    void fillMenu(QMenu &menu) const; // every target, those chosen checked
    void showBytes(bool isShown);
    void setAllFolded(bool isFolded);

    [[nodiscard]] const std::vector<MachineColumn *> &columns() const { return m_columns; }
    [[nodiscard]] std::uint32_t kernel() const { return m_kernel; }
    [[nodiscard]] bool isSettled() const; // nothing is on its way

protected:
    void showEvent(QShowEvent *event) override;

private:
    using Key = std::pair<std::uint32_t, QString>; // kernel and target

    void rebuild();
    void fill();
    void request();
    void stop();
    [[nodiscard]] QString obstacle() const; // why nothing can be made; empty: it can, or soon
    [[nodiscard]] bool isReady() const;     // the engine knows the kernels that are shown

    PanelContext m_context;
    QSplitter *m_splitter;
    std::vector<MachineColumn *> m_columns; // by m_context.targets
    SnapshotPtr m_snapshot;
    std::uint32_t m_kernel = 0;
    std::map<Key, MadeCode> m_made;
    std::uint64_t m_madeOf = 0; // the compilation of m_made
    std::optional<Key> m_asked;
    bool m_isStopped = false; // until another kernel is shown or somebody asks again
    bool m_showsBytes = false;
};

} // namespace stepwell::ui
