#pragma once
// Values that are joined without a copy. A cat whose parts lie one after the other in the whole, because no axis before the
// joined one has several indices, needs no kernel: each part is stored right where it lies in the whole. A part may be such a
// whole itself; and a cat of values that another one has side by side already lies among them. A part that is a view of what
// another kernel stores, in another order, may get a kernel that copies it to its place.

#include "engine/passes/pass_context.h"
#include "engine/passes/schedule/node_facts.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

namespace sw {

// The place of a value in the outermost one that it is a part of.
struct JoinedPlace {
    NodeId whole;
    std::int64_t offset = 0; // bytes
};

// Which cats are joined, and the places of their parts. By nodes that are computed: the holders of values.
class Joins {
public:
    [[nodiscard]] bool isWhole(NodeId cat) const { return m_wholes.contains(cat); }
    // The holders of the parts of a whole, in their order.
    [[nodiscard]] const std::vector<NodeId> &partsOf(NodeId cat) const { return m_wholes.at(cat); }
    // Nothing: the value has a place of its own.
    [[nodiscard]] std::optional<JoinedPlace> placeOf(NodeId value) const;
    [[nodiscard]] bool isPartOf(NodeId value, NodeId cat) const;
    // It could be joined, but an override says something about one of its edges.
    [[nodiscard]] bool isDeclined(NodeId cat) const { return m_declined.contains(cat); }
    [[nodiscard]] std::vector<NodeId> wholes() const; // in graph order

    // Places the parts of a cat. What has it as a part must have been joined before. False, and nothing has changed: one of the
    // parts has another place, or is a whole, already.
    bool join(NodeId cat, const std::vector<NodeId> &parts, std::span<const std::int64_t> offsets);
    void decline(NodeId cat) { m_declined.insert(cat); }

private:
    [[nodiscard]] bool lieThere(const std::vector<NodeId> &parts, std::span<const std::int64_t> offsets) const;

    std::map<NodeId, std::vector<NodeId>> m_wholes;
    std::map<NodeId, JoinedPlace> m_places; // by part
    std::set<NodeId> m_declined;
};

// The graph as the grouping sees it, with the views that are stored as parts of cats, what is known of its nodes, and the cats
// that are joined: every one that can be, the last one first, where most of its bytes are stored anyway: what is cheap to compute
// is computed where the joined value is read. Each is a rewrite.
struct JoinedFlow {
    Dataflow flow;
    std::vector<NodeFacts> facts;
    Joins joins;
};
[[nodiscard]] JoinedFlow joinedFlowOf(const Graph &graph, std::span<const DeviceSlot> slots, PassContext &context);
// The joins without the cats that do not fit.
[[nodiscard]] Joins joinsThat(const Joins &joins, const Graph &graph, const Dataflow &flow,
                              const std::function<bool(NodeId)> &fit);

} // namespace sw
