#pragma once
// Decision trees. All nodes of all trees get one numbering, the inner ones first and then the leaves, each of which leads to
// itself: then every row walks down every tree at once, as many steps as the deepest tree has.

#include "engine/onnx/handlers.h"

#include <limits>
#include <span>
#include <string>
#include <vector>

namespace sw::onnx {

// The numbers that TreeEnsemble has for them.
enum TreeComparison : std::int64_t { LessOrEqual, Less, GreaterOrEqual, Greater, Equal, NotEqual, Member };
enum TreeAggregate : std::int64_t { Average, Sum, Least, Most };

struct Forest {
    // Of each inner node.
    std::vector<std::int64_t> features;
    std::vector<std::int64_t> modes;
    std::vector<double> splits;
    std::vector<std::int64_t> takesMissing; // 1: what is not a number goes to the true side
    std::vector<std::vector<double>> members;
    // Of all nodes: inner ones, then leaves.
    std::vector<std::int64_t> whenTrue;
    std::vector<std::int64_t> whenFalse;
    // Of each leaf: what it adds to each target; NaN: nothing.
    std::vector<std::vector<double>> weights;
    std::vector<std::int64_t> roots;
    std::int64_t targets = 1;
    std::int64_t aggregate = Sum;
    std::vector<double> base;
    std::string after = "NONE";

    [[nodiscard]] std::int64_t inner() const { return static_cast<std::int64_t>(features.size()); }
    [[nodiscard]] std::int64_t size() const { return inner() + static_cast<std::int64_t>(weights.size()); }
};

inline constexpr std::string_view kTreeAggregates[] = {"AVERAGE", "SUM", "MIN", "MAX"};
inline constexpr std::int64_t kMostTreeTargets = 65'536;
inline constexpr double kNoWeight = std::numeric_limits<double>::quiet_NaN(); // of a leaf for a target that is not its own

// An attribute that must have so many elements.
[[nodiscard]] Result<std::vector<std::int64_t>> integersOf(NodeCall &call, std::string_view name, std::size_t count);
// The elements of an attribute that is a tensor.
[[nodiscard]] Result<std::vector<double>> tensorElements(NodeCall &call, std::string_view name);
// All must be from 0 to end - 1.
[[nodiscard]] Result<Done> checkTreeRange(NodeCall &call, std::string_view what, std::span<const std::int64_t> list,
                                          std::int64_t end);
void leadLeavesToThemselves(Forest &forest);
// What the forest says of each row of the node's first input.
[[nodiscard]] Result<NodeId> growForest(NodeCall &call, const Forest &forest);

} // namespace sw::onnx
