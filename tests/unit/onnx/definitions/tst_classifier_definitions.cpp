// Classical learning that gives labels and scores, and sums over support vectors.

#include "tests/unit/onnx/definitions/definition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sw::test {

namespace {

using Reals = std::vector<double>;

constexpr const char *kDomain = "ai.onnx.ml";

OperatorText learned(std::string op, std::vector<Message> attributes, std::size_t outputs = 1)
{
    return {.node = {.op = std::move(op), .attributes = std::move(attributes), .domain = kDomain},
            .opset = 1,
            .outputs = outputs,
            .domain = kDomain};
}

Reals after(Reals scores, const std::string &name)
{
    const double largest = *std::ranges::max_element(scores);
    double total = 0;
    for (double &score : scores) {
        if (name == "LOGISTIC")
            score = 1 / (1 + std::exp(-score));
        else if (name == "SOFTMAX" || (name == "SOFTMAX_ZERO" && score != 0))
            score = std::exp(score - largest);
        total += score;
    }
    if (name.starts_with("SOFTMAX"))
        for (double &score : scores)
            score /= total;
    return scores;
}

// The labels of the best scores, or of the most votes, and the scores.
std::vector<Numbers> classified(const Places &labels, const std::vector<Reals> &scores, const std::vector<Reals> &votes)
{
    const auto rows = static_cast<std::int64_t>(scores.size());
    const Numbers chosen = computed({rows}, DType::I64, [&](const Places &at) {
        const Reals &row = votes[static_cast<std::size_t>(at[0])];
        return static_cast<double>(labels[static_cast<std::size_t>(std::ranges::max_element(row) - row.begin())]);
    });
    return {chosen, computed({rows, static_cast<std::int64_t>(scores.front().size())}, DType::F32, [&](const Places &at) {
                return scores[static_cast<std::size_t>(at[0])][static_cast<std::size_t>(at[1])];
            })};
}

Places labelsOf(Draw &draw, std::int64_t classes)
{
    const Numbers different = draw.different({classes}, DType::I64);
    return {different.elements.begin(), different.elements.end()};
}

double kernelOf(const std::string &kind, const Reals &a, const Reals &b, const Reals &parameters)
{
    double product = 0;
    double apart = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        product += a[i] * b[i];
        apart += (a[i] - b[i]) * (a[i] - b[i]);
    }
    if (kind == "LINEAR")
        return product;
    if (kind == "RBF")
        return std::exp(-parameters[0] * apart);
    const double moved = parameters[0] * product + parameters[1];
    return kind == "POLY" ? std::pow(moved, parameters[2]) : std::tanh(moved);
}

Reals rowOf(const Numbers &x, std::int64_t row)
{
    Reals values;
    for (std::int64_t i = 0; i < x.extents[1]; ++i)
        values.push_back(x.at({row, i}));
    return values;
}

} // namespace

TEST(ClassifierDefinitions, ofLinearClassifier)
{
    checkDefinition([](Draw &draw) {
        const std::int64_t classes = draw.number(2, 4);
        const std::int64_t rows = classes == 2 && draw.chance(60) ? 1 : classes;
        const Numbers x = draw.numbers({draw.number(1, 4), draw.number(1, 3)}, draw.oneOf({DType::F32, DType::F64, DType::I64}));
        const Numbers weights = draw.numbers({rows, x.extents[1]});
        const Numbers intercepts = draw.numbers({rows});
        const std::string name = draw.oneOf({"NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO"});
        const Places labels = labelsOf(draw, classes);
        std::vector<Reals> scores;
        for (std::int64_t n = 0; n < x.extents[0]; ++n) {
            Reals row;
            for (std::int64_t c = 0; c < rows; ++c) {
                const Reals features = rowOf(x, n);
                row.push_back(std::inner_product(features.begin(), features.end(), rowOf(weights, c).begin(),
                                                 intercepts.elements[static_cast<std::size_t>(c)]));
            }
            if (rows == 1)
                row = {-row[0], row[0]};
            scores.push_back(row);
        }
        std::vector<Reals> given;
        for (const Reals &row : scores)
            given.push_back(after(row, name));
        return Drawn{.text = learned("LinearClassifier",
                                     {numbersAttribute("coefficients", weights.elements),
                                      numbersAttribute("intercepts", intercepts.elements),
                                      integersAttribute("classlabels_ints", labels), textAttribute("post_transform", name)},
                                     2),
                     .inputs = {x},
                     .outputs = classified(labels, given, given),
                     .relative = 2e-5,
                     .note = name};
    });
}

