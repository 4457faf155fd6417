// Operators that look up, write and resample, against references written out here, over random shapes and indices.

#include "tests/unit/onnx/operator_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace sw::test {

namespace {

constexpr int kRounds = 20;

std::int64_t pick(std::mt19937 &random, std::int64_t low, std::int64_t high)
{
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

std::size_t place(std::int64_t index)
{
    return static_cast<std::size_t>(index);
}

// Index tuples into the first two axes [a, b], some of them negative, no two the same if they are few enough.
struct Tuples {
    std::vector<double> written;
    std::vector<std::int64_t> flat;
};

Tuples randomTuples(std::mt19937 &random, std::int64_t count, std::int64_t a, std::int64_t b)
{
    std::vector<std::int64_t> all;
    for (std::int64_t i = 0; i < a * b; ++i)
        all.push_back(i);
    std::shuffle(all.begin(), all.end(), random);
    Tuples tuples;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t flat = all[place(i % (a * b))];
        tuples.flat.push_back(flat);
        tuples.written.push_back(static_cast<double>(flat / b - (pick(random, 0, 1) == 1 ? a : 0)));
        tuples.written.push_back(static_cast<double>(flat % b - (pick(random, 0, 1) == 1 ? b : 0)));
    }
    return tuples;
}

// Mirrors at low and high until it lies between them.
double mirrored(double x, double low, double high)
{
    while (x < low || x > high)
        x = x < low ? 2 * low - x : 2 * high - x;
    return x;
}

struct Sampling {
    std::string padding;
    bool isAligned = false;

    [[nodiscard]] double settled(double x, std::int64_t n) const
    {
        const double end = static_cast<double>(n - 1);
        if (padding == "border")
            return std::clamp(x, 0.0, end);
        if (padding == "reflection")
            return isAligned ? mirrored(x, 0, end) : mirrored(x, -0.5, end + 0.5);
        return x;
    }
    [[nodiscard]] double place(double grid, std::int64_t n) const
    {
        const auto extent = static_cast<double>(n);
        return isAligned ? (grid + 1) / 2 * (extent - 1) : ((grid + 1) * extent - 1) / 2;
    }
};

// The two elements that a place on one axis lies between, with their weights.
struct Neighbours {
    double first, share;
};

} // namespace

TEST(OnnxFormulaIndexing, gridSampleMirrorsAndStopsAtTheBorder)
{
    std::mt19937 random(14);
    constexpr std::int64_t kRows = 3;
    constexpr std::int64_t kColumns = 4;
    const HostTensor x = randomFloats(random, {1, 1, kRows, kColumns});
    for (const std::string padding : {"zeros", "border", "reflection"})
        for (const bool isAligned : {false, true}) {
            const Sampling sampling{padding, isAligned};
            std::vector<double> grid;
            for (int i = 0; i < 2 * 30; ++i)
                grid.push_back(static_cast<double>(pick(random, -2000, 2000)) / 1000.0);
            const auto y = outputsOf({.node = {.op = "GridSample",
                                               .attributes = {textAttribute("padding_mode", padding),
                                                              integerAttribute("align_corners", isAligned ? 1 : 0)}}},
                                     {x, floats({1, 5, 6, 2}, grid)});
            ASSERT_EQ(y.size(), 1U);
            const auto neighbours = [&](double at, std::int64_t n) {
                const double inside = sampling.settled(sampling.place(at, n), n);
                return Neighbours{std::floor(inside), inside - std::floor(inside)};
            };
            const auto pixel = [&](double row, double column) {
                const double r = sampling.settled(row, kRows);
                const double c = sampling.settled(column, kColumns);
                const bool isInside = r >= 0 && r < kRows && c >= 0 && c < kColumns;
                return isInside ? x.at(static_cast<std::int64_t>(r) * kColumns + static_cast<std::int64_t>(c)).asDouble() : 0.0;
            };
            for (std::size_t i = 0; i < 30; ++i) {
                const Neighbours column = neighbours(grid[2 * i], kColumns);
                const Neighbours row = neighbours(grid[2 * i + 1], kRows);
                double expected = 0;
                for (const int down : {0, 1})
                    for (const int across : {0, 1})
                        expected += pixel(row.first + down, column.first + across) * (down == 1 ? row.share : 1 - row.share) *
                                    (across == 1 ? column.share : 1 - column.share);
                EXPECT_NEAR(y[0].at(static_cast<std::int64_t>(i)).asDouble(), expected, 1e-3) << padding << " " << i;
            }
        }
}

