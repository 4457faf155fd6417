#pragma once
// Draws a graph scene: only what is visible, with as much detail as the zoom leaves room for.

#include "engine/api/compare/graph_difference.h"
#include "ui/graph_view/graph_scene.h"
#include "ui/session/snapshot.h"
#include "ui/theme/theme.h"

#include <QFont>
#include <QPainter>

#include <vector>

namespace stepwell::ui {

// A sign at a corner of a box.
struct BoxFlag {
    BoxIndex box = 0;
    QString sign = {};
    QColor color = {};
};

// The boxes and edges to light up; all lists are sorted.
struct GraphMarks {
    std::vector<BoxIndex> hovered;
    std::vector<BoxIndex> selected;
    std::vector<BoxIndex> nearHovered; // fainter; contains none of the above
    std::vector<BoxIndex> nearSelected;
    std::vector<BoxIndex> matched = {}; // matched by the rewrite of a moment
    std::vector<BoxIndex> made = {};
    std::vector<BoxIndex> changed = {}; // of a difference
    std::vector<BoxIndex> renamed = {};
    std::vector<BoxIndex> found;
    std::vector<BoxFlag> flags = {};
    BoxIndex current = sw::kNoIndex; // keyboard cursor
    std::uint32_t hoveredEdge = sw::kNoIndex;
};

struct GraphDrawing {
    const GraphScene &scene;
    const GraphMarks &marks;
    const std::vector<KernelIdentity> &kernels;
    const std::vector<bool> &cuts;              // by edge: its ends are kept apart
    const std::vector<sw::ItemKind> &edgeKinds; // of a difference, by edge of the document; empty: it is none
    const Theme &theme;
    QFont font;     // of the labels
    QRectF visible; // in scene coordinates
    double scale = 1;
    bool isDimmed = false; // out of date: grey
};

// `painter` is already in scene coordinates.
void drawGraph(QPainter &painter, const GraphDrawing &drawing);

} // namespace stepwell::ui
