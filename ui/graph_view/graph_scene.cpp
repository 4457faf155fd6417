#include "ui/graph_view/graph_scene.h"

#include "engine/api/layout/drawn_items.h"
#include "engine/api/layout/graph_layout.h"
#include "ui/graph_view/scene_places.h"
#include "ui/models/quantity.h"
#include "ui/session/counted.h"

#include <QElapsedTimer>

#include <algorithm>
#include <map>
#include <string_view>

namespace stepwell::ui {

namespace {

constexpr float kMostTextWidth = 190;
constexpr double kHullPadding = 9;
constexpr double kGridCell = 256;
constexpr std::size_t kMostChips = 3;
constexpr float kMostChipWidth = 70;
constexpr std::size_t kFoldAbove = 300; // nodes

bool hasTag(const sw::DocumentItem &item, std::string_view tag)
{
    return std::ranges::find(item.tags, tag) != item.tags.end();
}

class SceneMaker {
public:
    SceneMaker(const sw::StageDocumentPtr &document, const FoldedGroups &folded, const SceneFonts &fonts,
               const std::vector<GraphScenePtr> &like)
        : m_document(*document), m_folded(folded), m_fonts(fonts), m_like(like), m_scene(std::make_shared<GraphScene>())
    {
        m_scene->document = document;
        m_scene->boxOfItem.assign(m_document.items.size(), sw::kNoIndex);
    }

    GraphScenePtr make()
    {
        QElapsedTimer timer;
        timer.start();
        m_constantOf = sw::constantsInsideReaders(m_document);
        makeBoxes();
        attachChips();
        countMembers();
        makeEdges();
        measure();
        layOut();
        makeHulls();
        makeGrids();
        placeLabels(*m_scene, m_fonts.detail);
        m_scene->layoutMilliseconds = static_cast<double>(timer.nsecsElapsed()) / 1e6;
        return m_scene;
    }

private:
    [[nodiscard]] bool isChip(sw::ItemIndex item) const { return m_constantOf[item] != sw::kNoIndex; }

    // The outermost folded scope around an item; kNoIndex: it is drawn itself.
    [[nodiscard]] std::uint32_t foldedScopeOf(std::uint32_t group) const
    {
        std::uint32_t outermost = sw::kNoIndex;
        for (; group < m_document.groups.size(); group = m_document.groups[group].parent) {
            if (m_folded.contains(group))
                outermost = group;
        }
        return outermost;
    }

    void makeBoxes()
    {
        std::map<std::uint32_t, BoxIndex> scopeBoxes;
        for (sw::ItemIndex i = 0; i < m_document.items.size(); ++i) {
            const sw::DocumentItem &item = m_document.items[i];
            if (isChip(i) || sw::isNeverDrawn(item))
                continue;
            const std::uint32_t scope = foldedScopeOf(item.group);
            if (scope == sw::kNoIndex) {
                m_scene->boxOfItem[i] = addBox({.item = i,
                                                .group = item.group,
                                                .kernel = item.kernel,
                                                .label = QString::fromStdString(item.label),
                                                .detail = QString::fromStdString(item.detail)});
                continue;
            }
            const auto [found, isNew] = scopeBoxes.try_emplace(scope, 0);
            if (isNew)
                found->second = addBox({.group = scope,
                                        .kernel = item.kernel,
                                        .label = QString::fromStdString(m_document.groups[scope].label),
                                        .members = 0});
            SceneBox &box = m_scene->boxes[found->second];
            if (box.kernel != item.kernel)
                box.kernel = sw::kNoIndex;
            m_scene->boxOfItem[i] = found->second;
        }
    }

    // Counts everything that a folded scope stands for, including constants.
    void countMembers()
    {
        for (const BoxIndex box : m_scene->boxOfItem) {
            if (box != sw::kNoIndex && m_scene->boxes[box].isScope())
                ++m_scene->boxes[box].members;
        }
        for (SceneBox &box : m_scene->boxes) {
            if (box.isScope())
                box.detail = counted(box.members, QStringLiteral("%1 node"), QStringLiteral("%1 nodes"));
        }
    }

