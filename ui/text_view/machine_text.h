#pragma once
// What one does with machine code in a text view: fold written-out copies, follow jumps, step through loops, show bytes. Keys: J
// follows an arrow, ] and [ go to the next cooler and hotter loop, F folds and unfolds, B shows bytes.

#include "ui/text_view/machine_gutter.h"
#include "ui/text_view/text_view.h"

#include <QObject>

#include <map>
#include <set>

namespace stepwell::ui {

class MachineText : public QObject {
    Q_OBJECT

public:
    // The view outlives this object, and gets its margin.
    MachineText(const Appearance &appearance, TextView &view, QObject *parent = nullptr);

    void readDocument(); // after the view got other rows
    [[nodiscard]] const std::shared_ptr<const sw::MachineStructure> &structure() const { return m_structure; }
    [[nodiscard]] const MachineGutter &gutter() const { return m_gutter; }
    [[nodiscard]] std::uint32_t chosenLine() const; // kNoIndex: none
    // Of the chosen or first visible line: the registers of its kernel, and what the loop around it costs. Empty: it has neither.
    [[nodiscard]] QString summary() const;
    [[nodiscard]] QString loopText(std::size_t place) const; // by heat

    [[nodiscard]] bool isFolded(std::size_t copies) const { return !m_unfolded.contains(keyOf(copies)); }
    void setAllFolded(bool isFolded);
    void toggleFold(std::uint32_t line);
    void reveal(std::uint32_t line); // unfolds the copies that hide it
    void followJump();
    void goToLoop(std::size_t place); // by heat: 0 is the hottest of the first kernel
    void stepLoop(int direction);
    void showBytes(bool isShown);

signals:
    void factsChanged(const std::map<int, stepwell::ui::RunSigns::Note> &facts); // what stands behind lines, by row
    void lineChosen();
    void bytesShown(bool isShown);

protected:
    bool eventFilter(QObject *object, QEvent *event) override;

private:
    // Kernel and place in it: stays when another kernel is read.
    using FoldKey = std::pair<std::uint32_t, std::uint32_t>;
    [[nodiscard]] FoldKey keyOf(std::size_t copies) const;
    [[nodiscard]] std::optional<std::size_t> copiesAt(std::uint32_t line) const;
    [[nodiscard]] std::map<std::uint32_t, QString> notes() const; // by line
    void applyRows();
    void chooseLine(std::uint32_t line);
    void onMarginClicked(int row, int x);

    TextView &m_view;
    MachineGutter m_gutter;
    std::shared_ptr<const sw::MachineStructure> m_structure;
    std::set<FoldKey> m_unfolded;
    int m_loopPlace = -1;
};

} // namespace stepwell::ui