// A branch and two leaves each: walks down deeper trees are those of the regressor.
TEST(ClassifierDefinitions, ofTreeEnsembleClassifier)
{
    checkDefinition(
        [](Draw &draw) {
            const std::int64_t classes = draw.number(2, 4);
            const bool isSingle = classes == 2 && draw.chance(60);
            const bool areProbabilities = !isSingle || draw.chance(50);
            const std::string name = !isSingle          ? draw.oneOf({"NONE", "SOFTMAX", "LOGISTIC"})
                                     : areProbabilities ? "NONE"
                                                        : draw.oneOf({"LOGISTIC", "SOFTMAX"});
            const std::int64_t only = draw.number(0, 1);
            const Numbers x = draw.numbers({draw.number(1, 5), draw.number(1, 3)}, draw.oneOf({DType::F32, DType::F64}), 2);
            Places trees, nodes, features, whenTrue, whenFalse, classTrees, classNodes, classIds;
            std::vector<std::string> modes;
            Reals splits, weights;
            std::vector<Reals> totals(static_cast<std::size_t>(x.extents[0]), Reals(static_cast<std::size_t>(classes), 0));
            const std::int64_t count = draw.number(1, 3);
            for (std::int64_t tree = 0; tree < count; ++tree) {
                const std::int64_t feature = draw.number(0, x.extents[1] - 1);
                const double split = static_cast<double>(draw.number(-4, 4)) / 2;
                for (std::int64_t node = 0; node < 3; ++node) {
                    trees.push_back(tree);
                    nodes.push_back(node);
                    features.push_back(feature);
                    whenTrue.push_back(node == 0 ? 1 : 0);
                    whenFalse.push_back(node == 0 ? 2 : 0);
                    modes.emplace_back(node == 0 ? "BRANCH_LEQ" : "LEAF");
                    splits.push_back(split);
                }
                for (std::int64_t leaf = 1; leaf < 3; ++leaf)
                    for (std::int64_t c = 0; c < (isSingle ? 1 : classes); ++c) {
                        // One that is below 0 and one above it, or none below it.
                        const double weight = areProbabilities ? static_cast<double>(draw.number(0, 8)) / 8
                                              : leaf == 1      ? -static_cast<double>(draw.number(1, 8)) / 4
                                                               : static_cast<double>(draw.number(1, 8)) / 4;
                        classTrees.push_back(tree);
                        classNodes.push_back(leaf);
                        classIds.push_back(isSingle ? only : c);
                        weights.push_back(weight);
                        for (std::int64_t n = 0; n < x.extents[0]; ++n)
                            if ((x.at({n, feature}) <= split) == (leaf == 1))
                                totals[static_cast<std::size_t>(n)][static_cast<std::size_t>(c)] += weight;
                    }
            }
            std::vector<Reals> scores;
            for (const Reals &row : totals) {
                const Reals both = !isSingle ? row : areProbabilities ? Reals{1 - row[0], row[0]} : Reals{-row[0], row[0]};
                scores.push_back(after(both, name));
            }
            const Places labels = labelsOf(draw, classes);
            return Drawn{.text = learned(
                             "TreeEnsembleClassifier",
                             {integersAttribute("nodes_treeids", trees), integersAttribute("nodes_nodeids", nodes),
                              integersAttribute("nodes_featureids", features), integersAttribute("nodes_truenodeids", whenTrue),
                              integersAttribute("nodes_falsenodeids", whenFalse), textsAttribute("nodes_modes", modes),
                              numbersAttribute("nodes_values", splits), integersAttribute("class_treeids", classTrees),
                              integersAttribute("class_nodeids", classNodes), integersAttribute("class_ids", classIds),
                              numbersAttribute("class_weights", weights), integersAttribute("classlabels_int64s", labels),
                              textAttribute("post_transform", name)},
                             2),
                         .inputs = {x},
                         .outputs = classified(labels, scores, scores),
                         .relative = 2e-5,
                         .note = format("{}{}", name, isSingle ? ", one class" : "")};
        },
        60);
}

TEST(ClassifierDefinitions, ofSvmRegressor)
{
    checkDefinition([](Draw &draw) {
        const Numbers x = draw.numbers({draw.number(1, 4), draw.number(1, 3)}, draw.oneOf({DType::F32, DType::I64}), 2);
        const std::int64_t count = draw.number(0, 3);
        const std::string kind = count == 0 ? "LINEAR" : draw.oneOf({"LINEAR", "POLY", "RBF", "SIGMOID"});
        const Numbers vectors = draw.numbers({count, x.extents[1]}, DType::F32, 2);
        const Numbers weights = draw.numbers({count == 0 ? x.extents[1] : count}, DType::F32, 2);
        const Reals parameters{0.25, 0.5, static_cast<double>(draw.number(2, 3))};
        const bool isOneClass = draw.chance(30);
        const Numbers y = computed({x.extents[0], 1}, DType::F32, [&](const Places &at) {
            double sum = 0.125;
            for (std::size_t i = 0; i < weights.elements.size(); ++i)
                sum += weights.elements[i] *
                       (count == 0 ? rowOf(x, at[0])[i]
                                   : kernelOf(kind, rowOf(x, at[0]), rowOf(vectors, static_cast<std::int64_t>(i)), parameters));
            return !isOneClass ? sum : sum > 0 ? 1 : -1;
        });
        return Drawn{.text = learned("SVMRegressor",
                                     {numbersAttribute("coefficients", weights.elements),
                                      numbersAttribute("kernel_params", parameters), textAttribute("kernel_type", kind),
                                      integerAttribute("n_supports", count), integerAttribute("one_class", isOneClass ? 1 : 0),
                                      numbersAttribute("rho", {0.125}), numbersAttribute("support_vectors", vectors.elements)}),
                     .inputs = {x},
                     .outputs = {y},
                     .relative = 1e-4,
                     .note = kind};
    });
}

