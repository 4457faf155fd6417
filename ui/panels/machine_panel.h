#pragma once
// Machine code: its text with a gutter of jumps, loops and registers, written-out copies folded, a strip that names the loops and
// what they cost, simulated and measured, and columns of other processors.

#include "ui/panels/text_panel.h"
#include "ui/text_view/machine_text.h"

class QLabel;
class QMenu;

namespace stepwell::ui {

class CutLabel;
class MachineColumns;

class MachinePanel final : public TextPanel {
    Q_OBJECT

public:
    MachinePanel(const PanelContext &context, const PanelName &name);

    void setSnapshot(const SnapshotPtr &snapshot) override;
    void foldAll() override { setAllFolded(true); }
    void unfoldAll() override { setAllFolded(false); }
    [[nodiscard]] bool isSettled() const override;

    [[nodiscard]] MachineText &code() { return *m_code; }
    [[nodiscard]] const MachineGutter &gutter() const { return m_code->gutter(); }
    [[nodiscard]] MachineColumns &columns() { return *m_columns; }

protected:
    void showEvent(QShowEvent *event) override;
    bool eventFilter(QObject *object, QEvent *event) override;

private:
    QWidget *makeStrip();
    void setAllFolded(bool isFolded);
    void onSelection();
    void fillLoops();
    void updateStrip();
    void updateCycles();
    void showKernelAt(std::uint32_t line);
    void askCycles();

    MachineText *m_code;
    MachineColumns *m_columns;
    QToolButton *m_loopButton;
    QToolButton *m_targetButton;
    QToolButton *m_bytesButton;
    CutLabel *m_told;
    CutLabel *m_cycles; // measured; hidden while there are none
    QMenu *m_loopMenu;
    QMenu *m_targetMenu;
    SnapshotPtr m_snapshot;
    sw::CyclesAnswer m_answer;
    sw::ReportPtr m_askedOf; // the run whose cycles were asked for
    std::vector<std::uint32_t> m_asked;
};

} // namespace stepwell::ui
