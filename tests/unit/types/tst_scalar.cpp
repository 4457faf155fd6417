#include "engine/types/scalar.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace sw {
namespace {

TEST(Scalar, readsBackTheBitsThatItsTextShows)
{
    std::mt19937_64 random(7);
    for (const DType dtype : allDTypes()) {
        for (int round = 0; round < 5000; ++round) {
            // Small bit patterns too: subnormals and small integers.
            const Scalar value = Scalar::fromBits(dtype, random() >> (round % 64));
            const auto read = parseScalar(dtype, toText(value));
            ASSERT_TRUE(read) << nameOf(dtype) << " " << toText(value);
            ASSERT_EQ(*read, value) << nameOf(dtype) << " " << toText(value);
        }
    }
}

TEST(Scalar, rejectsTextsOfOtherTypes)
{
    EXPECT_FALSE(parseScalar(DType::I8, "128"));
    EXPECT_TRUE(parseScalar(DType::I8, "-128"));
    EXPECT_FALSE(parseScalar(DType::U8, "-1"));
    EXPECT_FALSE(parseScalar(DType::I32, "1.5"));
    EXPECT_FALSE(parseScalar(DType::Bool, "1"));
    EXPECT_FALSE(parseScalar(DType::F32, "1.5x"));
    EXPECT_FALSE(parseScalar(DType::F32, ""));
    EXPECT_FALSE(parseScalar(DType::F16, "nan:0x7e00zz"));
    EXPECT_FALSE(parseScalar(DType::F16, "nan:0x10000"));
}

struct CastRow {
    DType from;
    const char *value;
    DType to;
    const char *expected;
};

constexpr CastRow kCasts[] = {
    // Float to integer truncates and saturates; NaN gives 0.
    {DType::F32, "1.9", DType::I32, "1"},
    {DType::F32, "-1.9", DType::I32, "-1"},
    {DType::F32, "3e9", DType::I32, "2147483647"},
    {DType::F32, "-inf", DType::I64, "-9223372036854775808"},
    {DType::F64, "9223372036854775807.0", DType::I64, "9223372036854775807"},
    {DType::F32, "nan", DType::I32, "0"},
    {DType::F32, "-3.0", DType::U8, "0"},
    {DType::F32, "300.0", DType::U8, "255"},
    {DType::F64, "1e20", DType::U64, "18446744073709551615"},
    // Integers wrap.
    {DType::I32, "300", DType::U8, "44"},
    {DType::I32, "-1", DType::U64, "18446744073709551615"},
    {DType::U32, "4294967295", DType::I32, "-1"},
    {DType::U64, "18446744073709551615", DType::I8, "-1"},
    // To bool is "not zero".
    {DType::F32, "-0.0", DType::Bool, "false"},
    {DType::F32, "nan", DType::Bool, "true"},
    {DType::F32, "1e-45", DType::Bool, "true"},
    {DType::I8, "-4", DType::Bool, "true"},
    {DType::Bool, "true", DType::F16, "1.0"},
    // To narrower floats: nearest even, overflow to infinity; 64-bit integers round once.
    {DType::F32, "65520.0", DType::F16, "inf"},
    {DType::F32, "1e-9", DType::F16, "0.0"},
    {DType::I64, "9007199791611905", DType::F32, "9007200000000000.0"},
    {DType::U64, "18446744073709551615", DType::F32, "18446744000000000000.0"},
    {DType::F64, "1e40", DType::F32, "inf"},
    {DType::F32, "61440.0", DType::F8E5M2, "inf"},
    {DType::F32, "61439.0", DType::F8E5M2, "57344.0"},
    {DType::F32, "464.0", DType::F8E4M3, "448.0"},
    {DType::F32, "-465.0", DType::F8E4M3, "nan:0xff"},
    {DType::F64, "1.125000000001", DType::F8E5M2, "1.25"},
    {DType::I64, "1000000", DType::F8E5M2, "inf"},
    {DType::I32, "-447", DType::F8E4M3, "-448.0"},
    // To u32x4 and back.
    {DType::I32, "1", DType::U32x4, "00000001:9e3779b8:6c078964:00010001"},
    {DType::I32, "-1", DType::U32x4, "ffffffff:61c88646:93f8769a:00000000"},
    {DType::I32, "0", DType::U32x4, "00000000:9e3779b9:6c078965:00000000"},
    {DType::U32, "305419896", DType::U32x4, "12345678:8c032fc1:7e33df1d:444c444c"},
    {DType::U64, "81985529216486895", DType::U32x4, "89abcdef:01234567:00000000:00000000"},
    {DType::F32, "1.0", DType::U32x4, "3f800000:00000000:00000000:00000000"},
    {DType::F64, "1.0", DType::U32x4, "00000000:3ff00000:00000000:00000000"},
    {DType::F16, "1.0", DType::U32x4, "00003c00:00000000:00000000:00000000"},
    {DType::U32x4, "12345678:8c032fc1:7e33df1d:444c444c", DType::U32, "305419896"},
    {DType::U32x4, "00000000:3ff00000:00000000:00000000", DType::F64, "1.0"},
};

TEST(Scalar, castsByTheRules)
{
    for (const CastRow &row : kCasts) {
        const Scalar cast = parseScalar(row.from, row.value).value().castTo(row.to);
        EXPECT_EQ(cast, parseScalar(row.to, row.expected).value())
            << nameOf(row.from) << " " << row.value << " to " << nameOf(row.to) << " is " << toText(cast);
    }
}

TEST(Scalar, knowsTheExtremesOfTypes)
{
    EXPECT_EQ(toText(lowestOf(DType::I8)), "-128");
    EXPECT_EQ(toText(highestOf(DType::I64)), "9223372036854775807");
    EXPECT_EQ(toText(highestOf(DType::U64)), "18446744073709551615");
    EXPECT_EQ(toText(lowestOf(DType::U16)), "0");
    EXPECT_EQ(toText(lowestOf(DType::F16)), "-inf");
    EXPECT_EQ(toText(lowestOf(DType::Bool)), "false");
    EXPECT_EQ(toText(highestOf(DType::Bool)), "true");
}

TEST(DType, promotesInOneTotalOrder)
{
    for (const DType a : allDTypes()) {
        EXPECT_EQ(promote(a, a), a);
        for (const DType b : allDTypes()) {
            EXPECT_EQ(promote(a, b), promote(b, a));
            EXPECT_TRUE(promote(a, b) == a || promote(a, b) == b);
            for (const DType c : allDTypes())
                EXPECT_EQ(promote(promote(a, b), c), promote(a, promote(b, c)));
        }
    }
    constexpr DType kOrder[] = {DType::Unit, DType::Bool,   DType::U8,  DType::U16,  DType::I32, DType::U32, DType::I64,
                                DType::U64,  DType::F8E5M2, DType::F16, DType::BF16, DType::F32, DType::F64, DType::U32x4};
    for (std::size_t i = 1; i < std::size(kOrder); ++i)
        EXPECT_EQ(promote(kOrder[i - 1], kOrder[i]), kOrder[i]) << nameOf(kOrder[i]);
}

TEST(DType, isFoundByNameAndAlias)
{
    for (const DType dtype : allDTypes()) {
        EXPECT_EQ(dtypeNamed(nameOf(dtype)), dtype);
    }
    EXPECT_EQ(dtypeNamed("single"), DType::F32);
    EXPECT_EQ(dtypeNamed("float32"), DType::F32);
    EXPECT_EQ(dtypeNamed("uint4x32"), DType::U32x4);
    EXPECT_EQ(dtypeNamed("fp8"), DType::F8E5M2);
    EXPECT_EQ(dtypeNamed("void"), DType::Unit);
    EXPECT_FALSE(dtypeNamed("single float32"));
    EXPECT_FALSE(dtypeNamed(""));
    EXPECT_FALSE(dtypeNamed("f33"));
}

} // namespace
} // namespace sw
