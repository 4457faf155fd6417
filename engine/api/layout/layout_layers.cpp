#include "engine/api/layout/layout_internal.h"

#include <algorithm>

namespace sw::layout {

namespace {

// If a graph's long edges would need more bends than this, bends are left out and those edges run straight.
constexpr std::uint64_t kMostBends = 400'000;
constexpr float kBendWidth = 2;

std::vector<Vertex> topologicalOrder(const Adjacency &down, const Adjacency &up, std::uint32_t nodeCount)
{
    std::vector<Vertex> order;
    order.reserve(nodeCount);
    std::vector<std::uint32_t> missing(nodeCount);
    for (Vertex v = 0; v < nodeCount; ++v) {
        missing[v] = up.degree(v);
        if (missing[v] == 0)
            order.push_back(v);
    }
    for (std::size_t at = 0; at < order.size(); ++at) {
        for (const Vertex *to = down.begin(order[at]); to != down.end(order[at]); ++to) {
            if (--missing[*to] == 0)
                order.push_back(*to);
        }
    }
    return order;
}

// True for vertices with nothing above them that leads anywhere else.
std::vector<bool> findHanging(const Adjacency &down, const Adjacency &up, const std::vector<Vertex> &order)
{
    std::vector<bool> isHanging(order.size(), true);
    for (const Vertex v : order) {
        for (const Vertex *from = up.begin(v); from != up.end(v); ++from)
            isHanging[v] = isHanging[v] && isHanging[*from] && down.degree(*from) == 1;
    }
    return isHanging;
}

// The bends of one source, one for each layer that its edges pass; made as needed.
class BendChains {
public:
    BendChains(Network &network, std::vector<LayoutEdge> &edges) : m_network(network), m_edges(edges), m_chains(network.nodeCount)
    {
    }

    // Gives the bends between `from` and layer `last` (excluded).
    void extend(Vertex from, std::uint32_t last, std::vector<Vertex> &road)
    {
        std::vector<Vertex> &chain = m_chains[from];
        const std::uint32_t first = m_network.layer[from] + 1;
        for (std::uint32_t layer = first; layer < last; ++layer) {
            const std::uint32_t step = layer - first;
            if (step == chain.size()) {
                chain.push_back(addBend(layer, m_network.cluster[from]));
                m_edges.push_back({step == 0 ? from : chain[step - 1], chain[step]});
            }
            road.push_back(chain[step]);
        }
    }

private:
    Vertex addBend(std::uint32_t layer, std::uint32_t cluster)
    {
        m_network.width.push_back(kBendWidth);
        m_network.layer.push_back(layer);
        m_network.cluster.push_back(cluster);
        return m_network.vertexCount() - 1;
    }