    BoxIndex addBox(SceneBox box)
    {
        m_scene->boxes.push_back(std::move(box));
        return static_cast<BoxIndex>(m_scene->boxes.size() - 1);
    }

    void attachChips()
    {
        // A view of a constant is drawn where its readers are, and so is the constant; so go from the last edge to the first.
        for (auto edge = m_document.edges.rbegin(); edge != m_document.edges.rend(); ++edge) {
            const BoxIndex reader = m_scene->boxOfItem[edge->to];
            if (isChip(edge->from) && reader != sw::kNoIndex)
                m_scene->boxOfItem[edge->from] = reader;
        }
        for (const sw::DocumentEdge &edge : m_document.edges) {
            const BoxIndex reader = m_scene->boxOfItem[edge.to];
            if (!isChip(edge.from) || isChip(edge.to) || reader == sw::kNoIndex || m_scene->boxes[reader].isScope())
                continue;
            SceneBox &box = m_scene->boxes[reader];
            const QString label = QString::fromStdString(m_document.items[m_constantOf[edge.from]].label);
            if (box.chips.size() < kMostChips)
                box.chips.push_back(chipText(label));
            else if (box.chips.size() == kMostChips)
                box.chips.push_back(QStringLiteral("\u2026"));
        }
    }

    // A number keeps its exponent; without it, it would be another number.
    [[nodiscard]] QString chipText(const QString &label) const
    {
        constexpr qsizetype kLeastCharacters = 6; // "-1e-38"
        QString text = label;
        for (qsizetype most = label.size(); most > kLeastCharacters && m_fonts.detail.width(text) > kMostChipWidth; --most)
            text = shortNumber(label, most - 1);
        return text;
    }

    void makeEdges()
    {
        std::map<std::pair<BoxIndex, BoxIndex>, std::size_t> known;
        for (std::uint32_t e = 0; e < m_document.edges.size(); ++e) {
            const sw::DocumentEdge &edge = m_document.edges[e];
            const BoxIndex from = m_scene->boxOfItem[edge.from];
            const BoxIndex to = m_scene->boxOfItem[edge.to];
            if (isChip(edge.from) || from == sw::kNoIndex || to == sw::kNoIndex || from == to)
                continue;
            const auto [found, isNew] = known.try_emplace({from, to}, m_scene->edges.size());
            if (isNew)
                m_scene->edges.push_back(
                    {.from = from, .to = to, .documentEdge = e, .label = QString::fromStdString(edge.label)});
            else
                ++m_scene->edges[found->second].standsFor;
        }
    }

    // Sizes of the boxes.
    void measure()
    {
        for (SceneBox &box : m_scene->boxes) {
            box.label = m_fonts.label.elided(box.label, kMostTextWidth);
            box.detail = m_fonts.detail.elided(box.detail, kMostTextWidth);
            box.isCompact = !box.isScope() && hasTag(m_document.items[box.item], "view") && box.chips.empty();
            if (box.isCompact) {
                const float width = m_fonts.detail.width(box.label) + m_fonts.detail.width(box.detail) + kCompactGap;
                box.rect = QRectF(0, 0, std::ceil(width + 2 * kBoxPadding + 2), std::ceil(m_fonts.detail.height() + 5));
                continue;
            }
            double width = std::max(m_fonts.label.width(box.label), m_fonts.detail.width(box.detail));
            double chips = 0;
            for (const QString &chip : box.chips)
                chips += m_fonts.detail.width(chip) + 14;
            width = std::max({width, chips, 30.0}) + 2 * kBoxPadding + 3;
            double height = m_fonts.label.height() + 9;
            height += box.detail.isEmpty() ? 0 : m_fonts.detail.height() - 1;
            height += box.chips.empty() ? 0 : kChipHeight + 3;
            box.rect = QRectF(0, 0, std::ceil(width), std::ceil(height));
        }
    }

