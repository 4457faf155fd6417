// Decision trees. All nodes of all trees get one numbering, the inner ones first and then the leaves, each of which leads to
// itself: then every row walks down every tree at once, as many steps as the deepest tree has.

#include "engine/onnx/handlers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace sw::onnx {

namespace {

// The numbers that TreeEnsemble has for them.
enum Comparison : std::int64_t { LessOrEqual, Less, GreaterOrEqual, Greater, Equal, NotEqual, Member };
enum Aggregate : std::int64_t { Average, Sum, Least, Most };

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

constexpr std::string_view kAfter[] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};
constexpr std::string_view kAggregates[] = {"AVERAGE", "SUM", "MIN", "MAX"};
constexpr std::int64_t kMostTargets = 65'536;
constexpr double kNothing = std::numeric_limits<double>::quiet_NaN(); // what a leaf adds to a target that is not its own

Result<std::vector<std::int64_t>> listOf(NodeCall &call, std::string_view name, std::size_t count)
{
    std::vector<std::int64_t> list = call.integers(name).value_or(std::vector<std::int64_t>());
    if (list.size() != count)
        return call.error(Code::Argument, "{} has {} elements, expected {}", name, list.size(), count);
    return list;
}

Result<std::vector<double>> tensorList(NodeCall &call, std::string_view name)
{
    SW_TRY(const HostTensor tensor, call.tensor(name));
    std::vector<double> list;
    for (std::int64_t i = 0; i < tensor.elements(); ++i)
        list.push_back(tensor.at(i).asDouble());
    return list;
}

Result<Done> checkRange(NodeCall &call, std::string_view what, std::span<const std::int64_t> list, std::int64_t end)
{
    for (const std::int64_t each : list)
        if (each < 0 || each >= end)
            return call.error(Code::Argument, "{} {} is out of range, expected 0 to {}", what, each, end - 1);
    return Done{};
}

void leadLeavesToThemselves(Forest &forest)
{
    for (std::int64_t leaf = forest.inner(); leaf < forest.size(); ++leaf) {
        forest.whenTrue.push_back(leaf);
        forest.whenFalse.push_back(leaf);
    }
}

// The steps from the roots to the deepest leaf. Errors: a node is reached twice, so that a walk might never end.
Result<std::int64_t> depthOf(NodeCall &call, const Forest &forest)
{
    std::vector<std::int64_t> level = forest.roots;
    std::vector<bool> isSeen(static_cast<std::size_t>(forest.inner()), false);
    for (std::int64_t depth = 0;; ++depth) {
        std::vector<std::int64_t> next;
        for (const std::int64_t node : level) {
            if (node >= forest.inner())
                continue;
            const auto at = static_cast<std::size_t>(node);
            if (isSeen[at])
                return call.error(Code::MalformedModel, "node {} has more than one way to it", node);
            isSeen[at] = true;
            next.push_back(forest.whenTrue[at]);
            next.push_back(forest.whenFalse[at]);
        }
        if (next.empty())
            return depth;
        level = std::move(next);
    }
}

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

language::LibraryArgument tensorOf(NodeCall &call, DType dtype, const std::vector<double> &values)
{
    return {language::TensorValue{
        call.tensorConstant(HostTensor::ofValues(dtype, Shape{static_cast<std::int64_t>(values.size())}, values))}};
}

language::LibraryArgument tensorOf(NodeCall &call, const std::vector<std::int64_t> &values)
{
    return tensorOf(call, DType::I64, {values.begin(), values.end()});
}

// Rows of different lengths, as a matrix filled up with NaN.
language::Value matrixOf(NodeCall &call, DType dtype, const std::vector<std::vector<double>> &rows)
{
    std::size_t width = 1;
    for (const std::vector<double> &row : rows)
        width = std::max(width, row.size());
    std::vector<double> values;
    for (const std::vector<double> &row : rows) {
        values.insert(values.end(), row.begin(), row.end());
        values.resize(values.size() + width - row.size(), std::numeric_limits<double>::quiet_NaN());
    }
    Shape shape{static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(width)};
    return language::TensorValue{call.tensorConstant(HostTensor::ofValues(dtype, std::move(shape), values))};
}

