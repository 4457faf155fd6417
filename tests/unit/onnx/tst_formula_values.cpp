// Operators that are formulas, against references written out here, over random shapes and attributes.

#include "tests/unit/onnx/operator_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace sw::test {

namespace {

constexpr int kRounds = 25;

std::int64_t pick(std::mt19937 &random, std::int64_t low, std::int64_t high)
{
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

// The element of a row-major tensor [outer, n, inner].
struct Line {
    std::int64_t outer, n, inner;
    [[nodiscard]] std::size_t at(std::int64_t a, std::int64_t i, std::int64_t b) const
    {
        return static_cast<std::size_t>((a * n + i) * inner + b);
    }
};

void expectNear(const std::vector<double> &found, const std::vector<double> &expected, double relative = 1e-5)
{
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
        EXPECT_NEAR(found[i], expected[i], relative * std::max(1.0, std::abs(expected[i]))) << "element " << i;
}

} // namespace

TEST(OnnxFormulaValues, triluKeepsOneSideOfTheDiagonal)
{
    std::mt19937 random(1);
    for (int round = 0; round < kRounds; ++round) {
        const std::int64_t batch = pick(random, 1, 3);
        const std::int64_t rows = pick(random, 0, 5);
        const std::int64_t columns = pick(random, 1, 5);
        const std::int64_t k = pick(random, -7, 7);
        const std::int64_t upper = pick(random, 0, 1);
        const HostTensor x = randomFloats(random, {batch, rows, columns});
        const auto y = outputsOf({.node = {.op = "Trilu", .attributes = {integerAttribute("upper", upper)}}, .opset = 14},
                                 {x, integers({}, {static_cast<double>(k)})});
        ASSERT_EQ(y.size(), 1U);
        std::vector<double> expected = elementsOf(x);
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const auto place = static_cast<std::int64_t>(i);
            const std::int64_t above = place % columns - place / columns % rows;
            if (upper != 0 ? above < k : above > k)
                expected[i] = 0;
        }
        EXPECT_EQ(elementsOf(y[0]), expected) << "k " << k << " upper " << upper;
    }
}

// Few of many are found one after the other by keys; f64, which has no keys, ranks all of them. NaN is above all numbers, zeros
// are alike, and of equal ones the first comes first.
TEST(OnnxFormulaValues, theLargestByKeysAreTheLargestByRanks)
{
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    const std::vector<double> kinds = {0.0,   -0.0,  1,      -1,        1.5,        -1.5,  3e38,
                                       -3e38, 1e-45, -1e-45, kInfinite, -kInfinite, kNone, -kNone};
    std::mt19937 random(8);
    for (const std::int64_t k : {1, 3, 16, 17, 25})
        for (const std::int64_t largest : {0, 1}) {
            SCOPED_TRACE(format("k {} largest {}", k, largest));
            constexpr std::int64_t kCount = 100;
            std::vector<double> elements(2 * kCount);
            for (double &each : elements)
                each = kinds[random() % kinds.size()];
            const OperatorText text{.node = {.op = "TopK", .attributes = {integerAttribute("largest", largest)}}, .outputs = 2};
            const HostTensor x = floats({2, kCount}, elements);
            const auto byKeys = outputsOf(text, {x, integers({1}, {static_cast<double>(k)})});
            HostTensor wide(DType::F64, x.shape());
            for (std::int64_t i = 0; i < x.elements(); ++i)
                wide.set(i, x.at(i).castTo(DType::F64));
            const auto byRanks = outputsOf(text, {wide, integers({1}, {static_cast<double>(k)})});
            ASSERT_EQ(byKeys.size(), 2U);
            ASSERT_EQ(byRanks.size(), 2U);
            EXPECT_EQ(elementsOf(byKeys[1]), elementsOf(byRanks[1]));
            for (std::int64_t i = 0; i < 2 * k; ++i) {
                const double found = byKeys[0].at(i).asDouble();
                const double expected = byRanks[0].at(i).asDouble();
                EXPECT_TRUE(found == expected || (std::isnan(found) && std::isnan(expected))) << found << " " << expected;
            }
        }
}

// Too many to be ranked.
TEST(OnnxFormulaValues, theLargestOfALongAxis)
{
    std::mt19937 random(9);
    const HostTensor x = randomFloats(random, {20000}, 100000);
    const auto y = outputsOf({.node = {.op = "TopK"}, .outputs = 2}, {x, integers({1}, {40})});
    ASSERT_EQ(y.size(), 2U);
    std::vector<double> sorted = elementsOf(x);
    std::ranges::sort(sorted, std::greater());
    sorted.resize(40);
    EXPECT_EQ(elementsOf(y[0]), sorted);
    for (std::int64_t i = 0; i < 40; ++i)
        EXPECT_EQ(x.at(static_cast<std::int64_t>(y[1].at(i).asDouble())).asDouble(), sorted[static_cast<std::size_t>(i)]);
}

