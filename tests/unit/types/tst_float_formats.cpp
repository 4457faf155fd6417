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

TEST(FloatFormats, keepsNanAndItsSign)
{
    for (const std::uint32_t bits : {0x7f800001U, 0x7fffffffU, 0xffffffffU, 0xff800001U, 0x7fc00000U}) {
        const auto value = std::bit_cast<float>(bits);
        EXPECT_TRUE(std::isnan(f32FromBf16(bf16FromF32(value)))) << std::hex << bits;
        EXPECT_TRUE(std::isnan(f32FromF16(f16FromF32(value)))) << std::hex << bits;
        EXPECT_EQ(bf16FromF32(value) >> 15U, bits >> 31U);
        EXPECT_EQ(f16FromF32(value) >> 15U, bits >> 31U);
    }
}

TEST(FloatFormats, decodesAndEncodesEveryPattern)
{
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