    void layOut()
    {
        const auto isPlacedLike = [this](const GraphScenePtr &other) { return other && placeLike(*m_scene, *other); };
        if (std::ranges::any_of(m_like, isPlacedLike))
            return;
        sw::LayoutInput input;
        for (const SceneBox &box : m_scene->boxes)
            input.nodes.push_back({static_cast<float>(box.rect.width()), static_cast<float>(box.rect.height()), box.kernel});
        for (const SceneEdge &edge : m_scene->edges)
            input.edges.push_back({edge.from, edge.to});
        const sw::LayoutResult result = sw::layoutGraph(input);
        for (std::size_t i = 0; i < m_scene->boxes.size(); ++i) {
            m_scene->boxes[i].rect.moveCenter(QPointF(result.centers[i].x, result.centers[i].y));
            m_scene->boxes[i].layer = result.layers[i];
        }
        m_scene->points.reserve(result.points.size());
        for (const sw::LayoutPoint &point : result.points)
            m_scene->points.emplace_back(point.x, point.y);
        for (std::size_t e = 0; e < m_scene->edges.size(); ++e) {
            m_scene->edges[e].firstPoint = result.pointStart[e];
            m_scene->edges[e].pointCount = result.pointStart[e + 1] - result.pointStart[e];
        }
        m_scene->bounds = QRectF(0, 0, result.width, result.height);
    }

    // For every kernel with more than one box in the graph: its extent in each layer, joined from layer to layer.
    void makeHulls()
    {
        if (m_document.kind != sw::StageKind::Graph)
            return;
        std::map<std::uint32_t, std::map<std::uint32_t, QRectF>> extents; // kernel, layer
        for (const SceneBox &box : m_scene->boxes) {
            if (box.kernel == sw::kNoIndex)
                continue;
            QRectF &extent = extents[box.kernel][box.layer];
            extent = extent.isNull() ? box.rect : extent.united(box.rect);
        }
        for (const auto &[kernel, layers] : extents) {
            SceneHull hull{.kernel = kernel};
            const QRectF *previous = nullptr;
            std::uint32_t previousLayer = 0;
            for (const auto &[layer, extent] : layers) {
                addPart(hull.path, extent.adjusted(-kHullPadding, -kHullPadding, kHullPadding, kHullPadding));
                if (previous && layer == previousLayer + 1)
                    joinParts(hull.path, *previous, extent);
                previous = &extent;
                previousLayer = layer;
            }
            hull.path = hull.path.simplified();
            const QRectF &top = layers.begin()->second;
            hull.tagArea = QRectF(top.adjusted(-kHullPadding, -kHullPadding, kHullPadding, 0)); // placeLabels() chooses the place
            m_scene->hulls.push_back(std::move(hull));
        }
    }

    static void addPart(QPainterPath &path, const QRectF &area)
    {
        path.setFillRule(Qt::WindingFill);
        path.addRoundedRect(area, 7, 7);
    }

    static void joinParts(QPainterPath &path, const QRectF &upper, const QRectF &lower)
    {
        const double left = std::max(upper.left(), lower.left()) - kHullPadding;
        const double right = std::min(upper.right(), lower.right()) + kHullPadding;
        if (right - left > 2 * kHullPadding) {
            path.addRect(QRectF(QPointF(left, upper.center().y()), QPointF(right, lower.center().y())));
            return;
        }
        // The extents do not overlap: join them by a slanted neck.
        const double half = kHullPadding;
        QPolygonF neck;
        neck << QPointF(upper.center().x() - half, upper.bottom()) << QPointF(upper.center().x() + half, upper.bottom())
             << QPointF(lower.center().x() + half, lower.top()) << QPointF(lower.center().x() - half, lower.top());
        path.addPolygon(neck);
        path.closeSubpath();
    }

