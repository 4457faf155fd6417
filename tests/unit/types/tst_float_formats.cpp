#include "engine/types/float_formats.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace sw {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Narrowed {
    float value;
    std::uint16_t bf16;
    std::uint16_t f16;
};

// Round to nearest even; ties and carries into the next exponent among them.
constexpr Narrowed kNarrowed[] = {
    {-0.0F, 0x8000, 0x8000},       {1.0F, 0x3f80, 0x3c00},        {-1.0F, 0xbf80, 0xbc00},
    {1.125F, 0x3f90, 0x3c80},      {1.12500095F, 0x3f90, 0x3c80}, {1.375F, 0x3fb0, 0x3d80},
    {1.5F, 0x3fc0, 0x3e00},        {1.75F, 0x3fe0, 0x3f00},       {1.625F, 0x3fd0, 0x3e80},
    {1.875F, 0x3ff0, 0x3f80},      {3.0F, 0x4040, 0x4200},        {0.1F, 0x3dcd, 0x2e66},
    {3.14159274F, 0x4049, 0x4248}, {0x1p-14F, 0x3880, 0x0400},    {0x1p-15F, 0x3800, 0x0200},
    {0x1p-16F, 0x3780, 0x0100},    {0x1p-17F, 0x3700, 0x0080},    {0x1.000002p-17F, 0x3700, 0x0080},
    {0x1.fp-15F, 0x3878, 0x03e0},  {1e-5F, 0x3728, 0x00a8},       {448, 0x43e0, 0x5f00},
    {464, 0x43e8, 0x5f40},         {480, 0x43f0, 0x5f80},         {57344, 0x4760, 0x7b00},
    {61439, 0x4770, 0x7b80},       {61440, 0x4770, 0x7b80},       {65504, 0x4780, 0x7bff},
    {65536, 0x4780, 0x7c00},       {kInfinity, 0x7f80, 0x7c00},   {-kInfinity, 0xff80, 0xfc00},
};

// f8e5m2 and f8e4m3; 448 is the largest number of the latter.
struct NarrowedToByte {
    float value;
    std::uint8_t e5m2;
    std::uint8_t e4m3;
};

constexpr NarrowedToByte kNarrowedToByte[] = {
    {-0.0F, 0x80, 0x80},       {1.0F, 0x3c, 0x38},        {-1.0F, 0xbc, 0xb8},
    {1.125F, 0x3c, 0x39},      {1.12500095F, 0x3d, 0x39}, {1.375F, 0x3e, 0x3b},
    {1.5F, 0x3e, 0x3c},        {1.75F, 0x3f, 0x3e},       {1.625F, 0x3e, 0x3d},
    {1.875F, 0x40, 0x3f},      {3.0F, 0x42, 0x44},        {0.1F, 0x2e, 0x1d},
    {3.14159274F, 0x42, 0x45}, {0x1p-14F, 0x04, 0x00},    {0x1p-15F, 0x02, 0x00},
    {0x1p-16F, 0x01, 0x00},    {0x1p-17F, 0x00, 0x00},    {0x1.000002p-17F, 0x01, 0x00},
    {0x1.fp-15F, 0x04, 0x00},  {1e-5F, 0x01, 0x00},       {448, 0x5f, 0x7e},
    {464, 0x5f, 0x7e},         {480, 0x60, 0x7f},         {57344, 0x7b, 0x7f},
    {61439, 0x7b, 0x7f},       {61440, 0x7c, 0x7f},       {65504, 0x7c, 0x7f},
    {65536, 0x7c, 0x7f},       {kInfinity, 0x7c, 0x7f},   {-kInfinity, 0xfc, 0xff},
    {0x1p-9F, 0x18, 0x01},     {0x1p-10F, 0x14, 0x00},    {0x1.8p-10F, 0x16, 0x01},
    {0x1.ep-7F, 0x24, 0x08},
};

struct BitPair {
    std::uint32_t f32;
    std::uint16_t narrow;
};

constexpr BitPair kBf16Bits[] = {
    {0x3f808000, 0x3f80}, {0x3f818000, 0x3f82}, {0x3f808001, 0x3f81}, {0x3f807fff, 0x3f80}, {0x7f7fffff, 0x7f80},
    {0x7f7f7fff, 0x7f7f}, {0x00008000, 0x0000}, {0x00008001, 0x0001}, {0x00018000, 0x0002},
};

constexpr BitPair kF16Bits[] = {
    {0x477fefff, 0x7bff}, {0x477ff000, 0x7c00}, {0x387fc000, 0x03ff}, {0x387fe000, 0x0400}, {0x387fefff, 0x0400},
    {0x38800000, 0x0400}, {0x33800000, 0x0001}, {0x33000000, 0x0000}, {0x33000001, 0x0001}, {0x33400000, 0x0001},
    {0x33c00000, 0x0002}, {0x3f801000, 0x3c00}, {0x3f803000, 0x3c02}, {0x3f801001, 0x3c01}, {0x3eaaaaab, 0x3555},
};

