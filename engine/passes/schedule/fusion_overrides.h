#pragma once
// The overrides that are about fusion, found in a graph: what they say of each edge, and what became of them.

#include "engine/graph/value_path.h"
#include "engine/passes/overrides.h"
#include "engine/passes/schedule/grouping.h"
#include "engine/passes/schedule/policy.h"

#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace sw {

class FusionOverrides {
public:
    FusionOverrides(const Graph &graph, const Dataflow &flow, const Overrides &overrides);

    [[nodiscard]] bool empty() const { return m_outcomes.empty(); }
    // What is asked for about an edge between two computed values.
    [[nodiscard]] FusionWish wishFor(NodeId producer, NodeId consumer) const;
    // The override that says so, by its number; nothing when none does.
    [[nodiscard]] std::optional<std::uint32_t> overrideOf(NodeId producer, NodeId consumer) const;
    // The rules alone would have decided otherwise about the edge.
    void noteDifference(NodeId producer, NodeId consumer);

    // What became of each override, once the kernels are known.
    [[nodiscard]] std::vector<OverrideOutcome> outcomes(const Grouping &grouping) &&;

private:
    using Edge = std::pair<NodeId, NodeId>;
    struct Wish {
        FusionWish wish = FusionWish::None;
        std::uint32_t override = 0;
        bool makesDifference = false;
    };

    void add(std::uint32_t index, const Override &item, const ValuePaths &paths, const Dataflow &flow);
    void addEdge(std::uint32_t index, Edge edge, FusionWish wish);
    void settle(Edge edge, const Wish &wish, const Grouping &grouping);

    std::map<Edge, Wish> m_wishes;
    std::vector<OverrideOutcome> m_outcomes; // by override
};

} // namespace sw
