#include "engine/api/compare/tensor_difference.h"

#include "engine/execute/compare.h"
#include "tests/unit/api/random_tensor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sw {
namespace {

TensorDifference differenceOfTensors(const HostTensor &before, const HostTensor &after,
                                     const TensorDifferenceOptions &options = {})
{
    Result<TensorDifference> made = differenceOf(TensorView("before", before), TensorView("after", after), options);
    EXPECT_TRUE(made) << toText(made.error());
    return std::move(*made);
}

HostTensor floats(std::initializer_list<double> values)
{
    const std::vector<double> all(values);
    return HostTensor::ofValues(DType::F32, Shape({static_cast<std::int64_t>(all.size())}), all);
}

TEST(TensorDifference, findsNoneInEqualTensors)
{
    for (const DType dtype : test::numberTypes()) {
        const HostTensor tensor = test::randomBits(dtype, Shape({7, 9}), 3);
        const TensorDifference difference = differenceOfTensors(tensor, tensor);
        EXPECT_TRUE(difference.isEqual());
        EXPECT_EQ(difference.ulpHistogram[0], 63);
        EXPECT_EQ(difference.hashBefore, difference.hashAfter);
        EXPECT_TRUE(difference.worst.empty());
    }
}

// The comparison that stepwellc compare uses is written another way.
TEST(TensorDifference, measuresWhatTheComparisonOfResultsMeasures)
{
    for (const DType dtype : test::numberTypes())
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            const HostTensor before = test::randomBits(dtype, Shape({6, 11}), seed);
            HostTensor after(dtype, before.shape());
            const HostTensor other = test::randomBits(dtype, Shape({6, 11}), seed + 100);
            for (std::int64_t i = 0; i < before.elements(); ++i)
                after.set(i, i % 3 == 0 ? other.at(i) : before.at(i));
            const TensorDifference difference = differenceOfTensors(before, after);
            const Comparison comparison = compareTensors(before, after);
            const bool hasNoSteps = difference.notNumbers + difference.infinities > 0;
            EXPECT_EQ(difference.isEqual(), !comparison.worst.has_value()) << nameOf(dtype);
            if (hasNoSteps) {
                EXPECT_TRUE(std::isinf(comparison.maxAbsolute));
                continue;
            }
            EXPECT_DOUBLE_EQ(difference.maxAbsolute, comparison.maxAbsolute) << nameOf(dtype) << seed;
            EXPECT_DOUBLE_EQ(difference.maxRelative, comparison.maxRelative) << nameOf(dtype) << seed;
            EXPECT_EQ(difference.maxUlp, comparison.maxUlp) << nameOf(dtype) << seed;
        }
}

TEST(TensorDifference, countsStepsBetweenRepresentableValues)
{
    const float one = 1;
    const TensorDifference difference = differenceOfTensors(
        floats({1, 1, 1, 1, 0, 0}), floats({1, std::nextafter(one, 2.0F), 1 + 3 * 0x1p-23, -1, -0.0, 0x1p-149}));
    EXPECT_EQ(difference.different, 4);
    EXPECT_EQ(difference.otherBits, 1); // -0 and +0
    EXPECT_EQ(difference.ulpHistogram[0], 2);
    EXPECT_EQ(difference.ulpHistogram[1], 2); // one step
    EXPECT_EQ(difference.ulpHistogram[2], 1); // two or three
    EXPECT_EQ(difference.maxAbsolute, 2);
    EXPECT_EQ(*difference.firstAt, 1);
    EXPECT_NE(difference.hashBefore, difference.hashAfter);
    EXPECT_EQ(std::accumulate(difference.ulpHistogram.begin(), difference.ulpHistogram.end(), std::int64_t{0}), 6);
}