Result<Outputs> grow(NodeCall &call, const Forest &forest)
{
    const Shape &shape = call.shape(0);
    if (shape.rank() != 2)
        return call.error(Code::ShapeMismatch, "expected rows of features, found {}", toText(shape));
    if (forest.roots.empty() || forest.weights.empty())
        return call.error(Code::MalformedModel, "there are no trees");
    SW_CHECK(checkRange(call, "feature", forest.features, shape[1]));
    SW_CHECK(checkRange(call, "mode", forest.modes, Member + 1));
    SW_CHECK(checkRange(call, "node", forest.whenTrue, forest.size()));
    SW_CHECK(checkRange(call, "node", forest.whenFalse, forest.size()));
    SW_CHECK(checkRange(call, "root", forest.roots, forest.size()));
    SW_TRY(const std::int64_t depth, depthOf(call, forest));
    const DType dtype = isFloat(call.dtype(0)) ? call.dtype(0) : DType::F32;
    language::Value sets;
    if (!forest.members.empty())
        sets = matrixOf(call, dtype, forest.members);
    language::Value base;
    if (!forest.base.empty())
        base = tensorOf(call, dtype, forest.base).value;
    language::Value nodes;
    if (forest.inner() > 0) {
        // A list of the tensors that say what the inner nodes decide.
        SW_TRY(nodes, call.callFunction("tree_nodes", {tensorOf(call, forest.features),
                                                       tensorOf(call, forest.modes),
                                                       tensorOf(call, dtype, forest.splits),
                                                       tensorOf(call, forest.takesMissing),
                                                       {sets}}));
    }
    SW_TRY(const NodeId result, call.callTensor("tree_ensemble", {{language::TensorValue{call.input(0)}},
                                                                  {nodes},
                                                                  tensorOf(call, forest.whenTrue),
                                                                  tensorOf(call, forest.whenFalse),
                                                                  tensorOf(call, forest.roots),
                                                                  {matrixOf(call, dtype, forest.weights)},
                                                                  {depth},
                                                                  {std::string(kAggregates[forest.aggregate])},
                                                                  {base},
                                                                  {forest.after}}));
    return Outputs{result};
}

