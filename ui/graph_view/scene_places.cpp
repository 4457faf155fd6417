#include "ui/graph_view/scene_places.h"

#include "ui/session/snapshot.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stepwell::ui {

namespace {

constexpr double kLeastCommon = 0.85; // least share of boxes, and of edges, in common
constexpr double kGap = 18;
constexpr double kMargin = 24;

enum class Origins : unsigned char { Same, Any };

class Placer {
public:
    Placer(GraphScene &scene, const GraphScene &other)
        : m_scene(scene),
          m_other(other),
          m_partner(scene.boxes.size(), sw::kNoIndex),
          m_isTaken(other.boxes.size(), false),
          m_isPlaced(scene.boxes.size(), false)
    {
    }

    bool place()
    {
        pairUp(Origins::Same);
        pairUp(Origins::Any);
        const auto common = std::ranges::count(m_isTaken, true);
        const auto all = std::max(m_scene.boxes.size(), m_other.boxes.size());
        if (static_cast<double>(common) < kLeastCommon * static_cast<double>(all) || !hasSameEdges())
            return false;
        findRows();
        for (BoxIndex box = 0; box < m_scene.boxes.size(); ++box)
            if (m_partner[box] != sw::kNoIndex)
                placeAt(box, m_other.boxes[m_partner[box]].rect.center(), m_other.boxes[m_partner[box]].layer);
        for (BoxIndex box = 0; box < m_scene.boxes.size(); ++box)
            if (!m_isPlaced[box])
                placeNew(box);
        placeEdges();
        m_scene.bounds = m_other.bounds;
        for (const SceneBox &box : m_scene.boxes)
            m_scene.bounds |= box.rect.adjusted(-kMargin, -kMargin, kMargin, kMargin);
        return true;
    }

private:
    static std::string keyOf(const GraphScene &scene, const SceneBox &box, Origins origins)
    {
        const std::string label = box.label.toStdString();
        std::string key(withoutKernelNumber(label));
        key += '\n' + box.detail.toStdString() + (box.isScope() ? "\nscope" : "");
        if (origins == Origins::Same && !box.isScope())
            for (const std::uint32_t source : scene.document->items[box.item].sources)
                key += '\n' + std::to_string(source);
        return key;
    }

    // Pairs boxes with the same text, in order.
    void pairUp(Origins origins)
    {
        std::map<std::string, std::vector<BoxIndex>> waiting; // by text, last box first
        for (auto box = static_cast<BoxIndex>(m_other.boxes.size()); box-- > 0;)
            if (!m_isTaken[box])
                waiting[keyOf(m_other, m_other.boxes[box], origins)].push_back(box);
        for (BoxIndex box = 0; box < m_scene.boxes.size(); ++box) {
            if (m_partner[box] != sw::kNoIndex)
                continue;
            const auto found = waiting.find(keyOf(m_scene, m_scene.boxes[box], origins));
            if (found == waiting.end() || found->second.empty())
                continue;
            m_partner[box] = found->second.back();
            m_isTaken[m_partner[box]] = true;
            found->second.pop_back();
        }
    }

    // New edges are drawn without avoiding what is in their way, so there may be only a few.
    [[nodiscard]] bool hasSameEdges()
    {
        for (const SceneEdge &edge : m_other.edges)
            m_known.emplace(std::pair(edge.from, edge.to), &edge);
        const auto isKnown = [this](const SceneEdge &edge) {
            return m_known.contains({m_partner[edge.from], m_partner[edge.to]});
        };
        const auto same = std::ranges::count_if(m_scene.edges, isKnown);
        return static_cast<double>(same) >= kLeastCommon * static_cast<double>(m_scene.edges.size());
    }

    void findRows()
    {
        for (const SceneBox &box : m_other.boxes)
            m_rows.emplace(box.layer, box.rect.center().y());
    }

    void placeAt(BoxIndex box, const QPointF &center, std::uint32_t layer)
    {
        m_scene.boxes[box].rect.moveCenter(center);
        m_scene.boxes[box].layer = layer;
        m_isPlaced[box] = true;
    }