TEST(ClassifierDefinitions, ofSvmClassifier)
{
    checkDefinition([](Draw &draw) {
        const std::int64_t classes = draw.number(2, 4);
        const Numbers x = draw.numbers({draw.number(1, 4), draw.number(1, 3)}, DType::F32, 2);
        const std::string kind = draw.oneOf({"LINEAR", "POLY", "RBF"});
        const Reals parameters{0.25, 0.5, 2};
        Places counts, starts;
        std::int64_t all = 0;
        for (std::int64_t c = 0; c < classes; ++c) {
            starts.push_back(all);
            counts.push_back(draw.number(1, 3));
            all += counts.back();
        }
        const Numbers vectors = draw.numbers({all, x.extents[1]}, DType::F32, 2);
        const Numbers weights = draw.numbers({classes - 1, all}, DType::F32, 2);
        Reals rho; // no sum of the weights' quarters, so that no score is 0
        for (std::int64_t i = 0; i < classes * (classes - 1) / 2; ++i)
            rho.push_back(static_cast<double>(draw.number(-4, 4)) / 4 + 0.109375);
        const Places labels = labelsOf(draw, classes);
        std::vector<Reals> scores, votes;
        for (std::int64_t n = 0; n < x.extents[0]; ++n) {
            Reals pairs;
            Reals won(static_cast<std::size_t>(classes), 0);
            for (std::int64_t i = 0; i < classes; ++i)
                for (std::int64_t j = i + 1; j < classes; ++j) {
                    double score = rho[pairs.size()];
                    const auto add = [&](std::int64_t of, std::int64_t row) {
                        const auto c = static_cast<std::size_t>(of);
                        for (std::int64_t v = starts[c]; v < starts[c] + counts[c]; ++v)
                            score += weights.at({row, v}) * kernelOf(kind, rowOf(x, n), rowOf(vectors, v), parameters);
                    };
                    add(i, j - 1);
                    add(j, i);
                    won[static_cast<std::size_t>(score > 0 ? i : j)] += 1;
                    pairs.push_back(score);
                }
            scores.push_back(classes == 2 ? Reals{-pairs[0], pairs[0]} : pairs);
            votes.push_back(won);
        }
        return Drawn{.text =
                         learned("SVMClassifier",
                                 {numbersAttribute("coefficients", weights.elements),
                                  numbersAttribute("kernel_params", parameters), textAttribute("kernel_type", kind),
                                  numbersAttribute("rho", rho), numbersAttribute("support_vectors", vectors.elements),
                                  integersAttribute("vectors_per_class", counts), integersAttribute("classlabels_ints", labels)},
                                 2),
                     .inputs = {x},
                     .outputs = classified(labels, scores, votes),
                     .relative = 1e-4,
                     .note = kind};
    });
}

// Programs differ in what they make of these; labels that are strings have no type here.
TEST(ClassifierDefinitions, refuseWhatIsLeftOpenAndStrings)
{
    const auto errorOf = [](const OperatorText &text) {
        const ModelResult result = importOperator(text, {floats({1, 1}, {1})});
        EXPECT_FALSE(result.graph);
        return toText(result.diagnostics);
    };
    OperatorText text = learned("TreeEnsembleClassifier",
                                {integersAttribute("nodes_treeids", {0}), integersAttribute("nodes_nodeids", {0}),
                                 integersAttribute("nodes_featureids", {0}), integersAttribute("nodes_truenodeids", {0}),
                                 integersAttribute("nodes_falsenodeids", {0}), textsAttribute("nodes_modes", {"LEAF"}),
                                 numbersAttribute("nodes_values", {0}), integersAttribute("class_treeids", {0}),
                                 integersAttribute("class_nodeids", {0}), integersAttribute("class_ids", {1}),
                                 numbersAttribute("class_weights", {-1}), integersAttribute("classlabels_int64s", {0, 1})},
                                2);
    EXPECT_NE(errorOf(text).find("one class with weights of both signs and post_transform NONE"), std::string::npos)
        << errorOf(text);
    const OperatorText named = learned("LinearClassifier",
                                       {numbersAttribute("coefficients", {1, 2}), numbersAttribute("intercepts", {0, 0}),
                                        textsAttribute("classlabels_strings", {"a", "b"})},
                                       2);
    EXPECT_NE(errorOf(named).find("labels that are strings are not supported, only the scores"), std::string::npos)
        << errorOf(named);
}

} // namespace sw::test
