#pragma once
// The difference of two texts in one column: what was removed stands above what was added, stretches that are the same are
// folded. Lines of both light up.

#include "ui/session/stage_differences.h"
#include "ui/text_view/text_view.h"

#include <QWidget>

#include <set>
#include <vector>

namespace stepwell::ui {

// The rows of a difference. Stretches of rows without a difference fold, but for a few lines around differences, unless their
// first row is in `unfolded`.
[[nodiscard]] std::vector<ComparedRow> comparedRows(const sw::TextDifference &difference,
                                                    const std::set<std::uint32_t> &unfolded);

class DifferenceView : public QWidget {
    Q_OBJECT

public:
    // before: the selection in the earlier document.
    DifferenceView(sw::StageKind stage, const Appearance &appearance, Selection &now, Selection &before,
                   QWidget *parent = nullptr);

    // Null: there is none, and the hint says why.
    void setDifference(const StageDifferencePtr &difference, const std::vector<KernelIdentity> &kernels,
                       const std::vector<KernelIdentity> &kernelsBefore);
    void setHint(const QString &hint);
    // To the next difference below (or above) what is chosen or shown. False: there is none.
    bool step(int direction);
    void unfoldAll();
    void foldAll();

    [[nodiscard]] TextView &view() { return *m_view; }
    [[nodiscard]] const StageDifferencePtr &difference() const { return m_difference; }

private:
    void unfold(int row);
    void showRows();

    TextView *m_view;
    StageDifferencePtr m_difference;
    std::vector<KernelIdentity> m_kernels;
    std::set<std::uint32_t> m_unfolded; // rows of the difference at which a folded stretch begins
};

} // namespace stepwell::ui
