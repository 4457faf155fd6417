// The loops behind the roofs of tensor instructions: one for each row of the table that this processor has.

#include "engine/execute/roof_loops.h"

#include "engine/backend/cpu/tile_registers.h"
#include "engine/base/assert.h"
#include "engine/ops/tensor_instructions.h"

#include <algorithm>
#include <array>
#include <vector>

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace sw {

namespace {

#ifdef __x86_64__

// As LLVM names it; false for what no row asks for. Of vectors: the system keeps them, too.
bool hasFeature(std::string_view name)
{
    std::array<std::uint32_t, 4> first{};  // eax, ebx, ecx, edx
    std::array<std::uint32_t, 4> second{}; // of the next subleaf
    __get_cpuid_count(7, 0, &first[0], &first[1], &first[2], &first[3]);
    __get_cpuid_count(7, 1, &second[0], &second[1], &second[2], &second[3]);
    const auto bit = [](std::uint32_t word, unsigned place) { return ((word >> place) & 1U) != 0; };
    if (name == "amx-bf16")
        return bit(first[3], 22);
    if (name == "amx-tile")
        return bit(first[3], 24) && mayUseTileRegisters();
    if (name == "amx-int8")
        return bit(first[3], 25);
    if (name == "avx512vl")
        return __builtin_cpu_supports("avx512vl");
    if (name == "avx512vnni")
        return bit(first[2], 11);
    if (name == "avx512bf16")
        return bit(second[0], 5);
    return false;
}

bool isHere(const TensorInstructionInfo &info)
{
    for (std::string_view left = info.features; !left.empty();) {
        const std::size_t end = std::min(left.find(' '), left.size());
        if (!hasFeature(left.substr(0, end)))
            return false;
        left.remove_prefix(std::min(end + 1, left.size()));
    }
    return true;
}

// Four products of two tiles by two, as many as a kernel has side by side.
constexpr std::int64_t kTileProducts = 4;

struct alignas(64) TileConfiguration {
    std::uint8_t palette = 1;
    std::uint8_t startRow = 0;
    std::array<std::uint8_t, 14> reserved{};
    std::array<std::uint16_t, 16> rowBytes{64, 64, 64, 64, 64, 64, 64, 64};
    std::array<std::uint8_t, 16> rows{16, 16, 16, 16, 16, 16, 16, 16};
};

#define SW_TILE_LOOP(FUNCTION, NAME)                                                                                   \
    __attribute__((target("amx-tile,amx-bf16,amx-int8"))) void FUNCTION(std::int64_t rounds)                           \
    {                                                                                                                  \
        const TileConfiguration configuration;                                                                         \
        asm volatile("ldtilecfg %0\n\t"                                                                                \
                     "tilezero %%tmm0\n\ttilezero %%tmm1\n\ttilezero %%tmm2\n\ttilezero %%tmm3\n\t"                    \
                     "tilezero %%tmm4\n\ttilezero %%tmm5\n\ttilezero %%tmm6\n\ttilezero %%tmm7" ::"m"(configuration)); \
        for (std::int64_t i = 0; i < rounds; ++i)                                                                      \
            asm volatile(NAME " %%tmm6, %%tmm4, %%tmm0\n\t" NAME " %%tmm7, %%tmm4, %%tmm1\n\t" NAME                    \
                              " %%tmm6, %%tmm5, %%tmm2\n\t" NAME " %%tmm7, %%tmm5, %%tmm3" ::);                        \
        asm volatile("tilerelease" ::);                                                                                \
    }

SW_TILE_LOOP(bf16Tiles, "tdpbf16ps")
SW_TILE_LOOP(signedTiles, "tdpbssd")
SW_TILE_LOOP(unsignedTiles, "tdpbuud")
SW_TILE_LOOP(unsignedBySignedTiles, "tdpbusd")
SW_TILE_LOOP(signedByUnsignedTiles, "tdpbsud")

#undef SW_TILE_LOOP

// Eight chains: more than the latency of such a product times how many begin per cycle.
constexpr std::int64_t kVectorChains = 8;

#define SW_STEP(NAME, CHAIN) NAME " %8, %8, %" CHAIN "\n\t"
#define SW_VECTOR_LOOP(FUNCTION, TARGET, NAME)                                                                            \
    __attribute__((target(TARGET))) void FUNCTION(std::int64_t rounds)                                                    \
    {                                                                                                                     \
        const __m512i one = _mm512_set1_epi32(0x3f803f80); /* two numbers 1 of bf16 */                                    \
        __m512i a[kVectorChains] = {one, one, one, one, one, one, one, one};                                              \
        for (std::int64_t i = 0; i < rounds; ++i)                                                                         \
            asm volatile(SW_STEP(NAME, "0") SW_STEP(NAME, "1") SW_STEP(NAME, "2") SW_STEP(NAME, "3") SW_STEP(NAME, "4")   \
                             SW_STEP(NAME, "5") SW_STEP(NAME, "6") SW_STEP(NAME, "7")                                     \
                         : "+v"(a[0]), "+v"(a[1]), "+v"(a[2]), "+v"(a[3]), "+v"(a[4]), "+v"(a[5]), "+v"(a[6]), "+v"(a[7]) \
                         : "v"(one));                                                                                     \
    }

SW_VECTOR_LOOP(bf16Vectors, "avx512f,avx512bf16", "vdpbf16ps")
SW_VECTOR_LOOP(byteVectors, "avx512f,avx512vnni", "vpdpbusd")

#undef SW_VECTOR_LOOP
#undef SW_STEP

using Loop = void (*)(std::int64_t rounds);

Loop loopOf(TensorInstruction one)
{
    switch (one) {
    case TensorInstruction::AmxBf16:
        return bf16Tiles;
    case TensorInstruction::AmxI8:
        return signedTiles;
    case TensorInstruction::AmxU8:
        return unsignedTiles;
    case TensorInstruction::AmxU8I8:
        return unsignedBySignedTiles;
    case TensorInstruction::AmxI8U8:
        return signedByUnsignedTiles;
    case TensorInstruction::DotBf16:
        return bf16Vectors;
    case TensorInstruction::DotU8I8:
    case TensorInstruction::DotI8:
        return byteVectors;
    }
    SW_UNREACHABLE();
}

std::vector<ArithmeticLoop> loopsHere()
{
    std::vector<ArithmeticLoop> loops;
    for (const TensorInstruction one : allTensorInstructions()) {
        const TensorInstructionInfo &info = infoOf(one);
        if (!isHere(info))
            continue;
        const std::int64_t products = hasTileRegisters(info) ? kTileProducts : kVectorChains;
        loops.push_back({info.name, products * 2 * info.rows * info.columns * info.depth, loopOf(one)});
    }
    return loops;
}

#else

std::vector<ArithmeticLoop> loopsHere()
{
    return {};
}

#endif

} // namespace

std::span<const ArithmeticLoop> tensorLoops()
{
    static const std::vector<ArithmeticLoop> loops = loopsHere();
    return loops;
}

} // namespace sw