TEST(TensorDifference, listsTheWorstElementsByAnyMeasure)
{
    const HostTensor before = floats({1000, 1e-6, 4, 5, 6});
    const HostTensor after = floats({1001, 2e-6, 4, 5.25, std::nan("")});
    const auto worstBy = [&](DifferenceMeasure by) {
        std::vector<std::int64_t> indices;
        for (const ElementDifference &element : differenceOfTensors(before, after, {.worst = 3, .by = by}).worst)
            indices.push_back(element.index);
        return indices;
    };
    EXPECT_EQ(worstBy(DifferenceMeasure::Absolute), (std::vector<std::int64_t>{4, 0, 3}));
    EXPECT_EQ(worstBy(DifferenceMeasure::Relative), (std::vector<std::int64_t>{4, 1, 3}));
    EXPECT_EQ(worstBy(DifferenceMeasure::Ulp), (std::vector<std::int64_t>{4, 1, 3}));
}

TEST(TensorDifference, listsTheSameElementsAsSortingAllOfThem)
{
    const HostTensor before = test::randomBits(DType::F16, Shape({40, 50}), 1);
    const HostTensor after = test::randomBits(DType::F16, Shape({40, 50}), 2);
    const TensorDifference some = differenceOfTensors(before, after, {.worst = 17});
    TensorDifference all = differenceOfTensors(before, after, {.worst = 2000});
    EXPECT_EQ(static_cast<std::int64_t>(all.worst.size()), all.different);
    ASSERT_EQ(some.worst.size(), 17U);
    for (std::size_t i = 0; i < some.worst.size(); ++i)
        EXPECT_EQ(some.worst[i].index, all.worst[i].index);
}

TEST(TensorDifference, mapsWhereTheyAre)
{
    HostTensor before(DType::F32, Shape({200, 3, 1000}));
    HostTensor after(DType::F32, Shape({200, 3, 1000}));
    after.set(599 * 1000 + 999, Scalar::of(DType::F32, 2.0));
    after.set(0, Scalar::of(DType::F32, 1.0));
    const TensorDifference difference = differenceOfTensors(before, after, {.mapRows = 10, .mapColumns = 20});
    ASSERT_EQ(difference.map.rows, 10U);
    ASSERT_EQ(difference.map.columns, 20U);
    EXPECT_EQ(difference.map.largest.front(), 1);
    EXPECT_EQ(difference.map.largest.back(), 2);
    EXPECT_EQ(std::accumulate(difference.map.different.begin(), difference.map.different.end(), std::int64_t{0}), 2);
    // Small tensors have a cell per element.
    const TensorDifference small = differenceOfTensors(floats({1, 2}), floats({1, 3}));
    EXPECT_EQ(small.map.rows, 1U);
    EXPECT_EQ(small.map.largest, (std::vector<double>{0, 1}));
}

TEST(TensorDifference, takesScalarsEmptyTensorsAndWords)
{
    EXPECT_TRUE(differenceOfTensors(HostTensor(DType::F32, Shape({0, 4})), HostTensor(DType::F32, Shape({0, 4}))).isEqual());
    EXPECT_EQ(differenceOfTensors(HostTensor::ofScalar(Scalar::of(DType::I64, std::int64_t{5})),
                                  HostTensor::ofScalar(Scalar::of(DType::I64, std::int64_t{-2})))
                  .maxUlp,
              7U);
    const HostTensor words = test::randomBits(DType::U32, Shape({8}), 1).reinterpreted(DType::U32x4, Shape({2}));
    const HostTensor others = test::randomBits(DType::U32, Shape({8}), 2).reinterpreted(DType::U32x4, Shape({2}));
    EXPECT_TRUE(differenceOfTensors(words, words).isEqual());
    EXPECT_EQ(differenceOfTensors(words, others).ulpHistogram.back(), 2);
}

TEST(TensorDifference, refusesOtherTypesAndShapesAndStops)
{
    const TensorView four("a", HostTensor(DType::F32, Shape({4})));
    const auto refused = differenceOf(four, TensorView("b", HostTensor(DType::F32, Shape({2, 2}))));
    ASSERT_FALSE(refused);
    EXPECT_NE(toText(refused.error()).find("f32[4] and f32[2, 2] cannot be compared"), std::string::npos);
    EXPECT_FALSE(differenceOf(four, TensorView("b", HostTensor(DType::F16, Shape({4})))));
    std::stop_source stop;
    stop.request_stop();
    const auto stopped = differenceOf(four, four, {}, stop.get_token());
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().front().code, Code::Cancelled);
}

} // namespace
} // namespace sw
