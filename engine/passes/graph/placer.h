#pragma once
// The implementation of the pass `place`: it goes node by node and keeps what represents each value. See place.h.

#include "engine/passes/graph/shard_rules.h"
#include "engine/passes/graph/shard_transfers.h"

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace sw {

class Placer {
public:
    Placer(const Graph &graph, PassContext &context);
    [[nodiscard]] Result<Graph> run();

private:
    // ---- placer.cpp: values on one device
    Result<Done> findWishes();
    Result<Done> placeNode(NodeId id);
    Result<PlacedValue> placed(NodeId id);
    Result<PlacedValue> onDevice(NodeId id);
    Result<PlacedValue> copied(NodeId id);
    Result<PlacedValue> joined(NodeId id);
    Result<PlacedValue> sunk(NodeId id);
    Result<PlacedValue> single(NodeId id);
    Result<NodeId> outputOf(PlacedValue &value);
    Result<PlacedValue> leftAlone(NodeId id);
    Result<NodeId> asNode(PlacedValue &value);
    void record(NodeId id, const PlacedValue &value, std::string_view rule);
    [[nodiscard]] std::string whereText(const PlacedValue &value) const;

    // ---- place_parts.cpp: values on several devices
    [[nodiscard]] bool hasPartsAmongInputs(const Node &node) const;
    Result<PlacedValue> inParts(NodeId id);
    Result<PlacedValue> oneInput(NodeId id);
    Result<PlacedValue> ofPartial(NodeId id);
    Result<PlacedValue> reducedInParts(NodeId id);
    Result<PlacedValue> elementwise(NodeId id);
    Result<PlacedValue> joinedAlongAxis(NodeId id);
    Result<PlacedValue> lookedUp(NodeId id);
    Result<PlacedValue> everywhere(NodeId id, const std::string &reason);
    Result<PlacedValue> applied(NodeId id, const ShardLayout &result, std::span<const ShardLayout> inputs);
    [[nodiscard]] ShardLayout commonLayout(const Node &node) const;
    [[nodiscard]] ShardLayout wholesOf(const Node &node) const;

    [[nodiscard]] PlacedValue &valueOf(NodeId original) { return m_values[original.value]; }
    [[nodiscard]] const PlacedValue &valueOf(NodeId original) const { return m_values[original.value]; }

    const Graph &m_graph;
    PassContext &m_context;
    std::shared_ptr<SourceMap> m_sources;
    GraphBuilder m_builder;
    ShardTransfers m_transfers;
    std::vector<std::optional<DeviceSlot>> m_wishes; // by node: the one device that all of its readers ask for
    std::vector<PlacedValue> m_values;               // by node, so far
    std::string_view m_rule;                         // the rule that rewrites the current node; empty: none
};

} // namespace sw