TEST(OnnxFormulaIndexing, gatherNdReadsRows)
{
    std::mt19937 random(5);
    for (int round = 0; round < kRounds; ++round) {
        const std::int64_t a = pick(random, 1, 4);
        const std::int64_t b = pick(random, 1, 4);
        const std::int64_t rest = pick(random, 1, 3);
        const std::int64_t count = pick(random, 1, 6);
        const HostTensor x = randomFloats(random, {a, b, rest});
        const Tuples tuples = randomTuples(random, count, a, b);
        const auto y = outputsOf({.node = {.op = "GatherND"}}, {x, integers({count, 2}, tuples.written)});
        ASSERT_EQ(y.size(), 1U);
        ASSERT_EQ(y[0].shape(), (Shape{count, rest}));
        for (std::int64_t i = 0; i < count * rest; ++i)
            EXPECT_EQ(y[0].at(i).asDouble(), x.at(tuples.flat[place(i / rest)] * rest + i % rest).asDouble());
    }
}

TEST(OnnxFormulaIndexing, gatherNdWithBatchesStaysInItsBatch)
{
    const HostTensor x = floats({2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7});
    const auto y =
        outputsOf({.node = {.op = "GatherND", .attributes = {integerAttribute("batch_dims", 1)}}}, {x, integers({2, 1}, {1, 0})});
    EXPECT_EQ(elementsOf(y.at(0)), (std::vector<double>{2, 3, 4, 5}));
}

TEST(OnnxFormulaIndexing, scatterNdWritesRows)
{
    std::mt19937 random(6);
    for (int round = 0; round < kRounds; ++round) {
        const std::int64_t a = pick(random, 1, 4);
        const std::int64_t b = pick(random, 1, 4);
        const std::int64_t rest = pick(random, 1, 3);
        const bool adds = pick(random, 0, 1) == 1;
        const std::int64_t count = pick(random, 1, adds ? 2 * a * b : a * b); // places repeat only when they add up
        const HostTensor x = randomFloats(random, {a, b, rest});
        const HostTensor updates = randomFloats(random, {count, rest});
        const Tuples tuples = randomTuples(random, count, a, b);
        const auto y = outputsOf({.node = {.op = "ScatterND", .attributes = {textAttribute("reduction", adds ? "add" : "none")}}},
                                 {x, integers({count, 2}, tuples.written), updates});
        ASSERT_EQ(y.size(), 1U);
        std::vector<double> expected = elementsOf(x);
        for (std::int64_t i = 0; i < count * rest; ++i) {
            double &cell = expected[place(tuples.flat[place(i / rest)] * rest + i % rest)];
            cell = updates.at(i).asDouble() + (adds ? cell : 0);
        }
        EXPECT_EQ(elementsOf(y[0]), expected);
    }
}