    Network &m_network;
    std::vector<LayoutEdge> &m_edges;
    std::vector<std::vector<Vertex>> m_chains;
};

} // namespace

Adjacency makeAdjacency(std::uint32_t vertexCount, const std::vector<LayoutEdge> &edges)
{
    Adjacency adjacency;
    adjacency.start.assign(vertexCount + 1, 0);
    for (const LayoutEdge &edge : edges)
        ++adjacency.start[edge.from + 1];
    for (std::uint32_t v = 0; v < vertexCount; ++v)
        adjacency.start[v + 1] += adjacency.start[v];
    adjacency.other.resize(edges.size());
    std::vector<std::uint32_t> next(adjacency.start.begin(), adjacency.start.end() - 1);
    for (const LayoutEdge &edge : edges)
        adjacency.other[next[edge.from]++] = edge.to;
    return adjacency;
}

std::vector<bool> findBackEdges(std::uint32_t nodeCount, const std::vector<LayoutEdge> &edges)
{
    // Where each node's edges are, so that the answer is by edge.
    std::vector<std::uint32_t> start(nodeCount + 1, 0);
    for (const LayoutEdge &edge : edges)
        ++start[edge.from + 1];
    for (std::uint32_t v = 0; v < nodeCount; ++v)
        start[v + 1] += start[v];
    std::vector<std::uint32_t> edgeOf(edges.size());
    std::vector<std::uint32_t> next(start.begin(), start.end() - 1);
    for (std::uint32_t e = 0; e < edges.size(); ++e)
        edgeOf[next[edges[e].from]++] = e;

    enum class Visit : unsigned char { New, Open, Closed };
    std::vector<Visit> visit(nodeCount, Visit::New);
    std::vector<bool> isBack(edges.size(), false);
    next.assign(start.begin(), start.end() - 1);
    std::vector<Vertex> path;
    for (Vertex root = 0; root < nodeCount; ++root) {
        if (visit[root] != Visit::New)
            continue;
        path.push_back(root);
        visit[root] = Visit::Open;
        while (!path.empty()) {
            const Vertex v = path.back();
            if (next[v] == start[v + 1]) {
                visit[v] = Visit::Closed;
                path.pop_back();
                continue;
            }
            const std::uint32_t e = edgeOf[next[v]++];
            const Vertex to = edges[e].to;
            if (visit[to] == Visit::Open)
                isBack[e] = true;
            if (visit[to] != Visit::New)
                continue;
            visit[to] = Visit::Open;
            path.push_back(to);
        }
    }
    return isBack;
}

std::vector<std::uint32_t> assignLayers(std::uint32_t nodeCount, const std::vector<LayoutEdge> &edges)
{
    std::vector<LayoutEdge> upward(edges.size());
    std::ranges::transform(edges, upward.begin(), [](const LayoutEdge &edge) { return LayoutEdge{edge.to, edge.from}; });
    const Adjacency down = makeAdjacency(nodeCount, edges);
    const Adjacency up = makeAdjacency(nodeCount, upward);
    const std::vector<Vertex> order = topologicalOrder(down, up, nodeCount);

    std::vector<std::uint32_t> layer(nodeCount, 0);
    for (const Vertex v : order) {
        for (const Vertex *to = down.begin(v); to != down.end(v); ++to)
            layer[*to] = std::max(layer[*to], layer[v] + 1);
    }
    // Bottom up: a node with more readers than operands moves down to the first reader, and so does one that just hangs on
    // it (a parameter and its views). This shortens edges as network simplex does, in one walk.
    const std::vector<bool> isHanging = findHanging(down, up, order);
    for (auto v = order.rbegin(); v != order.rend(); ++v) {
        if (down.degree(*v) == 0 || (down.degree(*v) <= up.degree(*v) && !isHanging[*v]))
            continue;
        std::uint32_t lowest = ~std::uint32_t{0};
        for (const Vertex *to = down.begin(*v); to != down.end(*v); ++to)
            lowest = std::min(lowest, layer[*to] - 1);
        layer[*v] = lowest;
    }
    return layer;
}

Network makeNetwork(const LayoutInput &input, std::vector<std::uint32_t> layers, const std::vector<bool> &isReversed,
                    Routes &routes)
{
    Network network;
    network.nodeCount = static_cast<std::uint32_t>(input.nodes.size());
    network.layer = std::move(layers);
    for (const LayoutNode &node : input.nodes) {
        network.width.push_back(node.width);
        network.cluster.push_back(node.cluster);
    }
    std::uint64_t bendsNeeded = 0;
    for (const LayoutEdge &edge : input.edges) {
        const auto [low, high] = std::minmax(network.layer[edge.from], network.layer[edge.to]);
        bendsNeeded += high - low;
    }

    std::vector<LayoutEdge> edges;
    BendChains chains(network, edges);
    for (std::size_t e = 0; e < input.edges.size(); ++e) {
        const LayoutEdge &edge = input.edges[e];
        const Vertex upper = isReversed[e] ? edge.to : edge.from;
        const Vertex lower = isReversed[e] ? edge.from : edge.to;
        Route route{static_cast<std::uint32_t>(routes.bends.size()), 0, isReversed[e], edge.from == edge.to};
        if (!route.isLoop) {
            if (bendsNeeded <= kMostBends)
                chains.extend(upper, network.layer[lower], routes.bends);
            route.count = static_cast<std::uint32_t>(routes.bends.size()) - route.start;
            edges.push_back({route.count == 0 ? upper : routes.bends.back(), lower});
        }
        routes.routes.push_back(route);
    }

    std::vector<LayoutEdge> upward(edges.size());
    std::ranges::transform(edges, upward.begin(), [](const LayoutEdge &edge) { return LayoutEdge{edge.to, edge.from}; });
    network.down = makeAdjacency(network.vertexCount(), edges);
    network.up = makeAdjacency(network.vertexCount(), upward);
    return network;
}

} // namespace sw::layout
