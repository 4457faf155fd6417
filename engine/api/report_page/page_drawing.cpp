#include "engine/api/report_page/page_drawing.h"

#include "engine/api/layout/drawn_items.h"
#include "engine/api/layout/graph_layout.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace sw {

namespace {

// The fonts of browsers differ; these are the advances of a wide one, in pixels, and the page cuts what is longer.
constexpr float kLetter = 7.4F;
constexpr float kSmallLetter = 6.2F;
constexpr float kMargins = 18;
constexpr float kLeastWidth = 60;
constexpr float kMostWidth = 230;
constexpr float kOneLine = 22;
constexpr float kTwoLines = 35;

LayoutNode nodeOf(const DocumentItem &item)
{
    const float label = kLetter * static_cast<float>(item.label.size());
    const float detail = kSmallLetter * static_cast<float>(item.detail.size());
    const float width = std::clamp(std::max(label, detail) + kMargins, kLeastWidth, kMostWidth);
    return {width, item.detail.empty() ? kOneLine : kTwoLines, item.kernel};
}

// What is drawn: items by box, boxes by item, and the layout's input.
struct Drawn {
    std::vector<ItemIndex> items;
    std::vector<std::uint32_t> boxOfItem; // kNoIndex: none
    std::vector<std::int64_t> inside;     // item and box, in turn
    LayoutInput input;
};

Drawn drawnOf(const StageDocument &document)
{
    Drawn drawn;
    drawn.boxOfItem.assign(document.items.size(), kNoIndex);
    const std::vector<ItemIndex> constants = constantsInsideReaders(document);
    for (ItemIndex i = 0; i < document.items.size(); ++i) {
        if (constants[i] != kNoIndex || isNeverDrawn(document.items[i]))
            continue;
        drawn.boxOfItem[i] = static_cast<std::uint32_t>(drawn.items.size());
        drawn.items.push_back(i);
        drawn.input.nodes.push_back(nodeOf(document.items[i]));
    }
    std::set<std::pair<std::uint32_t, std::uint32_t>> known;
    std::vector<std::uint32_t> readerOf = drawn.boxOfItem; // a view of a constant is where its reader is, and so is the constant
    for (auto edge = document.edges.rbegin(); edge != document.edges.rend(); ++edge)
        if (constants[edge->from] != kNoIndex && readerOf[edge->to] != kNoIndex)
            readerOf[edge->from] = readerOf[edge->to];
    for (const DocumentEdge &edge : document.edges) {
        const std::uint32_t from = drawn.boxOfItem[edge.from];
        const std::uint32_t to = drawn.boxOfItem[edge.to];
        if (from != kNoIndex && to != kNoIndex && from != to && known.insert({from, to}).second)
            drawn.input.edges.push_back({from, to});
    }
    for (ItemIndex i = 0; i < readerOf.size(); ++i)
        if (drawn.boxOfItem[i] == kNoIndex && readerOf[i] != kNoIndex)
            drawn.inside.insert(drawn.inside.end(), {std::int64_t{i}, std::int64_t{readerOf[i]}});
    return drawn;
}

} // namespace

std::size_t drawnBoxes(const StageDocument &document)
{
    const std::vector<ItemIndex> constants = constantsInsideReaders(document);
    std::size_t count = 0;
    for (ItemIndex i = 0; i < document.items.size(); ++i)
        count += constants[i] == kNoIndex && !isNeverDrawn(document.items[i]) ? 1 : 0;
    return count;
}

void writeDrawing(JsonWriter &json, const StageDocument &document)
{
    using Column = std::vector<std::int64_t>;
    const Drawn drawn = drawnOf(document);
    const LayoutResult layout = layoutGraph(drawn.input);
    const auto rounded = [](float pixels) { return static_cast<std::int64_t>(std::lround(pixels)); };
    Column x, y, width, height, edges, points;
    for (std::size_t i = 0; i < drawn.items.size(); ++i) {
        const LayoutNode &node = drawn.input.nodes[i];
        x.push_back(rounded(layout.centers[i].x - node.width / 2));
        y.push_back(rounded(layout.centers[i].y - node.height / 2));
        width.push_back(rounded(node.width));
        height.push_back(rounded(node.height));
    }
    for (std::size_t i = 0; i < drawn.input.edges.size(); ++i)
        edges.push_back(layout.pointStart[i + 1] - layout.pointStart[i]);
    for (const LayoutPoint &point : layout.points)
        points.insert(points.end(), {rounded(point.x), rounded(point.y)});
    json.beginObject().key("items").integers(Column(drawn.items.begin(), drawn.items.end()));
    json.key("x").integers(x).key("y").integers(y).key("width").integers(width).key("height").integers(height);
    json.key("inside").integers(drawn.inside).key("edges").integers(edges).key("points").integers(points);
    json.key("size").integers(Column{rounded(layout.width), rounded(layout.height)}).endObject();
}

} // namespace sw