TEST(OnnxFormulaIndexing, scatterElementsWritesAlongAnAxis)
{
    std::mt19937 random(7);
    for (int round = 0; round < kRounds; ++round) {
        const std::int64_t n = pick(random, 1, 5);
        const std::int64_t columns = pick(random, 1, 4);
        const std::int64_t count = pick(random, 1, n);
        const HostTensor x = randomFloats(random, {n, columns});
        const HostTensor updates = randomFloats(random, {count, columns});
        std::vector<double> indices(place(count * columns));
        std::vector<double> expected = elementsOf(x);
        const bool isMax = pick(random, 0, 1) == 1;
        for (std::int64_t column = 0; column < columns; ++column) {
            const std::int64_t first = pick(random, 0, n - 1);
            for (std::int64_t i = 0; i < count; ++i) {
                const std::int64_t row = (first + i) % n;
                indices[place(i * columns + column)] = static_cast<double>(row - (i % 2 == 0 ? n : 0));
                double &cell = expected[place(row * columns + column)];
                const double update = updates.at(i * columns + column).asDouble();
                cell = isMax ? std::max(cell, update) : update;
            }
        }
        const auto y =
            outputsOf({.node = {.op = "ScatterElements", .attributes = {textAttribute("reduction", isMax ? "max" : "none")}}},
                      {x, integers({count, columns}, indices), updates});
        EXPECT_EQ(elementsOf(y.at(0)), expected);
    }
}

TEST(OnnxFormulaIndexing, refusesAReductionThatIsNone)
{
    const ModelResult result =
        importOperator({.node = {.op = "ScatterElements", .attributes = {textAttribute("reduction", "div")}}},
                       {floats({2}, {1, 2}), integers({1}, {0}), floats({1}, {3})});
    ASSERT_FALSE(result.graph);
    EXPECT_NE(toText(result.diagnostics).find("reduction must be none, add, mul, max or min, found div"), std::string::npos)
        << toText(result.diagnostics);
}

TEST(OnnxFormulaIndexing, reverseSequenceReversesAsFarAsTheSequenceGoes)
{
    const HostTensor x = floats({3, 2}, {0, 1, 2, 3, 4, 5});
    EXPECT_EQ(elementsOf(outputsOf({.node = {.op = "ReverseSequence"}}, {x, integers({2}, {2, 3})}).at(0)),
              (std::vector<double>{2, 5, 0, 3, 4, 1}));
}

TEST(OnnxFormulaIndexing, tensorScatterGoesRound)
{
    const HostTensor cache = floats({2, 3, 1}, {0, 0, 0, 0, 0, 0});
    const HostTensor update = floats({2, 2, 1}, {1, 2, 3, 4});
    const auto y = outputsOf({.node = {.op = "TensorScatter", .attributes = {textAttribute("mode", "circular")}}, .opset = 24},
                             {cache, update, integers({2}, {2, 0})});
    EXPECT_EQ(elementsOf(y.at(0)), (std::vector<double>{2, 0, 1, 3, 4, 0}));
}

// At the centres of the elements every mode gives the image itself.
TEST(OnnxFormulaIndexing, gridSampleAtTheElementsIsTheImage)
{
    std::mt19937 random(8);
    const HostTensor x = randomFloats(random, {1, 2, 3, 4});
    for (const char *mode : {"linear", "nearest", "cubic"})
        for (const std::int64_t align : {0, 1}) {
            std::vector<double> grid;
            for (std::int64_t i = 0; i < 12; ++i) {
                const auto at = [&](std::int64_t index, std::int64_t n) {
                    return align == 1 ? 2.0 * static_cast<double>(index) / static_cast<double>(n - 1) - 1
                                      : (2.0 * static_cast<double>(index) + 1) / static_cast<double>(n) - 1;
                };
                grid.push_back(at(i % 4, 4));
                grid.push_back(at(i / 4, 3));
            }
            const auto y =
                outputsOf({.node = {.op = "GridSample",
                                    .attributes = {textAttribute("mode", mode), integerAttribute("align_corners", align),
                                                   textAttribute("padding_mode", "border")}}},
                          {x, floats({1, 3, 4, 2}, grid)});
            ASSERT_EQ(y.size(), 1U);
            for (std::int64_t i = 0; i < x.elements(); ++i)
                EXPECT_NEAR(y[0].at(i).asDouble(), x.at(i).asDouble(), 1e-4) << mode << " " << align << " " << i;
        }
}

