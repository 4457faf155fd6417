#pragma once
// Machine code: its text with a gutter of jumps, loops and registers, written-out copies folded, and a strip that names the
// loops.

#include "ui/panels/text_panel.h"
#include "ui/text_view/machine_gutter.h"

#include <set>

class QLabel;
class QMenu;

namespace stepwell::ui {

class MachinePanel final : public TextPanel {
    Q_OBJECT

public:
    MachinePanel(const PanelContext &context, const PanelName &name);

    void setSnapshot(const SnapshotPtr &snapshot) override;
    void foldAll() override { setAllFolded(true); }
    void unfoldAll() override { setAllFolded(false); }

    [[nodiscard]] const MachineGutter &gutter() const { return m_gutter; }
    [[nodiscard]] bool isFolded(std::size_t copies) const { return !m_unfolded.contains(keyOf(copies)); }
    // Keys: J follows an arrow, [ and ] go to the next hotter and cooler loop, F folds and unfolds, B shows bytes.
    void followJump();
    void goToLoop(std::size_t place); // by heat: 0 is the hottest of the first kernel
    void stepLoop(int direction);
    void toggleFold(std::uint32_t line);
    void showBytes(bool isShown);

protected:
    bool eventFilter(QObject *object, QEvent *event) override;

private:
    // Kernel and place in it: stays when another kernel is read.
    using FoldKey = std::pair<std::uint32_t, std::uint32_t>;
    [[nodiscard]] FoldKey keyOf(std::size_t copies) const;
    void setAllFolded(bool isFolded);
    void applyRows();
    void chooseLine(std::uint32_t line);
    void unfoldSelected();
    void onMarginClicked(int row, int x);
    void fillLoops();
    void updateStrip();
    [[nodiscard]] std::uint32_t chosenLine() const; // kNoIndex: none

    MachineGutter m_gutter;
    std::shared_ptr<const sw::MachineStructure> m_structure;
    std::set<FoldKey> m_unfolded;
    int m_loopPlace = -1;
    QToolButton *m_loopButton;
    QToolButton *m_bytesButton;
    QLabel *m_told;
    QMenu *m_loopMenu;
};

} // namespace stepwell::ui
