// Places the tags of kernels and the labels of edges.

#include "ui/graph_view/graph_scene.h"

#include <algorithm>
#include <array>

namespace stepwell::ui {

namespace {

constexpr double kTagHeight = 14;
constexpr double kTagPadding = 5; // left and right of the text
constexpr double kTagInset = 6;   // from the corner of the hull
constexpr double kLabelPadding = 3;
// Positions along an edge: the middle first, where edges from one source have mostly separated.
constexpr std::array<double, 7> kPlaces{0.5, 0.35, 0.65, 0.2, 0.8, 0.1, 0.9};

class LabelPlacer {
public:
    LabelPlacer(GraphScene &scene, const TextMeasure &font) : m_scene(scene), m_font(font) {}

    void place()
    {
        for (SceneHull &hull : m_scene.hulls)
            placeTag(hull);
        // Labels that show only while their edge is lit come last.
        for (const bool isOnlyLit : {false, true})
            for (SceneEdge &edge : m_scene.edges)
                if (isOnlyLit == (edge.label == m_scene.boxes[edge.from].detail))
                    placeLabel(edge);
    }

private:
    [[nodiscard]] bool isOnBox(const QRectF &area) const
    {
        const std::vector<BoxIndex> near = m_scene.boxGrid.entriesIn(area);
        return std::ranges::any_of(near, [&](BoxIndex box) { return m_scene.boxes[box].rect.intersects(area); });
    }
    [[nodiscard]] bool isTaken(const QRectF &area) const
    {
        return std::ranges::any_of(m_taken, [&](const QRectF &other) { return other.intersects(area); });
    }
    [[nodiscard]] std::size_t edgesIn(const QRectF &area) const
    {
        const std::vector<std::uint32_t> near = m_scene.edgeGrid.entriesIn(area);
        return static_cast<std::size_t>(
            std::ranges::count_if(near, [&](std::uint32_t e) { return crosses(m_scene.edges[e], area); }));
    }
    [[nodiscard]] bool crosses(const SceneEdge &edge, const QRectF &area) const
    {
        for (std::uint32_t i = 1; i < edge.pointCount; ++i) {
            const QPointF &a = m_scene.points[edge.firstPoint + i - 1];
            const QPointF &b = m_scene.points[edge.firstPoint + i];
            for (const double t : {0.0, 0.25, 0.5, 0.75, 1.0})
                if (area.contains(a + (b - a) * t))
                    return true;
            if (a.x() == b.x() && a.x() >= area.left() && a.x() <= area.right() && std::min(a.y(), b.y()) <= area.bottom() &&
                std::max(a.y(), b.y()) >= area.top())
                return true;
        }
        return false;
    }

    // Places the tag on the upper border of the hull's top, where the fewest edges enter. tagArea holds that top.
    void placeTag(SceneHull &hull)
    {
        const QRectF top = hull.tagArea;
        const double width = m_font.width(QStringLiteral("K%1").arg(hull.kernel)) + 2 * kTagPadding;
        const double left = top.left() + kTagInset;
        const double right = std::max(left, top.right() - kTagInset - width);
        std::size_t fewest = ~std::size_t{0};
        for (const double x : {left, right, (left + right) / 2, top.left() - width / 2, top.right() - width / 2}) {
            const QRectF area(x, top.top() - kTagHeight / 2, width, kTagHeight);
            const std::size_t bad = edgesIn(area) + (isOnBox(area) ? 100 : 0) + (isTaken(area) ? 1000 : 0);
            if (bad < fewest) {
                fewest = bad;
                hull.tagArea = area;
            }
        }
        m_taken.push_back(hull.tagArea);
    }

    // Places the label on the edge itself, or beside it.
    void placeLabel(SceneEdge &edge)
    {
        if (edge.label.isEmpty())
            return;
        const bool isOneOfMany = m_scene.edges.size() > kMostLabelledEdges; // labels are shown one at a time
        QRectF area(0, 0, m_font.width(edge.label) + 2 * kLabelPadding, m_font.height());
        for (std::uint32_t i = 1; i < edge.pointCount; ++i) {
            const QPointF &a = m_scene.points[edge.firstPoint + i - 1];
            const QPointF &b = m_scene.points[edge.firstPoint + i];
            for (const double t : kPlaces) {
                area.moveCenter(a + (b - a) * t);
                if (isOnBox(area) || (!isOneOfMany && isTaken(area)))
                    continue;
                edge.labelArea = area;
                if (!isOneOfMany)
                    m_taken.push_back(area);
                return;
            }
        }
    }

    GraphScene &m_scene;
    const TextMeasure &m_font;
    std::vector<QRectF> m_taken;
};

} // namespace

void placeLabels(GraphScene &scene, const TextMeasure &font)
{
    LabelPlacer(scene, font).place();
}

} // namespace stepwell::ui
