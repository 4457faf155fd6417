#pragma once
// The text of one stage: lowered, loops, generated source, machine code.

#include "ui/panels/panel.h"
#include "ui/text_view/text_view.h"

#include <cstdint>
#include <vector>

namespace stepwell::ui {

class CodeEditor;
class FindBar;
class TextSides;

class TextPanel : public Panel {
    Q_OBJECT

public:
    TextPanel(const PanelContext &context, const PanelName &name, sw::StageKind stage);

    void setSnapshot(const SnapshotPtr &snapshot) override;
    void find() override;
    void findNext() override { shownView().step(1); }
    void findPrevious() override { shownView().step(-1); }
    void zoom(int steps) override { shownView().zoomBy(steps); }
    void resetZoom() override { shownView().resetZoom(); }
    bool stepDifference(int direction) override;
    [[nodiscard]] std::optional<sw::StageKind> stage() const override { return m_stage; }

    [[nodiscard]] TextView &view() { return *m_view; } // of the text as it is now
    [[nodiscard]] const TextView &view() const { return *m_view; }
    [[nodiscard]] TextSides &sides() { return *m_sides; }
    // Edits the text of a kernel in place of showing all; only lowered texts and sources.
    void editKernel(std::uint32_t kernel);
    [[nodiscard]] CodeEditor *codeEditor() { return m_editor; } // null: its stage cannot be edited
    [[nodiscard]] bool isSettled() const override;

protected:
    void refill() override { askForParts(); }
    void showOutOfDate(bool isOutOfDate) override { m_view->setDimmed(isOutOfDate); }
    // What stands behind lines, by row.
    void setFacts(std::map<int, RunSigns::Note> facts);
    bool belongsToEnd() const override { return m_stage == sw::StageKind::Code || m_stage == sw::StageKind::Machine; }

private:
    void addEditor();
    // The kernel that is selected, else the first one that is visible.
    [[nodiscard]] std::uint32_t kernelToEdit() const;
    [[nodiscard]] TextView &shownView();
    void updateHint();
    void updateNote();
    void onSide();
    void showNotes(); // behind the first line of each item that has one
    void countFound();
    // For a document that is read part by part: requests the parts that are pointed at, selected or scrolled into view.
    void askForParts();

    sw::StageKind m_stage;
    SnapshotPtr m_snapshot;
    QString m_ownTitle;
    std::map<int, RunSigns::Note> m_facts;
    TextView *m_view;
    TextSides *m_sides;
    FindBar *m_findBar;
    CodeEditor *m_editor = nullptr;
    QToolButton *m_editTool = nullptr;
    sw::StageDocumentPtr m_askedOf;     // the document whose parts were last requested
    std::vector<std::uint32_t> m_asked; // which parts
};

} // namespace stepwell::ui