TEST(FloatFormats, roundsToNearestEven)
{
    for (const Narrowed &row : kNarrowed) {
        EXPECT_EQ(bf16FromF32(row.value), row.bf16) << row.value;
        EXPECT_EQ(f16FromF32(row.value), row.f16) << row.value;
        EXPECT_EQ(bf16FromF64(row.value), row.bf16) << row.value;
        EXPECT_EQ(f16FromF64(row.value), row.f16) << row.value;
    }
    for (const BitPair &row : kBf16Bits)
        EXPECT_EQ(bf16FromF32(std::bit_cast<float>(row.f32)), row.narrow) << std::hex << row.f32;
    for (const BitPair &row : kF16Bits)
        EXPECT_EQ(f16FromF32(std::bit_cast<float>(row.f32)), row.narrow) << std::hex << row.f32;
}

TEST(FloatFormats, roundsToTheFormatsOfEightBits)
{
    for (const NarrowedToByte &row : kNarrowedToByte) {
        EXPECT_EQ(f8e5m2FromF32(row.value), row.e5m2) << row.value;
        EXPECT_EQ(f8e4m3FromF32(row.value), row.e4m3) << row.value;
        EXPECT_EQ(f8e5m2FromF64(row.value), row.e5m2) << row.value;
        EXPECT_EQ(f8e4m3FromF64(row.value), row.e4m3) << row.value;
    }
    EXPECT_EQ(f8e5m2FromF64(1.125 + 0x1p-50), 0x3d);
    EXPECT_EQ(f8e4m3FromF64(464 + 0x1p-40), 0x7f);
    EXPECT_EQ(f32FromF8e5m2(0x01), 0x1p-16F);
    EXPECT_EQ(f32FromF8e5m2(0x03), 0x1.8p-15F);
    EXPECT_EQ(f32FromF8e5m2(0x3d), 1.25F);
    EXPECT_EQ(f32FromF8e5m2(0x7b), 57344.0F);
    EXPECT_EQ(f32FromF8e4m3(0x7e), 448.0F);
    EXPECT_EQ(f32FromF8e4m3(0x01), 0x1p-9F);
}

TEST(FloatFormats, keepsNanAndItsSign)
{
    for (const std::uint32_t bits : {0x7f800001U, 0x7fffffffU, 0xffffffffU, 0xff800001U, 0x7fc00000U}) {
        const auto value = std::bit_cast<float>(bits);
        EXPECT_TRUE(std::isnan(f32FromBf16(bf16FromF32(value)))) << std::hex << bits;
        EXPECT_TRUE(std::isnan(f32FromF16(f16FromF32(value)))) << std::hex << bits;
        EXPECT_EQ(bf16FromF32(value) >> 15U, bits >> 31U);
        EXPECT_EQ(f16FromF32(value) >> 15U, bits >> 31U);
        EXPECT_TRUE(std::isnan(f32FromF8e5m2(f8e5m2FromF32(value)))) << std::hex << bits;
        EXPECT_TRUE(std::isnan(f32FromF8e4m3(f8e4m3FromF32(value)))) << std::hex << bits;
        EXPECT_EQ(f8e5m2FromF32(value) >> 7U, bits >> 31U);
        EXPECT_EQ(f8e4m3FromF32(value) >> 7U, bits >> 31U);
    }
}

TEST(FloatFormats, decodesAndEncodesEveryPattern)
{
    for (std::uint32_t bits = 0; bits < 0x100U; ++bits) {
        const auto narrow = static_cast<std::uint8_t>(bits);
        ASSERT_TRUE(std::isnan(f32FromF8e5m2(narrow)) || f8e5m2FromF32(f32FromF8e5m2(narrow)) == narrow) << bits;
        ASSERT_TRUE(std::isnan(f32FromF8e4m3(narrow)) || f8e4m3FromF32(f32FromF8e4m3(narrow)) == narrow) << bits;
    }
    for (std::uint32_t bits = 0; bits < 0x10000U; ++bits) {
        const auto narrow = static_cast<std::uint16_t>(bits);
        ASSERT_TRUE(std::isnan(f32FromF16(narrow)) || f16FromF32(f32FromF16(narrow)) == narrow) << narrow;
        ASSERT_TRUE(std::isnan(f32FromBf16(narrow)) || bf16FromF32(f32FromBf16(narrow)) == narrow) << narrow;
    }
}

// Half of the last place and a bit more than f32 can hold: going through f32 would make it a tie and round down.
TEST(FloatFormats, roundsF64Once)
{
    EXPECT_EQ(f16FromF64(1 + 0x1p-11 + 0x1p-40), 0x3c01);
    EXPECT_EQ(f16FromF64(1 + 0x1p-11 - 0x1p-40), 0x3c00);
    EXPECT_EQ(f16FromF64(1 + 0x1p-11), 0x3c00);
    EXPECT_EQ(bf16FromF64(1 + 0x1p-8 + 0x1p-40), 0x3f81);
    EXPECT_EQ(f16FromF64(-(0x1p-25 + 0x1p-60)), 0x8001);
    EXPECT_EQ(f16FromF64(1e300), 0x7c00);
    EXPECT_EQ(bf16FromF64(-1e300), 0xff80);
    EXPECT_EQ(bf16FromF64(1e-300), 0x0000);
}

} // namespace
} // namespace sw