    // Puts the box in the row below what it reads, as close to that and to its readers as there is room.
    void placeNew(BoxIndex box)
    {
        double sum = 0;
        int count = 0;
        std::optional<std::uint32_t> below;
        std::optional<std::uint32_t> above;
        for (const SceneEdge &edge : m_scene.edges) {
            const BoxIndex beside = edge.from == box ? edge.to : edge.to == box ? edge.from : sw::kNoIndex;
            if (beside == sw::kNoIndex || !m_isPlaced[beside])
                continue;
            sum += m_scene.boxes[beside].rect.center().x();
            ++count;
            const std::uint32_t layer = m_scene.boxes[beside].layer;
            if (edge.to == box)
                below = std::max(below.value_or(0), layer + 1);
            else
                above = std::min(above.value_or(layer), layer == 0 ? 0 : layer - 1);
        }
        const std::uint32_t layer = below ? *below : above.value_or(0);
        const double x = count == 0 ? m_other.bounds.center().x() : sum / count;
        placeAt(box, {freeNear(x, yOf(layer), m_scene.boxes[box].rect.size()), yOf(layer)}, layer);
    }

    [[nodiscard]] double yOf(std::uint32_t layer)
    {
        const auto known = m_rows.find(layer);
        if (known != m_rows.end())
            return known->second;
        const double y = m_other.bounds.bottom() + kMargin; // below the last row
        m_rows.emplace(layer, y);
        return y;
    }

    // The middle, nearest to x, of a space that no other box takes.
    [[nodiscard]] double freeNear(double x, double y, const QSizeF &size) const
    {
        std::vector<double> candidates{x};
        const auto roomAt = [&](double middle) {
            return QRectF(QPointF(middle - size.width() / 2, y - size.height() / 2), size).adjusted(-kGap / 2, 0, kGap / 2, 0);
        };
        std::vector<QRectF> others;
        for (BoxIndex box = 0; box < m_scene.boxes.size(); ++box) {
            const QRectF &rect = m_scene.boxes[box].rect;
            if (!m_isPlaced[box] || rect.bottom() < y - size.height() / 2 || rect.top() > y + size.height() / 2)
                continue;
            others.push_back(rect);
            candidates.push_back(rect.left() - kGap - size.width() / 2);
            candidates.push_back(rect.right() + kGap + size.width() / 2);
        }
        std::ranges::sort(candidates, {}, [x](double at) { return std::abs(at - x); });
        const auto isFree = [&](double at) {
            return std::ranges::none_of(others, [&](const QRectF &rect) { return rect.intersects(roomAt(at)); });
        };
        const auto free = std::ranges::find_if(candidates, isFree);
        return free == candidates.end() ? x : *free;
    }

    // An edge that existed before takes the same path.
    void placeEdges()
    {
        for (SceneEdge &edge : m_scene.edges) {
            edge.firstPoint = static_cast<std::uint32_t>(m_scene.points.size());
            const auto same = m_known.find({m_partner[edge.from], m_partner[edge.to]});
            const QRectF &from = m_scene.boxes[edge.from].rect;
            const QRectF &to = m_scene.boxes[edge.to].rect;
            if (same != m_known.end() && m_other.boxes[m_partner[edge.from]].rect == from &&
                m_other.boxes[m_partner[edge.to]].rect == to) {
                const auto first = m_other.points.begin() + same->second->firstPoint;
                m_scene.points.insert(m_scene.points.end(), first, first + same->second->pointCount);
            } else {
                m_scene.points.emplace_back(from.center().x(), from.bottom());
                m_scene.points.emplace_back(to.center().x(), to.top());
            }
            edge.pointCount = static_cast<std::uint32_t>(m_scene.points.size()) - edge.firstPoint;
        }
    }

    GraphScene &m_scene;
    const GraphScene &m_other;
    std::vector<BoxIndex> m_partner; // by box of the scene: its partner in the other scene
    std::vector<bool> m_isTaken;     // by box of the other scene
    std::vector<bool> m_isPlaced;
    std::map<std::uint32_t, double> m_rows;                             // the middle of each layer
    std::map<std::pair<BoxIndex, BoxIndex>, const SceneEdge *> m_known; // edges of the other scene
};

} // namespace

bool placeLike(GraphScene &scene, const GraphScene &other)
{
    return Placer(scene, other).place();
}

} // namespace stepwell::ui
