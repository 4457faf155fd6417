// Decision trees whose nodes each have the number of their tree and one of their own in it, and are branches or leaves.

#include "engine/onnx/forest.h"
#include "engine/onnx/operator_formula.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace sw::onnx {

namespace {

constexpr std::string_view kModes[] = {"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ", "LEAF"};

template <std::size_t count>
Result<std::int64_t> placeOf(NodeCall &call, std::string_view what, std::string_view name, const std::string_view (&names)[count])
{
    const auto *const found = std::ranges::find(names, name);
    if (found == std::end(names))
        return call.error(Code::Argument, "{} '{}' is none of {}", what, name.substr(0, 20), join(names, ", "));
    return found - std::begin(names);
}

// An attribute of floats, or since opset 3 a tensor.
Result<std::vector<double>> numberList(NodeCall &call, std::string_view name)
{
    if (const std::string tensor = format("{}_as_tensor", name); call.hasAttribute(tensor))
        return tensorElements(call, tensor);
    const std::vector<float> list = call.numbers(name).value_or(std::vector<float>());
    return std::vector<double>(list.begin(), list.end());
}

// The number in the forest of the node with these two numbers.
class Numbering {
public:
    Result<Done> add(NodeCall &call, std::int64_t tree, std::int64_t node, std::int64_t number)
    {
        if (!m_numbers.emplace(std::pair(tree, node), number).second)
            return call.error(Code::MalformedModel, "tree {} has two nodes {}", tree, node);
        return Done{};
    }
    Result<std::int64_t> of(NodeCall &call, std::int64_t tree, std::int64_t node) const
    {
        const auto found = m_numbers.find({tree, node});
        if (found == m_numbers.end())
            return call.error(Code::MalformedModel, "tree {} has no node {}", tree, node);
        return found->second;
    }

private:
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> m_numbers;
};

struct WrittenNodes {
    std::vector<std::int64_t> trees, nodes, features, whenTrue, whenFalse, takesMissing, modes;
    std::vector<double> values;
};

Result<WrittenNodes> writtenNodes(NodeCall &call)
{
    WrittenNodes written;
    written.trees = call.integers("nodes_treeids").value_or(std::vector<std::int64_t>());
    const std::size_t count = written.trees.size();
    SW_TRY(written.nodes, integersOf(call, "nodes_nodeids", count));
    SW_TRY(written.features, integersOf(call, "nodes_featureids", count));
    SW_TRY(written.whenTrue, integersOf(call, "nodes_truenodeids", count));
    SW_TRY(written.whenFalse, integersOf(call, "nodes_falsenodeids", count));
    written.takesMissing.assign(count, 0);
    if (call.hasAttribute("nodes_missing_value_tracks_true")) {
        SW_TRY(written.takesMissing, integersOf(call, "nodes_missing_value_tracks_true", count));
    }
    SW_TRY(written.values, numberList(call, "nodes_values"));
    const Attribute *attribute = call.attribute("nodes_modes");
    const auto *modes = attribute == nullptr ? nullptr : std::get_if<std::vector<std::string>>(&attribute->value);
    if (modes == nullptr || modes->size() != count || written.values.size() != count)
        return call.error(Code::Argument, "nodes_modes and nodes_values must have an element for each of {} nodes", count);
    for (const std::string &mode : *modes) {
        SW_TRY(const std::int64_t place, placeOf(call, "mode", mode, kModes));
        written.modes.push_back(place);
    }
    return written;
}

// What leaves add to targets or classes.
struct WrittenWeights {
    std::vector<std::int64_t> trees, nodes, targets;
    std::vector<double> values;
};

// "target" or "class" begins the names of its attributes.
Result<WrittenWeights> writtenWeights(NodeCall &call, std::string_view what)
{
    WrittenWeights written;
    written.targets = call.integers(format("{}_ids", what)).value_or(std::vector<std::int64_t>());
    SW_TRY(written.trees, integersOf(call, format("{}_treeids", what), written.targets.size()));
    SW_TRY(written.nodes, integersOf(call, format("{}_nodeids", what), written.targets.size()));
    SW_TRY(written.values, numberList(call, format("{}_weights", what)));
    if (written.values.size() != written.targets.size())
        return call.error(Code::Argument, "{} weights for {} {} ids", written.values.size(), written.targets.size(), what);
    return written;
}

Result<Done> giveWeights(NodeCall &call, Forest &forest, const Numbering &numbers, const WrittenWeights &written)
{
    SW_CHECK(checkTreeRange(call, "target", written.targets, forest.targets));
    for (std::size_t i = 0; i < written.targets.size(); ++i) {
        SW_TRY(const std::int64_t number, numbers.of(call, written.trees[i], written.nodes[i]));
        if (number < forest.inner())
            return call.error(Code::MalformedModel, "node {} of tree {} has a weight and is no leaf", written.nodes[i],
                              written.trees[i]);
        double &weight =
            forest.weights[static_cast<std::size_t>(number - forest.inner())][static_cast<std::size_t>(written.targets[i])];
        weight = std::isnan(weight) ? written.values[i] : weight + written.values[i];
    }
    return Done{};
}

// The nodes that no other leads to.
std::vector<std::int64_t> rootsOf(const Forest &forest)
{
    std::vector<bool> isReached(static_cast<std::size_t>(forest.size()), false);
    for (std::int64_t i = 0; i < forest.inner(); ++i) {
        isReached[static_cast<std::size_t>(forest.whenTrue[static_cast<std::size_t>(i)])] = true;
        isReached[static_cast<std::size_t>(forest.whenFalse[static_cast<std::size_t>(i)])] = true;
    }
    std::vector<std::int64_t> roots;
    for (std::int64_t i = 0; i < forest.size(); ++i)
        if (!isReached[static_cast<std::size_t>(i)])
            roots.push_back(i);
    return roots;
}

// The node's trees, with targets and weights that are given.
Result<Forest> plantedForest(NodeCall &call, std::int64_t targets, const WrittenWeights &weights)
{
    Forest forest;
    forest.targets = targets;
    SW_TRY(const WrittenNodes written, writtenNodes(call));
    constexpr std::int64_t kLeaf = std::ssize(kModes) - 1;
    const auto leaves = static_cast<std::size_t>(std::ranges::count(written.modes, kLeaf));
    forest.weights.assign(leaves, std::vector<double>(static_cast<std::size_t>(targets), kNoWeight));
    const auto inner = static_cast<std::int64_t>(written.modes.size() - leaves);
    Numbering numbers;
    std::int64_t nextInner = 0;
    std::int64_t nextLeaf = inner;
    for (std::size_t i = 0; i < written.modes.size(); ++i)
        SW_CHECK(numbers.add(call, written.trees[i], written.nodes[i], written.modes[i] == kLeaf ? nextLeaf++ : nextInner++));
    for (std::size_t i = 0; i < written.modes.size(); ++i) {
        if (written.modes[i] == kLeaf)
            continue;
        forest.features.push_back(written.features[i]);
        forest.modes.push_back(written.modes[i]);
        forest.splits.push_back(written.values[i]);
        forest.takesMissing.push_back(written.takesMissing[i]);
        SW_TRY(const std::int64_t yes, numbers.of(call, written.trees[i], written.whenTrue[i]));
        SW_TRY(const std::int64_t no, numbers.of(call, written.trees[i], written.whenFalse[i]));
        forest.whenTrue.push_back(yes);
        forest.whenFalse.push_back(no);
    }
    SW_CHECK(giveWeights(call, forest, numbers, weights));
    forest.roots = rootsOf(forest);
    leadLeavesToThemselves(forest);
    SW_TRY(forest.base, numberList(call, "base_values"));
    return forest;
}

Result<Done> checkBase(NodeCall &call, const Forest &forest)
{
    if (!forest.base.empty() && std::ssize(forest.base) != forest.targets)
        return call.error(Code::Argument, "{} base values for {} targets", forest.base.size(), forest.targets);
    return Done{};
}

// An attribute that is a list, as the language has it; None if it is left out.
template <class T>
language::Value listValue(const NodeCall &call, std::string_view name)
{
    const Attribute *attribute = call.attribute(name);
    const auto *list = attribute == nullptr ? nullptr : std::get_if<std::vector<T>>(&attribute->value);
    if (list == nullptr || list->empty())
        return {};
    std::vector<language::Value> items;
    for (const T &item : *list)
        items.push_back(language::Value(item));
    return language::listOf(std::move(items));
}

template <class T>
std::size_t listSize(const NodeCall &call, std::string_view name)
{
    const Attribute *attribute = call.attribute(name);
    const auto *list = attribute == nullptr ? nullptr : std::get_if<std::vector<T>>(&attribute->value);
    return list == nullptr ? 0 : list->size();
}

} // namespace