TEST(OnnxFormulaValues, cumulativeSumsAndProducts)
{
    std::mt19937 random(2);
    for (int round = 0; round < kRounds; ++round) {
        const Line line{pick(random, 1, 3), round < 5 ? pick(random, 33, 2100) : pick(random, 1, 40), pick(random, 1, 3)};
        const bool isProduct = pick(random, 0, 1) == 1;
        const bool isExclusive = pick(random, 0, 1) == 1;
        const bool isReverse = pick(random, 0, 1) == 1;
        const HostTensor x = randomFloats(random, {line.outer, line.n, line.inner}, isProduct ? 1 : 8);
        const auto y = outputsOf({.node = {.op = isProduct ? "CumProd" : "CumSum",
                                           .attributes = {integerAttribute("exclusive", isExclusive ? 1 : 0),
                                                          integerAttribute("reverse", isReverse ? 1 : 0)}},
                                  .opset = 26},
                                 {x, integers({}, {-2})});
        ASSERT_EQ(y.size(), 1U);
        const std::vector<double> from = elementsOf(x);
        std::vector<double> expected(from.size());
        for (std::int64_t a = 0; a < line.outer; ++a)
            for (std::int64_t b = 0; b < line.inner; ++b) {
                double total = isProduct ? 1 : 0;
                for (std::int64_t step = 0; step < line.n; ++step) {
                    const std::size_t at = line.at(a, isReverse ? line.n - 1 - step : step, b);
                    const double next = isProduct ? total * from[at] : total + from[at];
                    expected[at] = isExclusive ? total : next;
                    total = next;
                }
            }
        expectNear(elementsOf(y[0]), expected);
    }
}

TEST(OnnxFormulaValues, cumulativeSumsOfIntegersKeepTheirType)
{
    const auto y = outputsOf({.node = {.op = "CumSum"}}, {integers({3}, {1, 2, 3}), integers({}, {0})});
    ASSERT_EQ(y.size(), 1U);
    EXPECT_EQ(y[0].dtype(), DType::I64);
    EXPECT_EQ(elementsOf(y[0]), (std::vector<double>{1, 3, 6}));
}

TEST(OnnxFormulaValues, eyeLikeHasOnesOnItsDiagonal)
{
    for (const std::int64_t k : {-2, -1, 0, 1, 4}) {
        const auto y =
            outputsOf({.node = {.op = "EyeLike", .attributes = {integerAttribute("k", k), integerAttribute("dtype", 6)}}},
                      {HostTensor(DType::F32, {3, 4})});
        ASSERT_EQ(y.size(), 1U);
        EXPECT_EQ(y[0].dtype(), DType::I32);
        for (std::int64_t i = 0; i < 12; ++i)
            EXPECT_EQ(y[0].at(i).asInt(), i % 4 - i / 4 == k ? 1 : 0) << k << " " << i;
    }
}

TEST(OnnxFormulaValues, hardmaxMarksTheFirstLargest)
{
    const HostTensor x = floats({2, 2, 2}, {1, 3, 3, 0, -1, -1, -2, -1});
    EXPECT_EQ(elementsOf(outputsOf({.node = {.op = "Hardmax"}, .opset = 13}, {x}).at(0)),
              (std::vector<double>{0, 1, 1, 0, 1, 0, 0, 1}));
    // Before opset 13 all axes from one on are as one.
    EXPECT_EQ(elementsOf(outputsOf({.node = {.op = "Hardmax"}, .opset = 11}, {x}).at(0)),
              (std::vector<double>{0, 1, 0, 0, 1, 0, 0, 0}));
}

TEST(OnnxFormulaValues, centerCropPadCutsAndPadsAtBothEnds)
{
    std::mt19937 random(3);
    for (int round = 0; round < kRounds; ++round) {
        const std::int64_t n = pick(random, 1, 9);
        const std::int64_t goal = pick(random, 1, 9);
        const HostTensor x = randomFloats(random, {2, n});
        const auto y = outputsOf({.node = {.op = "CenterCropPad", .attributes = {integersAttribute("axes", {-1})}}},
                                 {x, integers({1}, {static_cast<double>(goal)})});
        ASSERT_EQ(y.size(), 1U);
        ASSERT_EQ(y[0].shape(), (Shape{2, goal}));
        // The place in x of the first element of the result; negative when zeros stand before.
        const std::int64_t first = n >= goal ? (n - goal) / 2 : -((goal - n) / 2);
        for (std::int64_t row = 0; row < 2; ++row)
            for (std::int64_t i = 0; i < goal; ++i) {
                const std::int64_t from = first + i;
                const double expected = from >= 0 && from < n ? x.at(row * n + from).asDouble() : 0;
                EXPECT_EQ(y[0].at(row * goal + i).asDouble(), expected) << n << " to " << goal;
            }
    }
}

