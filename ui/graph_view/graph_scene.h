#pragma once
// A graph document laid out for drawing: boxes (nodes and folded scopes), edges, hulls of kernels. Made on any thread, immutable.

#include "engine/api/stage_document.h"
#include "ui/graph_view/grid_index.h"
#include "ui/graph_view/text_measure.h"

#include <QPainterPath>
#include <QPointF>
#include <QRectF>
#include <QString>

#include <cstdint>
#include <memory>
#include <set>
#include <vector>

namespace stepwell::ui {

using BoxIndex = std::uint32_t;

struct SceneBox {
    QRectF rect = {};
    sw::ItemIndex item = sw::kNoIndex;  // kNoIndex: a folded scope
    std::uint32_t group = sw::kNoIndex; // the folded scope, or the scope the node stands in
    std::uint32_t kernel = sw::kNoIndex;
    QString label = {};
    QString detail = {};
    std::vector<QString> chips = {}; // constants that the node reads
    std::uint32_t members = 1;       // nodes in a folded scope
    std::uint32_t layer = 0;
    bool isCompact = false; // views compute nothing: one line

    [[nodiscard]] bool isScope() const { return item == sw::kNoIndex; }
};

struct SceneEdge {
    BoxIndex from = 0;
    BoxIndex to = 0;
    std::uint32_t firstPoint = 0;
    std::uint32_t pointCount = 0;
    std::uint32_t documentEdge = 0; // the first document edge that it stands for
    std::uint32_t standsFor = 1;
    QString label = {};
    QRectF labelArea = {}; // null: there is no room for the label
};

struct SceneHull {
    std::uint32_t kernel = 0;
    QPainterPath path = {};
    QRectF tagArea = {}; // area of the kernel's tag
};

struct GraphScene {
    sw::StageDocumentPtr document;
    std::vector<SceneBox> boxes;
    std::vector<SceneEdge> edges;
    std::vector<QPointF> points;
    std::vector<SceneHull> hulls;
    std::vector<BoxIndex> boxOfItem; // kNoIndex: not drawn
    QRectF bounds;
    GridIndex boxGrid;
    GridIndex edgeGrid;
    double layoutMilliseconds = 0;

    [[nodiscard]] std::vector<sw::ItemIndex> itemsOf(BoxIndex box) const; // for a scope: all its members
    [[nodiscard]] BoxIndex boxAt(const QPointF &point) const;             // kNoIndex: none
    [[nodiscard]] BoxIndex nearestTo(const QPointF &point) const;         // nearest by box centre; kNoIndex: there are no boxes
    [[nodiscard]] std::uint32_t edgeAt(const QPointF &point, double tolerance) const;
};

using GraphScenePtr = std::shared_ptr<const GraphScene>;
using FoldedGroups = std::set<std::uint32_t>;

struct SceneFonts {
    TextMeasure label;
    TextMeasure detail;
};

// like: earlier scenes; the layout follows the first that has enough in common.
[[nodiscard]] GraphScenePtr makeGraphScene(const sw::StageDocumentPtr &document, const FoldedGroups &folded,
                                           const SceneFonts &fonts, const std::vector<GraphScenePtr> &like = {});

// The outermost scopes, which start folded in graphs that are too big to take in at once.
[[nodiscard]] FoldedGroups foldedAtFirst(const sw::StageDocument &document);

// Places the tags of kernels and the labels of edges so that they cover no box and do not overlap each other.
void placeLabels(GraphScene &scene, const TextMeasure &font);

inline constexpr std::size_t kMostLabelledEdges = 60; // in larger graphs only lit edges have labels
inline constexpr double kBoxPadding = 9;
inline constexpr double kChipHeight = 13;
inline constexpr float kCompactGap = 7; // between label and detail on one line

} // namespace stepwell::ui
