#include "engine/api/tensor_slice.h"

#include "tests/unit/api/random_tensor.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace sw {
namespace {

TEST(TensorSliceTest, laysOutAnyTwoAxes)
{
    const std::array<std::int64_t, 4> shape{2, 3, 4, 5};
    const HostTensor tensor(DType::U8, Shape({2, 3, 4, 5}));
    const TensorView view("x", tensor);
    for (std::size_t rowAxis = 0; rowAxis < 4; ++rowAxis)
        for (std::size_t columnAxis = 0; columnAxis < 4; ++columnAxis) {
            if (rowAxis == columnAxis)
                continue;
            const SliceChoice choice{.rowAxis = rowAxis, .columnAxis = columnAxis, .fixed = {1, 2, 3, 4}};
            const TensorSlice slice(shape, choice);
            EXPECT_EQ(slice.rows(), shape[rowAxis]);
            EXPECT_EQ(slice.columns(), shape[columnAxis]);
            for (std::int64_t row = 0; row < slice.rows(); ++row)
                for (std::int64_t column = 0; column < slice.columns(); ++column) {
                    std::array<std::int64_t, 4> coordinates{1, 2, 3, 4};
                    coordinates[rowAxis] = row;
                    coordinates[columnAxis] = column;
                    EXPECT_EQ(slice.indexAt(row, column), view.indexOf(coordinates));
                    EXPECT_EQ(slice.placeOf(coordinates), std::pair(row, column));
                }
            EXPECT_FALSE(slice.indexAt(slice.rows(), 0));
            EXPECT_FALSE(slice.indexAt(0, -1));
        }
}

TEST(TensorSliceTest, showsAnElementByMovingTheOtherAxes)
{
    const std::array<std::int64_t, 3> shape{7, 4, 5};
    const SliceChoice choice = TensorSlice::showing(std::array<std::int64_t, 3>{6, 2, 1}, TensorSlice::usual(shape));
    EXPECT_EQ(choice.fixed, (std::vector<std::int64_t>{6, 0, 0}));
    EXPECT_EQ(TensorSlice(shape, choice).indexAt(2, 1), 6 * 20 + 2 * 5 + 1);
}

TEST(TensorSliceTest, wrapsLongVectors)
{
    const TensorSlice slice(std::array<std::int64_t, 1>{40}, {});
    EXPECT_EQ(slice.rows(), 3);
    EXPECT_EQ(slice.columns(), kVectorColumns);
    EXPECT_EQ(slice.indexAt(2, 7), 39);
    EXPECT_FALSE(slice.indexAt(2, 8));
    EXPECT_EQ(slice.placeOf(std::array<std::int64_t, 1>{39}), std::pair(std::int64_t{2}, std::int64_t{7}));
    EXPECT_EQ(TensorSlice(std::array<std::int64_t, 1>{12}, {}).rows(), 1);
    EXPECT_EQ(TensorSlice({}, {}).indexAt(0, 0), 0);
    EXPECT_EQ(TensorSlice(std::array<std::int64_t, 2>{0, 3}, TensorSlice::usual(std::array<std::int64_t, 2>{0, 3})).rows(), 0);
}

// Each tile against the elements that it says it holds.
TEST(TensorSliceTest, tilesHoldWhatTheirRectanglesHold)
{
    for (const DType dtype : test::numberTypes()) {
        const TensorView view("x", test::randomBits(dtype, Shape({3, 23, 31}), 5));
        const TensorSlice slice(view.shape(), {.rowAxis = 1, .columnAxis = 2, .fixed = {1, 0, 0}});
        for (const auto &[rows, columns] :
             {std::pair<std::int64_t, std::int64_t>{7, 10}, {23, 31}, {100, 100}, {1, 1}, {22, 3}}) {
            const std::optional<TileMap> map = tilesOf(view, slice, rows, columns, {});
            ASSERT_TRUE(map);
            EXPECT_EQ(map->rows, std::min<std::int64_t>(rows, 23));
            EXPECT_EQ(map->columns, std::min<std::int64_t>(columns, 31));
            for (std::int64_t r = 0; r < map->rows; ++r)
                for (std::int64_t c = 0; c < map->columns; ++c) {
                    Tile wanted;
                    long double sum = 0;
                    for (std::int64_t row = r * 23 / map->rows; row < (r + 1) * 23 / map->rows; ++row)
                        for (std::int64_t column = c * 31 / map->columns; column < (c + 1) * 31 / map->columns; ++column) {
                            const std::int64_t index = *slice.indexAt(row, column);
                            const double value = view.number(index);
                            wanted.nans += std::isnan(value) ? 1 : 0;
                            wanted.infinities += std::isinf(value) ? 1 : 0;
                            wanted.subnormals += view.classOf(index) == ValueClass::Subnormal ? 1 : 0;
                            if (!std::isfinite(value))
                                continue;
                            wanted.minimum = wanted.finite == 0 ? value : std::min(wanted.minimum, value);
                            wanted.maximum = wanted.finite == 0 ? value : std::max(wanted.maximum, value);
                            sum += value;
                            ++wanted.finite;
                        }
                    const Tile &found = map->tiles[static_cast<std::size_t>(r * map->columns + c)];
                    ASSERT_EQ(found.finite, wanted.finite) << nameOf(dtype) << " tile " << r << ", " << c;
                    ASSERT_EQ(found.nans, wanted.nans);
                    ASSERT_EQ(found.infinities, wanted.infinities);
                    ASSERT_EQ(found.subnormals, wanted.subnormals);
                    ASSERT_EQ(found.minimum, wanted.minimum);
                    ASSERT_EQ(found.maximum, wanted.maximum);
                    if (wanted.finite > 0) {
                        ASSERT_DOUBLE_EQ(found.mean, static_cast<double>(sum / static_cast<long double>(wanted.finite)));
                    }
                }
        }
    }
}

TEST(TensorSliceTest, tilesCanBeStopped)
{
    const TensorView view("x", HostTensor(DType::F32, Shape({1000, 1000})));
    std::stop_source stopped;
    stopped.request_stop();
    EXPECT_FALSE(tilesOf(view, TensorSlice(view.shape(), TensorSlice::usual(view.shape())), 10, 10, stopped.get_token()));
}

} // namespace
} // namespace sw
