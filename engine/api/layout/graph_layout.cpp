#include "engine/api/layout/graph_layout.h"

#include "engine/api/layout/layout_internal.h"

#include <algorithm>
#include <numeric>

namespace sw {

namespace {

using layout::Network;
using layout::Route;
using layout::Routes;
using layout::Vertex;

constexpr float kMargin = 24;
constexpr float kPortGap = 12; // at most, between edges that end at the same node

void placeLayers(const LayoutInput &input, const Network &network, LayoutResult &result)
{
    std::vector<float> heights(network.rows.size(), 0);
    for (std::size_t v = 0; v < input.nodes.size(); ++v)
        heights[network.layer[v]] = std::max(heights[network.layer[v]], input.nodes[v].height);
    float y = kMargin;
    for (const float height : heights) {
        result.layerTop.push_back(y);
        result.layerBottom.push_back(y + height);
        y += height + input.layerGap;
    }
    result.height = heights.empty() ? 0 : y - input.layerGap + kMargin;
}

void placeNodes(const LayoutInput &input, Network &network, LayoutResult &result)
{
    float left = 0;
    float right = 0;
    for (Vertex v = 0; v < network.vertexCount(); ++v) {
        const float half = network.width[v] / 2;
        left = v == 0 ? network.x[v] - half : std::min(left, network.x[v] - half);
        right = v == 0 ? network.x[v] + half : std::max(right, network.x[v] + half);
    }
    result.width = right - left + 2 * kMargin;
    for (float &x : network.x)
        x += kMargin - left;
    for (Vertex v = 0; v < input.nodes.size(); ++v) {
        const std::uint32_t layer = network.layer[v];
        result.centers.push_back({network.x[v], (result.layerTop[layer] + result.layerBottom[layer]) / 2});
        result.layers.push_back(layer);
    }
}

// Where each edge meets the top of the lower node: side by side, in the order in which the edges arrive.
std::vector<float> portsOf(const LayoutInput &input, const Network &network, const Routes &routes)
{
    struct Arrival {
        Vertex lower;
        float fromX;
        std::uint32_t edge;
    };
    std::vector<Arrival> arrivals;
    for (std::uint32_t e = 0; e < input.edges.size(); ++e) {
        const Route &route = routes.routes[e];
        if (route.isLoop)
            continue;
        const Vertex upper = route.isReversed ? input.edges[e].to : input.edges[e].from;
        const Vertex lower = route.isReversed ? input.edges[e].from : input.edges[e].to;
        const Vertex before = route.count == 0 ? upper : routes.bends[route.start + route.count - 1];
        arrivals.push_back({lower, network.x[before], e});
    }
    std::ranges::sort(arrivals, [](const Arrival &a, const Arrival &b) {
        if (a.lower != b.lower)
            return a.lower < b.lower;
        return a.fromX != b.fromX ? a.fromX < b.fromX : a.edge < b.edge;
    });
    std::vector<float> ports(input.edges.size(), 0);
    for (std::size_t first = 0; first < arrivals.size();) {
        std::size_t last = first;
        while (last < arrivals.size() && arrivals[last].lower == arrivals[first].lower)
            ++last;
        const Vertex lower = arrivals[first].lower;
        const auto count = static_cast<float>(last - first);
        const float gap = std::min(kPortGap, network.width[lower] * 0.7F / count);
        for (std::size_t i = first; i < last; ++i)
            ports[arrivals[i].edge] = network.x[lower] + (static_cast<float>(i - first) - (count - 1) / 2) * gap;
        first = last;
    }
    return ports;
}

void routeEdges(const LayoutInput &input, const Network &network, const Routes &routes, LayoutResult &result)
{
    const std::vector<float> ports = portsOf(input, network, routes);
    for (std::uint32_t e = 0; e < input.edges.size(); ++e) {
        const Route &route = routes.routes[e];
        const std::size_t first = result.points.size();
        result.pointStart.push_back(static_cast<std::uint32_t>(first));
        const Vertex upper = route.isReversed ? input.edges[e].to : input.edges[e].from;
        const Vertex lower = route.isReversed ? input.edges[e].from : input.edges[e].to;
        result.points.push_back({network.x[upper], result.centers[upper].y + input.nodes[upper].height / 2});
        for (std::uint32_t i = 0; i < route.count; ++i) {
            const Vertex bend = routes.bends[route.start + i];
            // Go straight through the layer, so that the edge touches no node beside it.
            result.points.push_back({network.x[bend], result.layerTop[network.layer[bend]]});
            result.points.push_back({network.x[bend], result.layerBottom[network.layer[bend]]});
        }
        if (route.isLoop)
            result.points.push_back(result.points.back());
        else
            result.points.push_back({ports[e], result.centers[lower].y - input.nodes[lower].height / 2});
        if (route.isReversed)
            std::reverse(result.points.begin() + static_cast<std::ptrdiff_t>(first), result.points.end());
    }
    result.pointStart.push_back(static_cast<std::uint32_t>(result.points.size()));
}

} // namespace

LayoutResult layoutGraph(const LayoutInput &input)
{
    const auto nodeCount = static_cast<std::uint32_t>(input.nodes.size());
    const std::vector<bool> isReversed = layout::findBackEdges(nodeCount, input.edges);
    std::vector<LayoutEdge> forward;
    for (std::size_t e = 0; e < input.edges.size(); ++e) {
        const LayoutEdge &edge = input.edges[e];
        if (edge.from != edge.to)
            forward.push_back(isReversed[e] ? LayoutEdge{edge.to, edge.from} : edge);
    }
    Routes routes;
    Network network = layout::makeNetwork(input, layout::assignLayers(nodeCount, forward), isReversed, routes);
    layout::orderRows(network);
    layout::placeVertices(network, input.nodeGap);

    LayoutResult result;
    placeLayers(input, network, result);
    placeNodes(input, network, result);
    routeEdges(input, network, routes, result);
    return result;
}

} // namespace sw
