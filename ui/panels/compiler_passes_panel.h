#pragma once
// The passes of LLVM over the generated code of one kernel, and the code before and after the chosen one. Keys: F and R step
// through those that changed something, C shows only those. They are made when somebody looks, and kept per kernel as long as the
// compilation is the newest.

#include "ui/models/compiler_pass_model.h"
#include "ui/panels/panel.h"

#include <map>
#include <optional>

class QComboBox;
class QStackedWidget;
class QTableView;

namespace stepwell::ui {

class CutLabel;
class DiffView;

class CompilerPassesPanel : public Panel {
    Q_OBJECT

public:
    CompilerPassesPanel(const PanelContext &context, const PanelName &name);

    void setSnapshot(const SnapshotPtr &snapshot) override;
    [[nodiscard]] bool isSettled() const override;

    [[nodiscard]] DiffView &diff() { return *m_diff; }
    [[nodiscard]] const QString &hint() const { return m_hint; } // what it says instead of passes; empty: it has passes
    [[nodiscard]] std::uint32_t kernel() const { return m_kernel; }
    void stepChanged(int direction);
    void showOnlyChanged(bool isOnly);

protected:
    bool eventFilter(QObject *object, QEvent *event) override;
    void refill() override { request(); }
    bool belongsToEnd() const override { return true; }

private:
    [[nodiscard]] QWidget *makeStrip();
    void fillKernels();
    void setKernel(std::uint32_t kernel);
    void onSelection();
    void request();
    void stop();
    void fill();
    void showPass();
    void showHint(const QString &hint);
    [[nodiscard]] bool isReady() const;
    [[nodiscard]] QString kernelName() const;

    CompilerPassModel *m_model;
    QTableView *m_table;
    QStackedWidget *m_stack;
    DiffView *m_diff;
    CutLabel *m_told;
    QComboBox *m_kernels;
    QToolButton *m_onlyChanged;
    QToolButton *m_work; // stops the recording, or begins it again
    SnapshotPtr m_snapshot;
    std::uint32_t m_kernel = 0;
    std::map<std::uint32_t, sw::CompilerPassesPtr> m_made; // by kernel
    std::uint64_t m_madeOf = 0;                            // the compilation of m_made
    sw::CompilerPassesPtr m_shown;
    QString m_hint;
    bool m_isStopped = false; // until another kernel is chosen or somebody asks again
};

} // namespace stepwell::ui
