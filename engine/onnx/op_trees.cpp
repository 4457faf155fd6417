#include "engine/onnx/forest.h"

#include <algorithm>
#include <cmath>

namespace sw::onnx {

namespace {

constexpr std::string_view kAfter[] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};

// The sets of the nodes that test whether a value is a member, which follow each other, a NaN behind each.
void giveMembers(Forest &forest, const std::vector<double> &values)
{
    auto next = values.begin();
    for (std::size_t i = 0; i < forest.modes.size(); ++i) {
        if (forest.modes[i] != Member)
            continue;
        forest.members.resize(forest.modes.size());
        const auto end = std::find_if(next, values.end(), [](double value) { return std::isnan(value); });
        forest.members[i].assign(next, end);
        next = end == values.end() ? end : end + 1;
    }
}

} // namespace

Result<Outputs> importTreeEnsemble(NodeCall &call)
{
    Forest forest;
    forest.features = call.integers("nodes_featureids").value_or(std::vector<std::int64_t>());
    const std::size_t inner = forest.features.size();
    SW_TRY(const std::vector<double> modes, tensorElements(call, "nodes_modes"));
    SW_TRY(forest.splits, tensorElements(call, "nodes_splits"));
    if (modes.size() != inner || forest.splits.size() != inner)
        return call.error(Code::Argument, "{} modes and {} splits for {} nodes", modes.size(), forest.splits.size(), inner);
    forest.modes.assign(modes.begin(), modes.end());
    forest.takesMissing.assign(inner, 0);
    if (call.hasAttribute("nodes_missing_value_tracks_true")) {
        SW_TRY(forest.takesMissing, integersOf(call, "nodes_missing_value_tracks_true", inner));
    }
    SW_TRY(forest.whenTrue, integersOf(call, "nodes_truenodeids", inner));
    SW_TRY(forest.whenFalse, integersOf(call, "nodes_falsenodeids", inner));
    SW_TRY(const std::vector<std::int64_t> trueLeafs, integersOf(call, "nodes_trueleafs", inner));
    SW_TRY(const std::vector<std::int64_t> falseLeafs, integersOf(call, "nodes_falseleafs", inner));
    const std::vector<std::int64_t> targets = call.integers("leaf_targetids").value_or(std::vector<std::int64_t>());
    SW_TRY(const std::vector<double> weights, tensorElements(call, "leaf_weights"));
    forest.targets = call.integer("n_targets", 1);
    if (forest.targets < 1 || forest.targets > kMostTreeTargets || weights.size() != targets.size())
        return call.error(Code::Argument, "{} targets, and {} weights for {} leaves", forest.targets, weights.size(),
                          targets.size());
    SW_CHECK(checkTreeRange(call, "target", targets, forest.targets));
    for (std::size_t i = 0; i < targets.size(); ++i) {
        forest.weights.emplace_back(static_cast<std::size_t>(forest.targets), kNoWeight);
        forest.weights.back()[static_cast<std::size_t>(targets[i])] = weights[i];
    }
    SW_CHECK(checkTreeRange(call, "node or leaf", forest.whenTrue, std::max(forest.inner(), forest.size() - forest.inner())));
    SW_CHECK(checkTreeRange(call, "node or leaf", forest.whenFalse, std::max(forest.inner(), forest.size() - forest.inner())));
    for (std::size_t i = 0; i < inner; ++i) {
        forest.whenTrue[i] += trueLeafs[i] != 0 ? forest.inner() : 0;
        forest.whenFalse[i] += falseLeafs[i] != 0 ? forest.inner() : 0;
    }
    leadLeavesToThemselves(forest);
    forest.roots = call.integers("tree_roots").value_or(std::vector<std::int64_t>());
    if (call.hasAttribute("membership_values")) {
        SW_TRY(const std::vector<double> members, tensorElements(call, "membership_values"));
        giveMembers(forest, members);
    } else if (std::ranges::find(forest.modes, std::int64_t{Member}) != forest.modes.end()) {
        return call.error(Code::MalformedModel, "there are no membership_values");
    }
    forest.aggregate = call.integer("aggregate_function", Sum);
    const std::int64_t after = call.integer("post_transform", 0);
    SW_CHECK(checkTreeRange(call, "aggregate_function", std::span(&forest.aggregate, 1), std::ssize(kTreeAggregates)));
    SW_CHECK(checkTreeRange(call, "post_transform", std::span(&after, 1), std::ssize(kAfter)));
    forest.after = kAfter[after];
    SW_TRY(const NodeId result, growForest(call, forest));
    return Outputs{result};
}

} // namespace sw::onnx
