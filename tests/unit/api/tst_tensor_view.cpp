#include "engine/api/tensor_view.h"

#include "tests/unit/api/random_tensor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>

namespace sw {
namespace {

TensorView viewOf(DType dtype, std::uint64_t bits)
{
    return {"x", HostTensor::ofScalar(Scalar::fromBits(dtype, bits))};
}

TEST(TensorViewTest, writesEachTypeInEachFormat)
{
    struct Row {
        DType dtype;
        std::uint64_t bits;
        const char *decimal;
        const char *hexadecimal;
        const char *binary;
    };
    constexpr Row kRows[] = {
        {DType::Bool, 1, "true", "0x1", "1"},
        {DType::U8, 0xa5, "165", "0xa5", "10100101"},
        {DType::I8, 0xff, "-1", "0xff", "11111111"},
        {DType::U16, 0x0102, "258", "0x0102", "0000000100000010"},
        {DType::I16, 0x8000, "-32768", "0x8000", "1000000000000000"},
        {DType::U32, 7, "7", "0x00000007", "00000000000000000000000000000111"},
        {DType::I32, 0xfffffffe, "-2", "0xfffffffe", "11111111111111111111111111111110"},
        {DType::U64, ~0ULL, "18446744073709551615", "0xffffffffffffffff",
         "1111111111111111111111111111111111111111111111111111111111111111"},
        {DType::I64, 1ULL << 63U, "-9223372036854775808", "0x8000000000000000",
         "1000000000000000000000000000000000000000000000000000000000000000"},
        {DType::F8E5M2, 0x3c, "1.0", "0x3c", "0 01111 00"},
        {DType::F8E4M3, 0xb8, "-1.0", "0xb8", "1 0111 000"},
        {DType::F16, 0x3e00, "1.5", "0x3e00", "0 01111 1000000000"},
        {DType::BF16, 0xbf80, "-1.0", "0xbf80", "1 01111111 0000000"},
        {DType::F32, 0x40490fdb, "3.1415927", "0x40490fdb", "0 10000000 10010010000111111011011"},
        {DType::F64, 0xbff0000000000000, "-1.0", "0xbff0000000000000",
         "1 01111111111 0000000000000000000000000000000000000000000000000000"},
    };
    EXPECT_EQ(std::size(kRows), scalarDTypes().size());
    for (const Row &row : kRows) {
        const TensorView view = viewOf(row.dtype, row.bits);
        EXPECT_EQ(view.text(0, ValueFormat::Decimal), row.decimal) << nameOf(row.dtype);
        EXPECT_EQ(view.text(0, ValueFormat::Hexadecimal), row.hexadecimal) << nameOf(row.dtype);
        EXPECT_EQ(view.text(0, ValueFormat::Bits), row.binary) << nameOf(row.dtype);
    }
    const TensorView words("w", HostTensor::ofScalar(Scalar::fromWords({1, 2, 0xffffffff, 0})));
    EXPECT_EQ(words.text(0, ValueFormat::Decimal), words.text(0, ValueFormat::Hexadecimal));
    EXPECT_EQ(words.text(0, ValueFormat::Bits).size(), 4 * 32U + 3U);
    EXPECT_FALSE(words.hasNumbers());
    EXPECT_EQ(words.statistics({})->histogram.size(), 0U);
}

TEST(TensorViewTest, textsStopAtTheEnd)
{
    const TensorView view("x", HostTensor::ofValues(DType::I32, Shape({5}), std::vector<double>{0, 1, 2, 3, 4}));
    EXPECT_EQ(view.texts(3, 10, ValueFormat::Decimal), (std::vector<std::string>{"3", "4"}));
    EXPECT_TRUE(view.texts(5, 1, ValueFormat::Decimal).empty());
    EXPECT_TRUE(view.texts(0, 0, ValueFormat::Decimal).empty());
}

TEST(TensorViewTest, classesFollowTheTypesOwnLimits)
{
    EXPECT_EQ(viewOf(DType::F16, 0x0001).classOf(0), ValueClass::Subnormal);
    EXPECT_EQ(viewOf(DType::F16, 0x03ff).classOf(0), ValueClass::Subnormal);
    EXPECT_EQ(viewOf(DType::F16, 0x0400).classOf(0), ValueClass::Ordinary);
    EXPECT_EQ(viewOf(DType::F32, 0x007fffff).classOf(0), ValueClass::Subnormal);
    EXPECT_EQ(viewOf(DType::F32, 0x00800000).classOf(0), ValueClass::Ordinary);
    EXPECT_EQ(viewOf(DType::F64, 1).classOf(0), ValueClass::Subnormal);
    EXPECT_EQ(viewOf(DType::BF16, 0x7f80).classOf(0), ValueClass::Infinity);
    EXPECT_EQ(viewOf(DType::F8E4M3, 0x07).classOf(0), ValueClass::Subnormal);
    EXPECT_EQ(viewOf(DType::F8E4M3, 0x08).classOf(0), ValueClass::Ordinary);
    EXPECT_EQ(viewOf(DType::F8E4M3, 0x7f).classOf(0), ValueClass::NotANumber);
    EXPECT_EQ(viewOf(DType::F8E5M2, 0x03).classOf(0), ValueClass::Subnormal);
    EXPECT_EQ(viewOf(DType::F8E5M2, 0x04).classOf(0), ValueClass::Ordinary);
    EXPECT_EQ(viewOf(DType::F8E5M2, 0xfc).classOf(0), ValueClass::Infinity);
    EXPECT_EQ(viewOf(DType::F32, 0x80000000).classOf(0), ValueClass::Zero);
    EXPECT_EQ(viewOf(DType::I64, 0).classOf(0), ValueClass::Zero);
}

// What statistics say, computed one element at a time from Scalar.
struct Naive {
    std::int64_t nans = 0, infinities = 0, zeros = 0, finite = 0;
    long double sum = 0, squares = 0;
    double low = 0, high = 0;
};

Naive naive(const HostTensor &tensor)
{
    Naive made;
    for (std::int64_t i = 0; i < tensor.elements(); ++i) {
        const double value = tensor.at(i).asDouble();
        made.nans += std::isnan(value) ? 1 : 0;
        made.infinities += std::isinf(value) ? 1 : 0;
        made.zeros += value == 0 ? 1 : 0;
        if (!std::isfinite(value))
            continue;
        made.low = made.finite == 0 ? value : std::min(made.low, value);
        made.high = made.finite == 0 ? value : std::max(made.high, value);
        ++made.finite;
        made.sum += value;
    }
    const long double mean = made.sum / static_cast<long double>(made.finite);
    for (std::int64_t i = 0; i < tensor.elements(); ++i)
        if (const long double value = tensor.at(i).asDouble(); std::isfinite(value))
            made.squares += (value - mean) * (value - mean);
    return made;
}

TEST(TensorViewTest, statisticsOfRandomBitsAgreeWithCountingThem)
{
    for (const DType dtype : test::numberTypes()) {
        const HostTensor tensor = test::randomBits(dtype, Shape({37, 29}), 11);
        const TensorView view("x", tensor);
        const TensorStatisticsPtr found = view.statistics({});
        ASSERT_NE(found, nullptr);
        const Naive wanted = naive(tensor);
        EXPECT_EQ(found->elements, tensor.elements()) << nameOf(dtype);
        EXPECT_EQ(found->nans, wanted.nans) << nameOf(dtype);
        EXPECT_EQ(found->infinities, wanted.infinities) << nameOf(dtype);
        EXPECT_EQ(found->zeros, wanted.zeros) << nameOf(dtype);
        EXPECT_EQ(found->finite(), wanted.finite) << nameOf(dtype);
        EXPECT_EQ(found->minimum, wanted.low) << nameOf(dtype);
        EXPECT_EQ(found->maximum, wanted.high) << nameOf(dtype);
        EXPECT_EQ(tensor.at(*found->minimumAt).asDouble(), wanted.low) << nameOf(dtype);
        EXPECT_EQ(tensor.at(*found->maximumAt).asDouble(), wanted.high) << nameOf(dtype);
        EXPECT_DOUBLE_EQ(found->mean, static_cast<double>(wanted.sum / static_cast<long double>(wanted.finite))) << nameOf(dtype);
        EXPECT_NEAR(found->deviation, static_cast<double>(std::sqrt(wanted.squares / static_cast<long double>(wanted.finite))),
                    1e-9 * found->deviation)
            << nameOf(dtype);
        std::int64_t counted = 0;
        for (const std::int64_t bin : found->histogram)
            counted += bin;
        EXPECT_EQ(found->histogram.size(), kHistogramBins);
        EXPECT_EQ(counted, wanted.finite) << nameOf(dtype);
        std::int64_t subnormals = 0;
        for (std::int64_t i = 0; i < tensor.elements(); ++i)
            subnormals += view.classOf(i) == ValueClass::Subnormal ? 1 : 0;
        EXPECT_EQ(found->subnormals, subnormals) << nameOf(dtype);
        if (isFloat(dtype)) {
            EXPECT_GE(subnormals, 1) << nameOf(dtype);
        }
    }
}

TEST(TensorViewTest, extremesOfWideIntegersAreExact)
{
    HostTensor tensor(DType::I64, Shape({3}));
    constexpr std::int64_t kLarge = std::int64_t{1} << 60;
    for (int i = 0; i < 3; ++i)
        tensor.set(i, Scalar::of(DType::I64, kLarge + (i == 1 ? 1 : 0)));
    const TensorView view("x", tensor);
    EXPECT_EQ(view.statistics({})->maximumAt, 1); // as doubles all three are equal
    EXPECT_EQ(view.statistics({})->minimumAt, 0);
}

TEST(TensorViewTest, theHistogramHasEqualIntervals)
{
    std::vector<double> numbers;
    for (int i = 0; i < 128; ++i)
        numbers.push_back(i);
    const TensorView view("x", HostTensor::ofValues(DType::F32, Shape({128}), numbers));
    const TensorStatisticsPtr found = view.statistics({});
    // 127 / 64 of the range in each: two numbers, but for rounding at the borders, and the end belongs to the last.
    for (std::size_t bin = 0; bin < kHistogramBins; ++bin) {
        std::int64_t wanted = 0;
        for (const double number : numbers)
            wanted += std::min<std::size_t>(static_cast<std::size_t>(number / 127 * 64), 63) == bin ? 1 : 0;
        EXPECT_EQ(found->histogram[bin], wanted) << bin;
    }
    const TensorView widest(
        "x", HostTensor::ofValues(DType::F64, Shape({2}), std::vector<double>{-1.7976931348623157e308, 1.7976931348623157e308}));
    EXPECT_EQ(widest.statistics({})->histogram.front(), 1);
    EXPECT_EQ(widest.statistics({})->histogram.back(), 1);
    EXPECT_EQ(widest.statistics({})->mean, 0);
    const TensorView constant("x", HostTensor::ofValues(DType::F32, Shape({3}), std::vector<double>{2, 2, 2}));
    EXPECT_EQ(constant.statistics({})->histogram.front(), 3);
    EXPECT_EQ(constant.statistics({})->deviation, 0);
}

TEST(TensorViewTest, withoutFiniteElementsThereAreNoExtremes)
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const TensorView view("x", HostTensor::ofValues(DType::F32, Shape({2}), std::vector<double>{nan, nan}));
    EXPECT_FALSE(view.statistics({})->minimumAt.has_value());
    EXPECT_TRUE(view.statistics({})->histogram.empty());
    const TensorView empty("x", HostTensor(DType::F32, Shape({0, 4})));
    EXPECT_EQ(empty.statistics({})->elements, 0);
}

TEST(TensorViewTest, statisticsAreComputedOnceAndCanBeStopped)
{
    const TensorView view("x", randomTensor(DType::F32, Shape({1 << 20}), 1));
    std::stop_source stopped;
    stopped.request_stop();
    EXPECT_EQ(view.statistics(stopped.get_token()), nullptr);
    EXPECT_EQ(view.knownStatistics(), nullptr);
    TensorStatisticsPtr a;
    TensorStatisticsPtr b;
    {
        const std::jthread first([&] { a = view.statistics({}); });
        const std::jthread second([&] { b = view.statistics({}); });
    }
    ASSERT_NE(a, nullptr);
    EXPECT_EQ(a, b);
    EXPECT_EQ(view.knownStatistics(), a);
}

TEST(TensorViewTest, placesAreCoordinatesOrAnIndex)
{
    const TensorView view("x", HostTensor(DType::F32, Shape({2, 3, 4})));
    EXPECT_EQ(view.placeText(23), "1, 2, 3");
    EXPECT_EQ(view.parsePlace("[1, 2, 3]").value(), 23);
    EXPECT_EQ(view.parsePlace("0 1 2").value(), 6);
    EXPECT_EQ(view.parsePlace("6").value(), 6);
    EXPECT_FALSE(view.parsePlace("2, 0, 0"));
    EXPECT_FALSE(view.parsePlace("1, 2"));
    EXPECT_FALSE(view.parsePlace("24"));
    EXPECT_FALSE(view.parsePlace("a"));
    EXPECT_EQ(view.parsePlace("0, 3, 0").error().front().message, "there is no element \"0, 3, 0\" in f32[2, 3, 4]");
    for (std::int64_t i = 0; i < view.elements(); ++i)
        EXPECT_EQ(view.indexOf(view.coordinatesOf(i)), i);
    const TensorView scalar("x", HostTensor(DType::F32, Shape()));
    EXPECT_EQ(scalar.parsePlace("0").value(), 0);
}

} // namespace
} // namespace sw
