#pragma once
// The list of baselines: names, when they were made and what they changed. Chooses, renames and removes them.

#include "ui/session/baseline.h"
#include "ui/theme/appearance.h"

#include <QDialog>
#include <QPixmap>

class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace stepwell::ui {

// A small picture of what a compilation changed: a field for each stage, from the program to the machine code, filled where it is
// other than before.
[[nodiscard]] QPixmap thumbnailOf(const BaselineEntry &entry, const Theme &theme);
// The median of its last run: "12.3 us"; empty: it was not run.
[[nodiscard]] QString runTimeOf(const BaselineEntry &entry);
// "earlier", "pinned", "variant", "file"
[[nodiscard]] QString nameOf(BaselineKind kind);

class BaselinesDialog : public QDialog {
    Q_OBJECT

public:
    BaselinesDialog(const Appearance &appearance, Baseline &baseline, QWidget *parent);

private:
    void fill();
    void updateButtons();
    void onEdited(QTreeWidgetItem *item);
    [[nodiscard]] std::uint64_t chosen() const; // 0: none

    const Appearance &m_appearance;
    Baseline &m_baseline;
    QTreeWidget *m_list;
    QPushButton *m_compare;
    QPushButton *m_rename;
    QPushButton *m_remove;
};

} // namespace stepwell::ui
