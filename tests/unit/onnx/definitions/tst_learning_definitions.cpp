// Classical learning: decision trees, random ones, walked down row by row; encoders, scalers, weighted sums.

#include "tests/unit/onnx/definitions/definition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace sw::test {

namespace {

struct Trees {
    Places features, whenTrue, whenFalse, trueLeafs, falseLeafs, missing, roots, targets;
    std::vector<double> modes, splits, weights, members;
    std::vector<std::vector<double>> sets; // of each node
    std::int64_t outputs = 1;
};

// Adds a node, or a leaf where the tree is deep enough: its number, and whether it is a leaf.
std::pair<std::int64_t, bool> grow(Draw &draw, Trees &trees, std::int64_t features, int depth)
{
    if (depth == 0 || (depth < 3 && draw.chance(30))) {
        trees.targets.push_back(draw.number(0, trees.outputs - 1));
        trees.weights.push_back(static_cast<double>(draw.number(-8, 8)) / 4);
        return {static_cast<std::int64_t>(trees.weights.size()) - 1, true};
    }
    const auto at = static_cast<std::size_t>(trees.features.size());
    trees.features.push_back(draw.number(0, features - 1));
    trees.modes.push_back(static_cast<double>(draw.number(0, 6)));
    trees.splits.push_back(static_cast<double>(draw.number(-4, 4)) / 2);
    trees.missing.push_back(draw.number(0, 1));
    trees.sets.emplace_back();
    for (Places *list : {&trees.whenTrue, &trees.whenFalse, &trees.trueLeafs, &trees.falseLeafs})
        list->push_back(0);
    if (trees.modes[at] == 6) {
        for (std::int64_t i = draw.number(1, 3); i > 0; --i)
            trees.sets[at].push_back(static_cast<double>(draw.number(-4, 4)) / 2);
        trees.members.insert(trees.members.end(), trees.sets[at].begin(), trees.sets[at].end());
        trees.members.push_back(NAN);
    }
    const auto [yes, yesIsLeaf] = grow(draw, trees, features, depth - 1);
    const auto [no, noIsLeaf] = grow(draw, trees, features, depth - 1);
    trees.whenTrue[at] = yes;
    trees.whenFalse[at] = no;
    trees.trueLeafs[at] = yesIsLeaf ? 1 : 0;
    trees.falseLeafs[at] = noIsLeaf ? 1 : 0;
    return {static_cast<std::int64_t>(at), false};
}

bool decides(const Trees &trees, std::size_t node, double x)
{
    if (std::isnan(x) && trees.missing[node] != 0)
        return true;
    const double split = trees.splits[node];
    switch (static_cast<int>(trees.modes[node])) {
    case 0:
        return x <= split;
    case 1:
        return x < split;
    case 2:
        return x >= split;
    case 3:
        return x > split;
    case 4:
        return x == split;
    case 5:
        return x != split;
    default:
        return std::ranges::count(trees.sets[node], x) > 0;
    }
}

std::size_t leafOf(const Trees &trees, std::int64_t root, const std::function<double(std::int64_t)> &feature)
{
    for (auto node = static_cast<std::size_t>(root);;) {
        const bool isTrue = decides(trees, node, feature(trees.features[node]));
        const std::int64_t next = isTrue ? trees.whenTrue[node] : trees.whenFalse[node];
        if ((isTrue ? trees.trueLeafs : trees.falseLeafs)[node] != 0)
            return static_cast<std::size_t>(next);
        node = static_cast<std::size_t>(next);
    }
}

Message doubles(std::string_view name, const std::vector<double> &values)
{
    return tensorAttribute(name, floatTensor("t", {static_cast<std::int64_t>(values.size())}, {values.begin(), values.end()}));
}

// u8[n]
Message bytes(std::string_view name, const std::vector<double> &values)
{
    Message tensor;
    tensor.number(1, static_cast<std::int64_t>(values.size())).number(2, 2);
    for (const double value : values)
        tensor.number(5, static_cast<std::int64_t>(value));
    return tensorAttribute(name, tensor);
}

Drawn drawTrees(Draw &draw)
{
    Trees trees;
    trees.outputs = draw.number(1, 3);
    const std::int64_t features = draw.number(1, 4);
    for (std::int64_t i = draw.number(1, 3); i > 0; --i)
        trees.roots.push_back(grow(draw, trees, features, 3).first);
    Numbers x = draw.numbers({draw.number(1, 5), features}, DType::F32, 2);
    for (double &element : x.elements)
        element = draw.chance(10) ? NAN : std::nearbyint(element * 2) / 2;
    const std::int64_t aggregate = draw.number(0, 3);
    Numbers y = computed({x.extents[0], trees.outputs}, DType::F32, [&](const Places &at) {
        double total = aggregate == 2 ? INFINITY : aggregate == 3 ? -INFINITY : 0;
        for (const std::int64_t root : trees.roots) {
            const std::size_t leaf = leafOf(trees, root, [&](std::int64_t feature) { return x.at({at[0], feature}); });
            if (trees.targets[leaf] != at[1])
                continue;
            const double weight = trees.weights[leaf];
            total = aggregate < 2 ? total + weight : aggregate == 2 ? std::min(total, weight) : std::max(total, weight);
        }
        if (std::isinf(total))
            return 0.0;
        return aggregate == 0 ? total / static_cast<double>(trees.roots.size()) : total;
    });
    Drawn drawn{.text = {.node = {.op = "TreeEnsemble", .domain = "ai.onnx.ml"}, .opset = 5, .domain = "ai.onnx.ml"},
                .inputs = {x},
                .outputs = {y},
                .note = format("aggregate {}", aggregate)};
    drawn.text.node.attributes = {integersAttribute("nodes_featureids", trees.features),
                                  integersAttribute("nodes_truenodeids", trees.whenTrue),
                                  integersAttribute("nodes_falsenodeids", trees.whenFalse),
                                  integersAttribute("nodes_trueleafs", trees.trueLeafs),
                                  integersAttribute("nodes_falseleafs", trees.falseLeafs),
                                  integersAttribute("nodes_missing_value_tracks_true", trees.missing),
                                  integersAttribute("leaf_targetids", trees.targets),
                                  integersAttribute("tree_roots", trees.roots),
                                  integerAttribute("n_targets", trees.outputs),
                                  integerAttribute("aggregate_function", aggregate),
                                  bytes("nodes_modes", trees.modes),
                                  doubles("nodes_splits", trees.splits),
                                  doubles("leaf_weights", trees.weights)};
    if (!trees.members.empty())
        drawn.text.node.attributes.push_back(doubles("membership_values", trees.members));
    return drawn;
}

} // namespace