// ---- TreeEnsembleRegressor: every node has the number of its tree and one of its own in it, and is a branch or a leaf

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
        return tensorList(call, tensor);
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
    SW_TRY(written.nodes, listOf(call, "nodes_nodeids", count));
    SW_TRY(written.features, listOf(call, "nodes_featureids", count));
    SW_TRY(written.whenTrue, listOf(call, "nodes_truenodeids", count));
    SW_TRY(written.whenFalse, listOf(call, "nodes_falsenodeids", count));
    written.takesMissing.assign(count, 0);
    if (call.hasAttribute("nodes_missing_value_tracks_true")) {
        SW_TRY(written.takesMissing, listOf(call, "nodes_missing_value_tracks_true", count));
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

Result<Done> giveWeights(NodeCall &call, Forest &forest, const Numbering &numbers)
{
    const std::vector<std::int64_t> targets = call.integers("target_ids").value_or(std::vector<std::int64_t>());
    SW_TRY(const std::vector<std::int64_t> trees, listOf(call, "target_treeids", targets.size()));
    SW_TRY(const std::vector<std::int64_t> nodes, listOf(call, "target_nodeids", targets.size()));
    SW_TRY(const std::vector<double> weights, numberList(call, "target_weights"));
    if (weights.size() != targets.size())
        return call.error(Code::Argument, "{} weights for {} targets", weights.size(), targets.size());
    SW_CHECK(checkRange(call, "target", targets, forest.targets));
    for (std::size_t i = 0; i < targets.size(); ++i) {
        SW_TRY(const std::int64_t number, numbers.of(call, trees[i], nodes[i]));
        if (number < forest.inner())
            return call.error(Code::MalformedModel, "node {} of tree {} has a weight and is no leaf", nodes[i], trees[i]);
        forest.weights[static_cast<std::size_t>(number - forest.inner())][static_cast<std::size_t>(targets[i])] = weights[i];
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

Result<Outputs> importRegressor(NodeCall &call)
{
    Forest forest;
    SW_TRY(const WrittenNodes written, writtenNodes(call));
    constexpr std::int64_t kLeaf = std::ssize(kModes) - 1;
    forest.targets = call.integer("n_targets", 1);
    const auto leaves = static_cast<std::size_t>(std::ranges::count(written.modes, kLeaf));
    if (forest.targets < 1 || forest.targets > kMostTargets)
        return call.error(Code::Argument, "n_targets {} is out of range, expected 1 to {}", forest.targets, kMostTargets);
    forest.weights.assign(leaves, std::vector<double>(static_cast<std::size_t>(forest.targets), kNothing));
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
    SW_CHECK(giveWeights(call, forest, numbers));
    forest.roots = rootsOf(forest);
    leadLeavesToThemselves(forest);
    SW_TRY(forest.aggregate, placeOf(call, "aggregate_function", call.text("aggregate_function", "SUM"), kAggregates));
    SW_TRY(forest.base, numberList(call, "base_values"));
    if (!forest.base.empty() && std::ssize(forest.base) != forest.targets)
        return call.error(Code::Argument, "{} base values for {} targets", forest.base.size(), forest.targets);
    forest.after = call.text("post_transform", "NONE");
    SW_TRY(const Outputs made, grow(call, forest));
    SW_TRY(const NodeId result, call.cast(made[0].node, DType::F32));
    return Outputs{result};
}

} // namespace

Result<Outputs> importTreeEnsemble(NodeCall &call)
{
    if (call.node().op == "TreeEnsembleRegressor")
        return importRegressor(call);
    Forest forest;
    forest.features = call.integers("nodes_featureids").value_or(std::vector<std::int64_t>());
    const std::size_t inner = forest.features.size();
    SW_TRY(const std::vector<double> modes, tensorList(call, "nodes_modes"));
    SW_TRY(forest.splits, tensorList(call, "nodes_splits"));
    if (modes.size() != inner || forest.splits.size() != inner)
        return call.error(Code::Argument, "{} modes and {} splits for {} nodes", modes.size(), forest.splits.size(), inner);
    forest.modes.assign(modes.begin(), modes.end());
    forest.takesMissing.assign(inner, 0);
    if (call.hasAttribute("nodes_missing_value_tracks_true")) {
        SW_TRY(forest.takesMissing, listOf(call, "nodes_missing_value_tracks_true", inner));
    }
    SW_TRY(forest.whenTrue, listOf(call, "nodes_truenodeids", inner));
    SW_TRY(forest.whenFalse, listOf(call, "nodes_falsenodeids", inner));
    SW_TRY(const std::vector<std::int64_t> trueLeafs, listOf(call, "nodes_trueleafs", inner));
    SW_TRY(const std::vector<std::int64_t> falseLeafs, listOf(call, "nodes_falseleafs", inner));
    const std::vector<std::int64_t> targets = call.integers("leaf_targetids").value_or(std::vector<std::int64_t>());
    SW_TRY(const std::vector<double> weights, tensorList(call, "leaf_weights"));
    forest.targets = call.integer("n_targets", 1);
    if (forest.targets < 1 || forest.targets > kMostTargets || weights.size() != targets.size())
        return call.error(Code::Argument, "{} targets, and {} weights for {} leaves", forest.targets, weights.size(),
                          targets.size());
    SW_CHECK(checkRange(call, "target", targets, forest.targets));
    for (std::size_t i = 0; i < targets.size(); ++i) {
        forest.weights.emplace_back(static_cast<std::size_t>(forest.targets), kNothing);
        forest.weights.back()[static_cast<std::size_t>(targets[i])] = weights[i];
    }
    SW_CHECK(checkRange(call, "node or leaf", forest.whenTrue, std::max(forest.inner(), forest.size() - forest.inner())));
    SW_CHECK(checkRange(call, "node or leaf", forest.whenFalse, std::max(forest.inner(), forest.size() - forest.inner())));
    for (std::size_t i = 0; i < inner; ++i) {
        forest.whenTrue[i] += trueLeafs[i] != 0 ? forest.inner() : 0;
        forest.whenFalse[i] += falseLeafs[i] != 0 ? forest.inner() : 0;
    }
    leadLeavesToThemselves(forest);
    forest.roots = call.integers("tree_roots").value_or(std::vector<std::int64_t>());
    if (call.hasAttribute("membership_values")) {
        SW_TRY(const std::vector<double> members, tensorList(call, "membership_values"));
        giveMembers(forest, members);
    } else if (std::ranges::find(forest.modes, std::int64_t{Member}) != forest.modes.end()) {
        return call.error(Code::MalformedModel, "there are no membership_values");
    }
    forest.aggregate = call.integer("aggregate_function", Sum);
    const std::int64_t after = call.integer("post_transform", 0);
    SW_CHECK(checkRange(call, "aggregate_function", std::span(&forest.aggregate, 1), std::ssize(kAggregates)));
    SW_CHECK(checkRange(call, "post_transform", std::span(&after, 1), std::ssize(kAfter)));
    forest.after = kAfter[after];
    return grow(call, forest);
}

} // namespace sw::onnx
