#pragma once
// Pairs of reductions that can be done in parts: how the second reduction of a part is computed from the first one's, and how it
// is carried over to the first one's result for the whole.

#include "engine/graph/builder.h"

#include <optional>
#include <span>
#include <string_view>

namespace sw {

// The elements and results that the bodies of a rule are made of. They broadcast with each other.
struct PairValues {
    NodeId x = {};             // the elements
    NodeId places = {};        // of the elements, where the rule counts them
    NodeId first = {};         // the first reduction, of a part
    NodeId second = {};        // the second reduction, of a part
    NodeId whole = {};         // the first reduction, of the whole
    std::int64_t elements = 0; // of a part
    std::int64_t all = 0;      // of the whole
};

struct PairRule {
    std::string_view id;
    std::string_view title;
    std::string_view doc; // what is combined, and why that is the same
    Op first = Op::Add;
    Op second = Op::Add;
    // Both go on together from element to element, where the loops of a kernel are joined: then no parts are needed for that.
    bool isCarried = false;
    // Whether the second reduction's operand is that of the rule, for all elements of the first reduction: with its places, if
    // the rule has some.
    std::optional<PairValues> (*match)(const Graph &, NodeId operand, const Node &first) = nullptr;
    // The operand of the second reduction, in a part.
    Result<NodeId> (*operand)(GraphBuilder &, const Origin &, const PairValues &) = nullptr;
    // The second reduction of a part, as it counts in the whole.
    Result<NodeId> (*carried)(GraphBuilder &, const Origin &, const PairValues &) = nullptr;
};

[[nodiscard]] std::span<const PairRule> pairRules();

// What the rules are matched and made with.
[[nodiscard]] bool isOperation(const Node &node, Op op);         // elementwise
[[nodiscard]] NodeId underExpand(const Graph &graph, NodeId id); // what it repeats, or itself
[[nodiscard]] Result<NodeId> finiteOrZero(GraphBuilder &builder, const Origin &origin, NodeId value); // 0 where it is infinite

} // namespace sw