TEST(LearningDefinitions, ofTreeEnsemble)
{
    checkDefinition(drawTrees, 60);
}

// The same trees as nodes with numbers of their own; base values are added at the end.
TEST(LearningDefinitions, ofTreeEnsembleRegressor)
{
    checkDefinition(
        [](Draw &draw) {
            constexpr std::int64_t kFirstLeaf = 1000;
            constexpr const char *kModes[] = {"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"};
            Trees trees;
            trees.outputs = draw.number(1, 3);
            const std::int64_t features = draw.number(1, 4);
            Places treeIds, nodeIds, whenTrue, whenFalse, used, missing, targetTrees, targetNodes;
            std::vector<std::string> modes;
            std::vector<double> values, weights;
            const auto add = [&](std::int64_t tree, std::int64_t node) {
                treeIds.push_back(tree);
                nodeIds.push_back(node);
            };
            for (std::int64_t tree = draw.number(1, 3) - 1; tree >= 0; --tree) {
                const std::size_t firstNode = trees.features.size();
                const std::size_t firstLeaf = trees.weights.size();
                trees.roots.push_back(grow(draw, trees, features, 3).first);
                for (std::size_t i = firstNode; i < trees.features.size(); ++i) {
                    trees.modes[i] = std::min(trees.modes[i], 5.0);
                    add(tree, static_cast<std::int64_t>(i));
                    modes.emplace_back(kModes[static_cast<std::size_t>(trees.modes[i])]);
                    values.push_back(trees.splits[i]);
                    used.push_back(trees.features[i]);
                    missing.push_back(trees.missing[i]);
                    whenTrue.push_back(trees.whenTrue[i] + (trees.trueLeafs[i] != 0 ? kFirstLeaf : 0));
                    whenFalse.push_back(trees.whenFalse[i] + (trees.falseLeafs[i] != 0 ? kFirstLeaf : 0));
                }
                for (std::size_t i = firstLeaf; i < trees.weights.size(); ++i) {
                    add(tree, kFirstLeaf + static_cast<std::int64_t>(i));
                    modes.emplace_back("LEAF");
                    values.push_back(0);
                    for (Places *list : {&used, &missing, &whenTrue, &whenFalse})
                        list->push_back(0);
                    targetTrees.push_back(tree);
                    targetNodes.push_back(kFirstLeaf + static_cast<std::int64_t>(i));
                    weights.push_back(trees.weights[i]);
                }
            }
            const Numbers x = draw.numbers({draw.number(1, 5), features}, draw.oneOf({DType::F32, DType::F64, DType::I64}), 2);
            const bool isAverage = draw.chance(30);
            const Numbers y = computed({x.extents[0], trees.outputs}, DType::F32, [&](const Places &at) {
                double total = 0;
                for (const std::int64_t root : trees.roots) {
                    const std::size_t leaf = leafOf(trees, root, [&](std::int64_t feature) { return x.at({at[0], feature}); });
                    total += trees.targets[leaf] == at[1] ? trees.weights[leaf] : 0;
                }
                return total / (isAverage ? static_cast<double>(trees.roots.size()) : 1) + 0.5 * static_cast<double>(at[1]);
            });
            std::vector<double> base;
            for (std::int64_t i = 0; i < trees.outputs; ++i)
                base.push_back(0.5 * static_cast<double>(i));
            Drawn drawn{
                .text = {.node = {.op = "TreeEnsembleRegressor", .domain = "ai.onnx.ml"}, .opset = 1, .domain = "ai.onnx.ml"},
                .inputs = {x},
                .outputs = {y}};
            drawn.text.node.attributes = {integersAttribute("nodes_treeids", treeIds),
                                          integersAttribute("nodes_nodeids", nodeIds),
                                          integersAttribute("nodes_featureids", used),
                                          integersAttribute("nodes_truenodeids", whenTrue),
                                          integersAttribute("nodes_falsenodeids", whenFalse),
                                          integersAttribute("nodes_missing_value_tracks_true", missing),
                                          integersAttribute("target_treeids", targetTrees),
                                          integersAttribute("target_nodeids", targetNodes),
                                          integersAttribute("target_ids", trees.targets),
                                          integerAttribute("n_targets", trees.outputs),
                                          textAttribute("aggregate_function", isAverage ? "AVERAGE" : "SUM"),
                                          textsAttribute("nodes_modes", modes),
                                          numbersAttribute("nodes_values", values),
                                          numbersAttribute("target_weights", weights),
                                          numbersAttribute("base_values", base)};
            return drawn;
        },
        40);
}

