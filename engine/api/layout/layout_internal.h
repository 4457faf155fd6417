#pragma once
// The steps of layoutGraph and the network that they pass on. Vertices are the input's nodes, then bends: places where a long
// edge passes through a layer. Edges from one source share their bends, like the wires of a bus.

#include "engine/api/layout/graph_layout.h"

#include <cstdint>
#include <vector>

namespace sw::layout {

using Vertex = std::uint32_t;
inline constexpr Vertex kNoVertex = ~Vertex{0};

// The neighbours of every vertex, in one shared array.
struct Adjacency {
    std::vector<std::uint32_t> start;
    std::vector<Vertex> other;

    [[nodiscard]] const Vertex *begin(Vertex v) const { return other.data() + start[v]; }
    [[nodiscard]] const Vertex *end(Vertex v) const { return other.data() + start[v + 1]; }
    [[nodiscard]] std::uint32_t degree(Vertex v) const { return start[v + 1] - start[v]; }
};

struct Network {
    std::uint32_t nodeCount = 0; // vertices with smaller numbers are the input's nodes
    std::vector<float> width;    // by vertex
    std::vector<std::uint32_t> cluster;
    std::vector<std::uint32_t> layer;
    Adjacency up;
    Adjacency down;
    std::vector<std::vector<Vertex>> rows; // by layer, from left to right
    std::vector<float> x;                  // centres

    [[nodiscard]] bool isBend(Vertex v) const { return v >= nodeCount; }
    [[nodiscard]] std::uint32_t vertexCount() const { return static_cast<std::uint32_t>(width.size()); }
};

// The path of an input edge through the network, upper end first.
struct Route {
    std::uint32_t start = 0; // index of its first bend in Routes::bends
    std::uint32_t count = 0;
    bool isReversed = false;
    bool isLoop = false; // from a node to itself
};

struct Routes {
    std::vector<Route> routes; // by input edge
    std::vector<Vertex> bends;
};

[[nodiscard]] Adjacency makeAdjacency(std::uint32_t vertexCount, const std::vector<LayoutEdge> &edges);

// Finds the edges to reverse so that no cycle remains; true for each of them.
[[nodiscard]] std::vector<bool> findBackEdges(std::uint32_t nodeCount, const std::vector<LayoutEdge> &edges);

// Layers by longest path; then nodes with more edges below than above sink to their readers. `edges` has no cycle.
[[nodiscard]] std::vector<std::uint32_t> assignLayers(std::uint32_t nodeCount, const std::vector<LayoutEdge> &edges);

// Adds bends where edges pass through layers.
[[nodiscard]] Network makeNetwork(const LayoutInput &input, std::vector<std::uint32_t> layers,
                                  const std::vector<bool> &isReversed, Routes &routes);

// Orders every row so that few edges cross.
void orderRows(Network &network);

// Gives every vertex its x, with edges as straight as the gaps between neighbours allow.
void placeVertices(Network &network, float nodeGap);

} // namespace sw::layout
