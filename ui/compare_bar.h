#pragma once
// A line above the panes while there is a baseline: which one, what the panes show of it, how much differs in each stage, and the
// first difference once it was asked for.

#include "ui/session/baseline.h"
#include "ui/theme/appearance.h"

#include <QFrame>

#include <array>
#include <vector>

class QAction;
class QLabel;
class QMenu;
class QToolButton;

namespace stepwell::ui {

class CutLabel;

// The actions that stand in the bar.
struct CompareActions {
    std::vector<QAction *> shown; // one for each Shown
    QAction *previous = nullptr;  // difference
    QAction *next = nullptr;
    QAction *runBoth = nullptr;
    QAction *first = nullptr;
    QAction *none = nullptr; // no baseline
};

class CompareBar : public QFrame {
    Q_OBJECT

public:
    // list: the menu of baselines.
    CompareBar(const Appearance &appearance, Baseline &baseline, const CompareActions &actions, QMenu *list,
               QWidget *parent = nullptr);

signals:
    void stageWanted(sw::StageKind stage);
    void firstWanted(); // the place of the first difference

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void update();
    [[nodiscard]] QString toldText() const; // what is being done, or what running both told
    void updateStage(sw::StageKind stage);
    void updateFirst();
    void setIcons();
    QToolButton *addButton(QAction *action);

    const Appearance &m_appearance;
    Baseline &m_baseline;
    QToolButton *m_name;
    CutLabel *m_told;
    std::array<QToolButton *, kStageCount> m_stages{};
    QFrame *m_first;
    QToolButton *m_go;
    QToolButton *m_close;
    std::array<CutLabel *, 3> m_lines{}; // of the first difference
};

} // namespace stepwell::ui