TEST(LearningDefinitions, ofLabelEncoder)
{
    checkDefinition([](Draw &draw) {
        const bool hasIntegerKeys = draw.chance(50);
        const bool hasIntegerValues = draw.chance(50);
        const Numbers x = draw.numbers(draw.extents(1, 3), hasIntegerKeys ? DType::I64 : DType::F32, 2);
        const Numbers keys = draw.different({draw.number(1, 4)}, x.dtype);
        const Numbers values = draw.numbers(keys.extents, hasIntegerValues ? DType::I64 : DType::F32);
        Drawn drawn{.text = {.node = {.op = "LabelEncoder", .domain = "ai.onnx.ml"}, .opset = 2, .domain = "ai.onnx.ml"},
                    .inputs = {x},
                    .outputs = {computed(x.extents, values.dtype, [&](const Places &at) {
                        const auto key = std::ranges::find(keys.elements, x.at(at));
                        return key == keys.elements.end()
                                   ? (hasIntegerValues ? 7 : 0.25)
                                   : values.elements[static_cast<std::size_t>(key - keys.elements.begin())];
                    })}};
        const auto list = [&](const std::string &name, const Numbers &numbers) {
            drawn.text.node.attributes.push_back(
                isInteger(numbers.dtype)
                    ? integersAttribute(name + "_int64s", {numbers.elements.begin(), numbers.elements.end()})
                    : numbersAttribute(name + "_floats", {numbers.elements.begin(), numbers.elements.end()}));
        };
        list("keys", keys);
        list("values", values);
        drawn.text.node.attributes.push_back(integerAttribute("default_int64", 7));
        drawn.text.node.attributes.push_back(numberAttribute("default_float", 0.25F));
        return drawn;
    });
}

