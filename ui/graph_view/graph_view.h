#pragma once
// A graph canvas with its search line; it follows a document and the selection. Big graphs are laid out on a separate thread.

#include "ui/graph_view/graph_canvas.h"
#include "ui/session/request_queue.h"
#include "ui/session/selection.h"

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
    bool m_isTouchedNew = false; // scroll to it once
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