    void makeGrids()
    {
        m_scene->boxGrid = GridIndex(m_scene->bounds, kGridCell);
        for (BoxIndex i = 0; i < m_scene->boxes.size(); ++i)
            m_scene->boxGrid.add(m_scene->boxes[i].rect, i);
        m_scene->boxGrid.finish();
        m_scene->edgeGrid = GridIndex(m_scene->bounds, kGridCell);
        for (std::uint32_t e = 0; e < m_scene->edges.size(); ++e) {
            const SceneEdge &edge = m_scene->edges[e];
            for (std::uint32_t i = 1; i < edge.pointCount; ++i) {
                const QPointF &a = m_scene->points[edge.firstPoint + i - 1];
                const QPointF &b = m_scene->points[edge.firstPoint + i];
                m_scene->edgeGrid.add(QRectF(a, b).normalized(), e);
            }
        }
        m_scene->edgeGrid.finish();
    }

    const sw::StageDocument &m_document;
    const FoldedGroups &m_folded;
    const SceneFonts &m_fonts;
    const std::vector<GraphScenePtr> &m_like;
    std::shared_ptr<GraphScene> m_scene;
    std::vector<sw::ItemIndex> m_constantOf; // by item: the constant that it is or views; kNoIndex: it has its own box
};

double distanceToSegment(const QPointF &point, const QPointF &a, const QPointF &b)
{
    const QPointF along = b - a;
    const double length = QPointF::dotProduct(along, along);
    const double t = length == 0 ? 0 : std::clamp(QPointF::dotProduct(point - a, along) / length, 0.0, 1.0);
    const QPointF away = point - (a + t * along);
    return std::hypot(away.x(), away.y());
}

} // namespace

GraphScenePtr makeGraphScene(const sw::StageDocumentPtr &document, const FoldedGroups &folded, const SceneFonts &fonts,
                             const std::vector<GraphScenePtr> &like)
{
    return SceneMaker(document, folded, fonts, like).make();
}

FoldedGroups foldedAtFirst(const sw::StageDocument &document)
{
    FoldedGroups folded;
    if (document.items.size() <= kFoldAbove)
        return folded;
    for (std::uint32_t group = 0; group < document.groups.size(); ++group) {
        if (document.groups[group].parent == sw::kNoIndex)
            folded.insert(group);
    }
    return folded;
}

std::vector<sw::ItemIndex> GraphScene::itemsOf(BoxIndex box) const
{
    if (!boxes[box].isScope())
        return {boxes[box].item};
    std::vector<sw::ItemIndex> items;
    for (sw::ItemIndex i = 0; i < boxOfItem.size(); ++i) {
        if (boxOfItem[i] == box)
            items.push_back(i);
    }
    return items;
}

BoxIndex GraphScene::nearestTo(const QPointF &point) const
{
    const auto distance = [&](const SceneBox &box) {
        const QPointF away = box.rect.center() - point;
        return QPointF::dotProduct(away, away);
    };
    const auto nearest = std::ranges::min_element(boxes, {}, distance);
    return nearest == boxes.end() ? sw::kNoIndex : static_cast<BoxIndex>(nearest - boxes.begin());
}

BoxIndex GraphScene::boxAt(const QPointF &point) const
{
    for (const BoxIndex box : boxGrid.entriesIn(QRectF(point, QSizeF(0.5, 0.5)))) {
        if (boxes[box].rect.contains(point))
            return box;
    }
    return sw::kNoIndex;
}

std::uint32_t GraphScene::edgeAt(const QPointF &point, double tolerance) const
{
    std::uint32_t nearest = sw::kNoIndex;
    double distance = tolerance;
    const QRectF area = QRectF(point, point).adjusted(-tolerance, -tolerance, tolerance, tolerance);
    for (const std::uint32_t e : edgeGrid.entriesIn(area)) {
        const SceneEdge &edge = edges[e];
        for (std::uint32_t i = 1; i < edge.pointCount; ++i) {
            const double d = distanceToSegment(point, points[edge.firstPoint + i - 1], points[edge.firstPoint + i]);
            if (d < distance) {
                distance = d;
                nearest = e;
            }
        }
    }
    return nearest;
}

} // namespace stepwell::ui