TEST(OnnxFormulaIndexing, gridSampleReadsZerosOutside)
{
    const HostTensor x = floats({1, 1, 1, 2}, {4, 8});
    const HostTensor grid = floats({1, 1, 3, 2}, {-1, 0, 1, 0, 3, 0}); // the edges, and beyond
    EXPECT_EQ(elementsOf(outputsOf({.node = {.op = "GridSample"}}, {x, grid}).at(0)), (std::vector<double>{2, 4, 0}));
    EXPECT_EQ(
        elementsOf(
            outputsOf({.node = {.op = "GridSample", .attributes = {textAttribute("padding_mode", "border")}}}, {x, grid}).at(0)),
        (std::vector<double>{4, 8, 8}));
}

TEST(OnnxFormulaIndexing, maxPoolTellsWhereTheLargestWere)
{
    const HostTensor x = floats({1, 2, 2, 4}, {1, 5, 2, 2, 3, 4, 9, 9, 8, 0, 0, 0, 0, 0, 0, 7});
    const auto pooled = [&](std::int64_t order) {
        return outputsOf({.node = {.op = "MaxPool",
                                   .attributes = {integersAttribute("kernel_shape", {2, 2}), integersAttribute("strides", {2, 2}),
                                                  integerAttribute("storage_order", order)}},
                          .outputs = 2},
                         {x});
    };
    EXPECT_EQ(elementsOf(pooled(0).at(1)), (std::vector<double>{1, 6, 8, 15}));
    EXPECT_EQ(elementsOf(pooled(1).at(1)), (std::vector<double>{2, 5, 8, 15}));
}

TEST(OnnxFormulaIndexing, whatDecidesHowMuchThereIsIsKnownWhileImporting)
{
    EXPECT_EQ(elementsOf(outputsOf({.node = {.op = "NonZero"}}, {floats({2, 2}, {1, 0, 0, 3})}).at(0)),
              (std::vector<double>{0, 1, 0, 1}));
    const HostTensor condition = HostTensor::ofValues(DType::Bool, {2}, std::vector<double>{0, 1});
    EXPECT_EQ(elementsOf(outputsOf({.node = {.op = "Compress", .attributes = {integerAttribute("axis", -1)}}},
                                   {floats({2, 3}, {1, 2, 3, 4, 5, 6}), condition})
                             .at(0)),
              (std::vector<double>{2, 5}));
    const auto unique = outputsOf({.node = {.op = "Unique"}, .outputs = 4}, {floats({5}, {2, 1, 1, 3, 2})});
    ASSERT_EQ(unique.size(), 4U);
    EXPECT_EQ(elementsOf(unique[0]), (std::vector<double>{1, 2, 3}));
    EXPECT_EQ(elementsOf(unique[1]), (std::vector<double>{1, 0, 3}));
    EXPECT_EQ(elementsOf(unique[2]), (std::vector<double>{1, 0, 0, 2, 1}));
    EXPECT_EQ(elementsOf(unique[3]), (std::vector<double>{2, 2, 1}));
}

TEST(OnnxFormulaIndexing, nonMaxSuppressionKeepsTheBestOfWhatOverlaps)
{
    const HostTensor boxes = floats({1, 3, 4}, {0, 0, 2, 2, 0, 0.1, 2, 2.1, 5, 5, 6, 6});
    const HostTensor scores = floats({1, 1, 3}, {0.5, 0.9, 0.3});
    const auto kept = [&](double most, double least) {
        return elementsOf(outputsOf({.node = {.op = "NonMaxSuppression"}},
                                    {boxes, scores, integers({1}, {most}), floats({1}, {0.5}), floats({1}, {least})})
                              .at(0));
    };
    EXPECT_EQ(kept(5, 0), (std::vector<double>{0, 0, 1, 0, 0, 2}));
    EXPECT_EQ(kept(1, 0), (std::vector<double>{0, 0, 1}));
    EXPECT_EQ(kept(5, 0.4), (std::vector<double>{0, 0, 1}));
}

} // namespace sw::test
