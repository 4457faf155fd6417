#pragma once
// The panel with the program editor.

#include "ui/panels/panel.h"
#include "ui/text_view/program_editor.h"

namespace stepwell::ui {

class FindBar;
class SideChoice;
class TextSides;

class EditorPanel : public Panel {
    Q_OBJECT

public:
    EditorPanel(const PanelContext &context, const PanelName &name);

    void setSnapshot(const SnapshotPtr &snapshot) override;
    void find() override;
    void findNext() override { step(1); }
    void findPrevious() override { step(-1); }
    void zoom(int steps) override { m_editor->zoomBy(steps); }
    void resetZoom() override { m_editor->resetZoom(); }

    bool stepDifference(int direction) override;
    [[nodiscard]] std::optional<sw::StageKind> stage() const override { return sw::StageKind::Program; }

    [[nodiscard]] ProgramEditor &editor() { return *m_editor; }
    [[nodiscard]] TextSides &sides() { return *m_sides; }
    [[nodiscard]] SideChoice &choice() { return *m_choice; }

private:
    void search();
    void step(int direction);
    void showMessages();
    void updateNote();

    ProgramEditor *m_editor;
    TextSides *m_sides;
    SideChoice *m_choice;
    FindBar *m_findBar;
    SnapshotPtr m_snapshot;
    std::vector<int> m_found; // positions
    qint64 m_errors = 0;
};

} // namespace stepwell::ui
