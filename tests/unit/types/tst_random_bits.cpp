// The known answers of the counter-based generators and of the uniform numbers made of them.

#include "engine/types/random_bits.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sw {
namespace {

using Pair = std::array<std::uint32_t, 2>;
using Cell = std::array<std::uint32_t, 4>;

constexpr std::uint32_t kF = 0xffffffff;
constexpr Cell kZeros = {0, 0, 0, 0};
constexpr Cell kOnes = {kF, kF, kF, kF};
// The digits of pi: the counter and the key of Random123's third vector.
constexpr Cell kPiCounter = {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344};
constexpr Cell kPiKey = {0xa4093822, 0x299f31d0, 0x082efa98, 0xec4e6c89};

struct CellRow {
    std::uint32_t rounds;
    Cell counter;
    Cell key;
    Cell expected;
};

// Random123's file of known answers, and the same generator at other numbers of rounds.
constexpr CellRow kRandom123[] = {
    {13, kZeros, kZeros, {0x531c7e4f, 0x39491ee5, 0x2c855a92, 0x3d6abf9a}},
    {13, kOnes, kOnes, {0xc4189358, 0x1c9cc83a, 0xd5881c67, 0x6a0a89e0}},
    {13, kPiCounter, kPiKey, {0x4aa71d8f, 0x734738c2, 0x431fc6a8, 0xae6debf1}},
    {20, kZeros, kZeros, {0x9c6ca96a, 0xe17eae66, 0xfc10ecd4, 0x5256a7d8}},
    {20, kOnes, kOnes, {0x2a881696, 0x57012287, 0xf6c7446e, 0xa16a6732}},
    {20, kPiCounter, kPiKey, {0x59cd1dbb, 0xb8879579, 0x86b5d00c, 0xac8b6d84}},
    {72, kZeros, kZeros, {0x93171da6, 0x9220326d, 0xb392b7b1, 0xff58a002}},
    {72, kOnes, kOnes, {0x60743f3d, 0x9961e684, 0xaab21c34, 0x8c65fb7d}},
    {72, kPiCounter, kPiKey, {0x09930adf, 0x7f27bd55, 0x9ed68ce1, 0x97f803f6}},
    {20, {5, 6, 7, 8}, {1, 2, 3, 4}, {0x0851810c, 0x11b8ead3, 0xbfcab2d2, 0x7b13d57f}},
    {12, kZeros, kZeros, {0xa97328cd, 0xa9a95582, 0x2e34d974, 0xfe50811e}},
    {12, kOnes, kOnes, {0x38b681eb, 0x8b62116d, 0xac2fa06f, 0x29587bf8}},
    {12, kPiCounter, kPiKey, {0x15bf9cfa, 0x34e78095, 0x204a27d1, 0x22d59ed7}},
    {4, kZeros, kZeros, {0x00000000, 0x00000000, 0x00000000, 0x1bd11bdb}},
    {4, kPiCounter, kPiKey, {0xb333114b, 0xeb0c27f2, 0x91af3137, 0xc78b3137}},
    {2, kZeros, kZeros, {0, 0, 0, 0}},
    {2, kOnes, kOnes, {0x03ffffff, 0x806003ff, 0x000003ff, 0x03ffe7df}},
    {2, kPiCounter, kPiKey, {0xb4447d39, 0xf4685489, 0x8a67b883, 0x78bb1cdc}},
};

TEST(Threefry, is4x32OfRandom123)
{
    for (const CellRow &row : kRandom123)
        EXPECT_EQ(threefry4x32(row.key, row.counter, row.rounds), row.expected) << row.rounds;
}

struct VariantRow {
    ThreefryVariant variant;
    RandomStream stream;
    Cell counter;
    Cell key;
    Cell expected;
};

constexpr auto kCrypto = ThreefryVariant::FourByThirtyTwoCrypto;
constexpr auto kLight = ThreefryVariant::FourByThirtyTwoLight;

constexpr VariantRow kVariants[] = {
    {kCrypto, RandomStream::Random123, kPiCounter, kPiKey, {0x59cd1dbb, 0xb8879579, 0x86b5d00c, 0xac8b6d84}},
    {kCrypto, RandomStream::Ocannl, kZeros, kZeros, {0xaed7ff00, 0xdea3e3f9, 0x9c760045, 0xcd7c88b6}},
    {kCrypto, RandomStream::Ocannl, kOnes, kOnes, {0xa0ead4bd, 0x4a15bec1, 0x182423ea, 0x0a888de2}},
    {kCrypto, RandomStream::Ocannl, kPiCounter, kPiKey, {0x15472028, 0x0e3524b2, 0xa6e5d100, 0xda3458b1}},
    {kCrypto, RandomStream::Ocannl, {5, 6, 7, 8}, {1, 2, 3, 4}, {0x680d9e8e, 0x395e5c30, 0xf480106d, 0x557b82c0}},
    {kLight, RandomStream::Ocannl, kZeros, kZeros, {0x00000000, 0x00000000, 0x00000000, 0x1bd11bdb}},
    {kLight, RandomStream::Ocannl, kOnes, kOnes, {0xed89317e, 0x64494bb2, 0x4a773d2b, 0x9b99f8da}},
    {kLight, RandomStream::Ocannl, kPiCounter, kPiKey, {0xc6b1c1b3, 0x67c5bbc4, 0xb684fe2a, 0xd9ebbff4}},
    {kLight, RandomStream::Ocannl, {5, 6, 7, 8}, {1, 2, 3, 4}, {0xd34edf16, 0x15111494, 0x5f161b96, 0x23d327f2}},
    {kLight, RandomStream::Random123, kZeros, kZeros, {0x00000000, 0x00000000, 0x00000000, 0x1bd11bdb}},
    {kLight, RandomStream::Random123, kOnes, kOnes, {0x03fffffe, 0x806003fe, 0x000003fe, 0x1fd103ba}},
    {kLight, RandomStream::Random123, kPiCounter, kPiKey, {0xdde3af09, 0xfc974f21, 0x76b6250c, 0xeae2a116}},
};

TEST(Threefry, hasTheVariantsAndStreams)
{
    for (const VariantRow &row : kVariants)
        EXPECT_EQ(threefry4x32(row.variant, row.stream, row.key, row.counter), row.expected);
}

struct PairRow {
    std::uint32_t rounds;
    Pair counter;
    Pair key;
    Pair expected;
};

constexpr Pair kPiCounter2 = {0x243f6a88, 0x85a308d3};
constexpr Pair kPiKey2 = {0x13198a2e, 0x03707344};

constexpr PairRow kPairs[] = {
    {13, {0, 0}, {0, 0}, {0x9d1c5ec6, 0x8bd50731}},       {13, {kF, kF}, {kF, kF}, {0xfd36d048, 0x2d17272c}},
    {13, kPiCounter2, kPiKey2, {0xba3e4725, 0xf27d669e}}, {20, {0, 0}, {0, 0}, {0x6b200159, 0x99ba4efe}},
    {20, {kF, kF}, {kF, kF}, {0x1cb996fc, 0xbb002be7}},   {20, kPiCounter2, kPiKey2, {0xc4923a9c, 0x483df7a0}},
    {32, {0, 0}, {0, 0}, {0xcee3d47e, 0xa23dfd5c}},       {32, {kF, kF}, {kF, kF}, {0x6e2fe0d0, 0xb1b76f82}},
    {32, kPiCounter2, kPiKey2, {0xe2827716, 0xc3c05cdf}},
};

TEST(Threefry, is2x32OfRandom123)
{
    for (const PairRow &row : kPairs)
        EXPECT_EQ(threefry2x32(row.key, row.counter, row.rounds), row.expected) << row.rounds;
}

// Key (0, 1337) and counters (i, i + 10).
TEST(Threefry, is2x32OfJax)
{
    constexpr std::array<std::uint32_t, 10> kFirst = {2221762175, 1752107825, 653745012, 1967534793, 1395205442,
                                                      3840423848, 2159346757, 603508235, 3319473678, 3363866483};
    constexpr std::array<std::uint32_t, 10> kSecond = {3544324138, 1436466838, 2169858556, 2570072943, 2387150698,
                                                       3678370550, 2911697663, 403244401,  2560861638, 1692360114};
    for (std::uint32_t i = 0; i < kFirst.size(); ++i)
        EXPECT_EQ(threefry2x32(Pair{0, 1337}, Pair{i, i + 10}), (Pair{kFirst.at(i), kSecond.at(i)}));
}

TEST(RandomBits, areNumbersBelowOne)
{
    for (const DType dtype : {DType::F8E5M2, DType::F8E4M3, DType::F16, DType::BF16, DType::F32, DType::F64}) {
        const Scalar most = uniformOf(dtype, ~std::uint64_t{0} >> (64 - infoOf(dtype).bits));
        EXPECT_LT(most.asDouble(), 1.0) << nameOf(dtype);
        EXPECT_EQ(most.asDouble(), 1 - std::ldexp(1.0, -static_cast<int>(significandBits(dtype)))) << nameOf(dtype);
        EXPECT_EQ(uniformOf(dtype, 0).asDouble(), 0.0);
    }
    EXPECT_EQ(uniformOf(DType::F64, 0x9abcdef012345678).asDouble(), 0x1.3579bde02468ap-1);
    EXPECT_EQ(uniformOf(DType::F32, 0x12345678).asDouble(), 0x1.23456p-4);
    EXPECT_EQ(uniformOf(DType::F16, 0x5678).bits(), 0x3566U);
    EXPECT_EQ(uniformOf(DType::BF16, 0x5678).bits(), 0x3eacU);
    EXPECT_EQ(uniformOf(DType::F8E5M2, 0x78).bits(), 0x36U);
    EXPECT_EQ(uniformOf(DType::I8, 0xef).asInt(), -17);
}

} // namespace
} // namespace sw