TEST(OnnxFormulaValues, lpNormalizationOfNothingIsNothing)
{
    const HostTensor x = floats({2, 2}, {3, -4, 0, 0});
    expectNear(elementsOf(outputsOf({.node = {.op = "LpNormalization"}}, {x}).at(0)), {0.6, -0.8, 0, 0});
    expectNear(elementsOf(outputsOf({.node = {.op = "LpNormalization", .attributes = {integerAttribute("p", 1)}}}, {x}).at(0)),
               {3.0 / 7, -4.0 / 7, 0, 0});
}

TEST(OnnxFormulaValues, shiftsAndComplementsOfBits)
{
    const HostTensor x = HostTensor::ofValues(DType::U8, {3}, std::vector<double>{1, 200, 255});
    const HostTensor by = HostTensor::ofValues(DType::U8, {3}, std::vector<double>{7, 1, 8});
    const auto shifted = [&](std::string_view direction) {
        return elementsOf(
            outputsOf({.node = {.op = "BitShift", .attributes = {textAttribute("direction", direction)}}}, {x, by}).at(0));
    };
    EXPECT_EQ(shifted("LEFT"), (std::vector<double>{128, 144, 0}));
    EXPECT_EQ(shifted("RIGHT"), (std::vector<double>{0, 100, 0}));
    EXPECT_EQ(elementsOf(outputsOf({.node = {.op = "BitwiseNot"}}, {x}).at(0)), (std::vector<double>{254, 55, 0}));
}

TEST(OnnxFormulaValues, lossesCountByWeightAndLeaveOutTheIgnored)
{
    std::mt19937 random(4);
    for (int round = 0; round < kRounds; ++round) {
        const std::int64_t items = pick(random, 1, 3);
        const std::int64_t classes = pick(random, 2, 4);
        const std::int64_t places = pick(random, 1, 3);
        const std::string reduction =
            std::vector<std::string>{"none", "sum", "mean"}[static_cast<std::size_t>(pick(random, 0, 2))];
        const HostTensor scores = randomFloats(random, {items, classes, places}, 3);
        std::vector<double> labels;
        for (std::int64_t i = 0; i < items * places; ++i)
            labels.push_back(static_cast<double>(pick(random, -1, classes - 1))); // -1 is ignored
        labels[0] = 0;                                                            // at least one counts
        std::vector<double> weights;
        for (std::int64_t i = 0; i < classes; ++i)
            weights.push_back(static_cast<double>(pick(random, 1, 4)));
        const auto y =
            outputsOf({.node = {.op = "SoftmaxCrossEntropyLoss",
                                .attributes = {textAttribute("reduction", reduction), integerAttribute("ignore_index", -1)}},
                       .outputs = 2},
                      {scores, integers({items, places}, labels), floats({classes}, weights)});
        ASSERT_EQ(y.size(), 2U);
        double loss = 0;
        double weight = 0;
        std::vector<double> losses;
        for (std::int64_t n = 0; n < items; ++n)
            for (std::int64_t p = 0; p < places; ++p) {
                const auto score = [&](std::int64_t c) { return scores.at((n * classes + c) * places + p).asDouble(); };
                double sum = 0;
                for (std::int64_t c = 0; c < classes; ++c)
                    sum += std::exp(score(c));
                const double label = labels[static_cast<std::size_t>(n * places + p)];
                const auto place = static_cast<std::int64_t>(label);
                const double counts = label < 0 ? 0 : weights[static_cast<std::size_t>(place)];
                losses.push_back(label < 0 ? 0 : (std::log(sum) - score(place)) * counts);
                loss += losses.back();
                weight += counts;
                EXPECT_NEAR(y[1].at((n * classes) * places + p).asDouble(), score(0) - std::log(sum), 1e-4);
            }
        if (reduction != "none")
            losses = {reduction == "sum" ? loss : loss / weight};
        expectNear(elementsOf(y[0]), losses, 1e-4);
    }
}

TEST(OnnxFormulaValues, batchNormalizationInTrainingUsesTheBatch)
{
    const HostTensor x = floats({2, 2, 2}, {1, 3, 10, 10, 5, 7, 30, 30});
    const HostTensor ones = floats({2}, {1, 1});
    const auto y = outputsOf({.node = {.op = "BatchNormalization",
                                       .attributes = {integerAttribute("training_mode", 1), numberAttribute("momentum", 0.5F),
                                                      numberAttribute("epsilon", 0.0F)}},
                              .opset = 15,
                              .outputs = 3},
                             {x, ones, floats({2}, {0, 1}), floats({2}, {0, 10}), ones});
    ASSERT_EQ(y.size(), 3U);
    const double root5 = std::sqrt(5.0);
    expectNear(elementsOf(y[0]), {-3 / root5, -1 / root5, 0, 0, 1 / root5, 3 / root5, 2, 2});
    expectNear(elementsOf(y[1]), {2, 15});
    expectNear(elementsOf(y[2]), {3, 50.5});
}

} // namespace sw::test