TEST(LearningDefinitions, ofScalerAndLinearRegressor)
{
    checkDefinition([](Draw &draw) {
        const Numbers x = draw.numbers({draw.number(1, 3), draw.number(1, 3)}, draw.oneOf({DType::F32, DType::F64, DType::I64}));
        const Numbers offset = draw.numbers({draw.chance(50) ? 1 : x.extents[1]});
        const Numbers scale = draw.numbers({draw.chance(50) ? 1 : x.extents[1]});
        return Drawn{
            .text = {.node = {.op = "Scaler",
                              .attributes = {numbersAttribute("offset", {offset.elements.begin(), offset.elements.end()}),
                                             numbersAttribute("scale", {scale.elements.begin(), scale.elements.end()})},
                              .domain = "ai.onnx.ml"},
                     .opset = 1,
                     .domain = "ai.onnx.ml"},
            .inputs = {x},
            .outputs = {computed(x.extents, DType::F32,
                                 [&](const Places &at) { return (x.at(at) - offset.broadcastAt(at)) * scale.broadcastAt(at); })}};
    });
    checkDefinition([](Draw &draw) {
        const std::int64_t targets = draw.number(1, 3);
        const Numbers x = draw.numbers({draw.number(1, 3), draw.number(1, 3)}, draw.oneOf({DType::F32, DType::F64, DType::I64}));
        const Numbers weights = draw.numbers({targets, x.extents[1]});
        const Numbers intercepts = draw.numbers({targets});
        return Drawn{
            .text = {.node = {.op = "LinearRegressor",
                              .attributes = {numbersAttribute("coefficients", {weights.elements.begin(), weights.elements.end()}),
                                             numbersAttribute("intercepts",
                                                              {intercepts.elements.begin(), intercepts.elements.end()}),
                                             integerAttribute("targets", targets)},
                              .domain = "ai.onnx.ml"},
                     .opset = 1,
                     .domain = "ai.onnx.ml"},
            .inputs = {x},
            .outputs = {computed({x.extents[0], targets}, DType::F32, [&](const Places &at) {
                double sum = intercepts.at({at[1]});
                for (std::int64_t i = 0; i < x.extents[1]; ++i)
                    sum += x.at({at[0], i}) * weights.at({at[1], i});
                return sum;
            })}};
    });
}

TEST(LearningDefinitions, refusesTreesThatAreNone)
{
    Draw draw(3);
    Drawn drawn = drawTrees(draw);
    for (Message &attribute : drawn.text.node.attributes)
        if (attribute.bytes().find("nodes_truenodeids") != std::string::npos)
            attribute = integersAttribute("nodes_truenodeids", Places(1, 0));
    const ModelResult result = importOperator(drawn.text, {drawn.inputs[0].tensor()});
    ASSERT_FALSE(result.graph);
    EXPECT_NE(toText(result.diagnostics).find("nodes_truenodeids has 1 elements, expected"), std::string::npos)
        << toText(result.diagnostics);
}

// A node that leads to itself would be walked for ever.
TEST(LearningDefinitions, refusesTreesThatGoInCircles)
{
    OperatorText text{.node = {.op = "TreeEnsemble", .domain = "ai.onnx.ml"}, .opset = 5, .domain = "ai.onnx.ml"};
    text.node.attributes = {integersAttribute("nodes_featureids", {0}),
                            integersAttribute("nodes_truenodeids", {0}),
                            integersAttribute("nodes_falsenodeids", {0}),
                            integersAttribute("nodes_trueleafs", {0}),
                            integersAttribute("nodes_falseleafs", {1}),
                            integersAttribute("leaf_targetids", {0}),
                            integersAttribute("tree_roots", {0}),
                            bytes("nodes_modes", {0}),
                            doubles("nodes_splits", {0}),
                            doubles("leaf_weights", {1})};
    const ModelResult result = importOperator(text, {floats({1, 1}, {1})});
    ASSERT_FALSE(result.graph);
    EXPECT_NE(toText(result.diagnostics).find("node 0 has more than one way to it"), std::string::npos)
        << toText(result.diagnostics);
}

} // namespace sw::test
