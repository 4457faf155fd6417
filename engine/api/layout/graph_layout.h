#pragma once
// A layered layout of a directed graph, top to bottom. Pure: no widgets, no threads; equal input gives equal output. Every edge
// goes down except those that close a cycle (folding scopes can make cycles). Nodes of one cluster stay side by side in a layer.

#include <cstdint>
#include <vector>

namespace sw {

inline constexpr std::uint32_t kNoCluster = ~std::uint32_t{0};

struct LayoutNode {
    float width = 0;
    float height = 0;
    std::uint32_t cluster = kNoCluster;
};

struct LayoutEdge {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
};

struct LayoutPoint {
    float x = 0;
    float y = 0;
};

struct LayoutInput {
    std::vector<LayoutNode> nodes;
    std::vector<LayoutEdge> edges;
    float nodeGap = 18;
    float layerGap = 34;
};

struct LayoutResult {
    std::vector<LayoutPoint> centers;      // by node
    std::vector<std::uint32_t> layers;     // by node
    std::vector<std::uint32_t> pointStart; // by edge, plus one at the end: where its points begin in `points`
    std::vector<LayoutPoint> points;       // from the source's border to the target's; at least two per edge
    std::vector<float> layerTop;           // by layer
    std::vector<float> layerBottom;
    float width = 0;
    float height = 0;
};

[[nodiscard]] LayoutResult layoutGraph(const LayoutInput &input);

} // namespace sw
