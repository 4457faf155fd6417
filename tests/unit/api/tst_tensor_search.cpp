#include "engine/api/tensor_search.h"

#include "tests/unit/api/random_tensor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace sw {
namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN();
const double kInfinity = std::numeric_limits<double>::infinity();

TensorView viewOf(std::vector<double> numbers, DType dtype = DType::F32)
{
    return {"x", HostTensor::ofValues(dtype, Shape({static_cast<std::int64_t>(numbers.size())}), numbers)};
}

std::optional<std::int64_t> next(const TensorView &view, FindWhat what, std::int64_t from)
{
    return findElement(view, what, from, FindDirection::Forward, {});
}
std::optional<std::int64_t> previous(const TensorView &view, FindWhat what, std::int64_t from)
{
    return findElement(view, what, from, FindDirection::Backward, {});
}

TEST(TensorSearchTest, findsTheNextAndThePrevious)
{
    const TensorView view = viewOf({kNan, 1, 1e-40, -kInfinity, kNan, 0});
    EXPECT_EQ(next(view, FindWhat::NotANumber, -1), 0);
    EXPECT_EQ(next(view, FindWhat::NotANumber, 0), 4);
    EXPECT_FALSE(next(view, FindWhat::NotANumber, 4));
    EXPECT_EQ(previous(view, FindWhat::NotANumber, 6), 4);
    EXPECT_EQ(previous(view, FindWhat::NotANumber, 4), 0);
    EXPECT_FALSE(previous(view, FindWhat::NotANumber, 0));
    EXPECT_EQ(next(view, FindWhat::Infinity, -1), 3);
    EXPECT_EQ(next(view, FindWhat::Subnormal, -1), 2);
    EXPECT_FALSE(next(viewOf({1, 2}, DType::I32), FindWhat::NotANumber, -1));
}

TEST(TensorSearchTest, findsValuesAsProgramsWriteThem)
{
    const TensorView view = viewOf({1, -0.0, 0.5, kNan, 0, kInfinity});
    const auto find = [&](const char *value, std::int64_t from) {
        return findValue(view, value, from, FindDirection::Forward, {}).value();
    };
    EXPECT_EQ(find("0.5", -1), 2);
    EXPECT_EQ(find("0", -1), 1); // both zeros
    EXPECT_EQ(find("0", 1), 4);
    EXPECT_EQ(find("nan", -1), 3);
    EXPECT_EQ(find("inf", -1), 5);
    EXPECT_FALSE(find("2", -1));
    EXPECT_FALSE(findValue(view, "x", -1, FindDirection::Forward, {}));
    HostTensor wide(DType::U64, Shape({2}));
    wide.set(1, Scalar::of(DType::U64, ~std::uint64_t{0}));
    EXPECT_EQ(findValue({"x", wide}, "18446744073709551615", -1, FindDirection::Forward, {}).value(), 1);
}

TEST(TensorSearchTest, theFirstInOrderAreThoseOfASort)
{
    for (const DType dtype : test::numberTypes()) {
        const TensorView view("x", test::randomBits(dtype, Shape({500}), 21));
        const auto value = [&](std::int64_t i) { return view.tensor().at(i); };
        for (const SortOrder order : {SortOrder::Ascending, SortOrder::Descending, SortOrder::Magnitude}) {
            // Exact also for wide integers: by long double, which holds 64 bits.
            const auto key = [&](std::int64_t i) -> long double {
                const Scalar at = value(i);
                const long double number = isFloat(dtype)    ? static_cast<long double>(at.asDouble())
                                           : isSigned(dtype) ? static_cast<long double>(at.asInt())
                                                             : static_cast<long double>(at.asUnsigned());
                if (std::isnan(number))
                    return std::numeric_limits<long double>::infinity(); // sorted apart below
                return order == SortOrder::Ascending ? number : order == SortOrder::Descending ? -number : -std::fabs(number);
            };
            std::vector<std::int64_t> wanted(500);
            std::iota(wanted.begin(), wanted.end(), 0);
            std::ranges::stable_sort(wanted, [&](std::int64_t a, std::int64_t b) {
                const bool isFirst = value(a).isNan();
                const bool isSecond = value(b).isNan();
                return isFirst || isSecond ? !isFirst && isSecond : key(a) < key(b);
            });
            for (const std::int64_t count : {1, 13, 500, 900}) {
                const auto found = firstInOrder(view, order, count, {});
                ASSERT_TRUE(found);
                const std::vector<std::int64_t> first(wanted.begin(), wanted.begin() + std::min<std::int64_t>(count, 500));
                ASSERT_EQ(*found, first) << nameOf(dtype) << " " << static_cast<int>(order);
            }
        }
    }
}

} // namespace
} // namespace sw