Result<Outputs> importTreeEnsembleRegressor(NodeCall &call)
{
    const std::int64_t targets = call.integer("n_targets", 1);
    if (targets < 1 || targets > kMostTreeTargets)
        return call.error(Code::Argument, "n_targets {} is out of range, expected 1 to {}", targets, kMostTreeTargets);
    SW_TRY(const WrittenWeights weights, writtenWeights(call, "target"));
    SW_TRY(Forest forest, plantedForest(call, targets, weights));
    SW_CHECK(checkBase(call, forest));
    SW_TRY(forest.aggregate, placeOf(call, "aggregate_function", call.text("aggregate_function", "SUM"), kTreeAggregates));
    forest.after = call.text("post_transform", "NONE");
    SW_TRY(const NodeId total, growForest(call, forest));
    SW_TRY(const NodeId result, call.cast(total, DType::F32));
    return Outputs{result};
}

// Where all weights are of one class of two, the trees have one target, whose sum tells both scores.
Result<Outputs> importTreeEnsembleClassifier(NodeCall &call)
{
    const std::size_t labels = listSize<std::int64_t>(call, "classlabels_int64s");
    const std::size_t names = listSize<std::string>(call, "classlabels_strings");
    if (labels != 0 && names != 0)
        return call.error(Code::MalformedModel, "there are labels of both types");
    const auto classes = static_cast<std::int64_t>(std::max(labels, names));
    if (classes < 2 || classes > kMostTreeTargets)
        return call.unsupported("{} class labels are not supported, only 2 to {}", classes, kMostTreeTargets);
    SW_TRY(WrittenWeights weights, writtenWeights(call, "class"));
    SW_CHECK(checkTreeRange(call, "class", weights.targets, classes));
    const std::set<std::int64_t> weighted(weights.targets.begin(), weights.targets.end());
    const bool isSingle = classes == 2 && weighted.size() == 1;
    if (isSingle)
        weights.targets.assign(weights.targets.size(), 0);
    SW_TRY(Forest forest, plantedForest(call, isSingle ? 1 : classes, weights));
    if (isSingle && forest.base.size() == 2) // those of both classes count as one: the second's
        forest.base.erase(forest.base.begin());
    SW_CHECK(checkBase(call, forest));
    const bool areAllPositive = std::ranges::all_of(weights.values, [](double weight) { return weight >= 0; });
    const std::size_t firstNew = call.builder().size();
    SW_TRY(const NodeId totals, growForest(call, forest));
    const language::Value outputs = language::listOf({{call.wantsOutput(0)}, {call.wantsOutput(1)}});
    SW_TRY(const language::Value made, call.callFunction("tree_classes", {{language::TensorValue{totals}},
                                                                          {listValue<std::int64_t>(call, "classlabels_int64s")},
                                                                          {listValue<std::string>(call, "classlabels_strings")},
                                                                          {areAllPositive},
                                                                          {call.text("post_transform", "NONE")},
                                                                          {outputs}}));
    return outputsOf(call, made, firstNew);
}

} // namespace sw::onnx
