#pragma once
// A graph canvas with its search line; it follows a document and the selection. Big graphs are laid out on a separate thread.

#include "ui/graph_view/graph_canvas.h"
#include "ui/session/request_queue.h"
#include "ui/session/selection.h"
#include "ui/session/stage_differences.h"

#include <QWidget>

#include <memory>

namespace stepwell::ui {

class FindBar;

class GraphView : public QWidget {
    Q_OBJECT

public:
    GraphView(sw::StageKind stage, const Appearance &appearance, Selection &selection, QWidget *parent = nullptr);
    ~GraphView() override;

    // touched: what the rewrite of a moment removed and added.
    void setDocument(const sw::StageDocumentPtr &document, const std::vector<KernelIdentity> &kernels,
                     const sw::StageMarks &touched = {});
    // One drawing of both documents of a difference. What was removed lights up by `before`, the selection in the earlier one.
    // like: a drawing that this one is laid out like; may be null.
    void setDifference(const StageDifferencePtr &difference, Selection &before, const std::vector<KernelIdentity> &kernels,
                       const GraphScenePtr &like);
    // Selects the next item that differs, or the one before. False: there is none in that direction.
    bool stepDifference(int direction);
    // The next document shows another moment of the same program, perhaps its end: what does not change stays in place.
    void expectMoment(bool isEnd);
    // Signs at nodes, by item of the document; a folded scope shows the first of its members'.
    void setFlags(std::vector<std::pair<sw::ItemIndex, BoxFlag>> flags);
    void setHint(const QString &hint) { m_canvas->setHint(hint); }
    void setDimmed(bool isDimmed) { m_canvas->setDimmed(isDimmed); }

    void find();
    void findNext();
    void findPrevious();
    void foldAll();
    void unfoldAll();
    void fold(std::uint32_t group);
    void unfold(std::uint32_t group);

    [[nodiscard]] GraphCanvas &canvas() { return *m_canvas; }
    [[nodiscard]] bool isLayingOut() const { return m_isLayingOut; }
    [[nodiscard]] bool hasScopes() const { return m_document && !m_document->groups.empty(); }

signals:
    void sceneChanged();
    void boxMenuWanted(stepwell::ui::BoxIndex box, const QPoint &at);
    void edgeMenuWanted(std::uint32_t edge, const QPoint &at);

private:
    // Items of the drawing of a difference, for what lights up by either selection.
    [[nodiscard]] std::vector<sw::ItemIndex> drawn(const std::vector<sw::ItemIndex> &now,
                                                   const std::vector<sw::ItemIndex> &before) const;
    // By which selection an item of the drawing lights up, and as what.
    struct Lit {
        Selection &selection;
        std::vector<sw::ItemIndex> items;
    };
    [[nodiscard]] Lit litBy(const std::vector<sw::ItemIndex> &items);
    void markDifference(GraphMarks &marks) const;
    void rebuild();
    [[nodiscard]] bool isCurrent() const;
    void showScene(const GraphScenePtr &scene);
    void showMarks();
    void revealTouched();
    void reveal(); // scrolls once to the first partner of a selection made elsewhere
    void onBoxHovered(BoxIndex box);
    void onBoxClicked(BoxIndex box, Qt::KeyboardModifiers modifiers);
    void onEdgeClicked(std::uint32_t edge);
    void search();
    void step(int direction);
    [[nodiscard]] std::vector<BoxIndex> boxesOf(const std::vector<sw::ItemIndex> &items) const; // sorted
    [[nodiscard]] SceneFonts sceneFonts() const;

    sw::StageKind m_stage;
    const Appearance &m_appearance;
    Selection &m_selection;
    GraphCanvas *m_canvas;
    FindBar *m_findBar;
    sw::StageDocumentPtr m_document;
    sw::StageMarks m_touched;
    std::vector<std::pair<sw::ItemIndex, BoxFlag>> m_flags;
    StageDifferencePtr m_difference;          // null: the document is no difference
    std::vector<sw::ItemIndex> m_drawnBefore; // of the difference: the drawn item, by item of the earlier document
    Selection *m_before = nullptr;            // in the earlier document
    bool m_isTouchedNew = false;              // scroll to it once
    bool m_isNextMoment = false;
    std::vector<GraphScenePtr> m_like; // scenes that the next one is laid out like
    GraphScenePtr m_endScene;          // the scene of the end, while an earlier moment is shown
    FoldedGroups m_folded;
    std::vector<BoxIndex> m_found;
    int m_foundAt = -1;
    std::uint64_t m_wanted = 0;
    std::uint64_t m_revealed = 0; // the number of the selection already scrolled to, or made here
    bool m_isLayingOut = false;
    std::unique_ptr<RequestQueue> m_layouts; // created for the first big graph
};

} // namespace stepwell::ui
