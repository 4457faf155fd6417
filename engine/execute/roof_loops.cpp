#include "engine/execute/roof_loops.h"

#include "engine/base/assert.h"

#include <array>
#include <vector>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace sw {

namespace {

#ifdef __x86_64__

// Twelve chains: more than the latency of an operation times how many begin per cycle, on processors of today.
constexpr std::int64_t kChains = 12;

#define SW_CHAIN_OPERANDS(C, a)                                                                                          \
    "+" C(a[0]), "+" C(a[1]), "+" C(a[2]), "+" C(a[3]), "+" C(a[4]), "+" C(a[5]), "+" C(a[6]), "+" C(a[7]), "+" C(a[8]), \
        "+" C(a[9]), "+" C(a[10]), "+" C(a[11])

// clang-format off
// Six additions and six multiplications.
#define SW_ROUND(STEP, ADD, MULTIPLY)                                   \
    STEP(ADD, "0") STEP(MULTIPLY, "1") STEP(ADD, "2") STEP(MULTIPLY, "3") \
    STEP(ADD, "4") STEP(MULTIPLY, "5") STEP(ADD, "6") STEP(MULTIPLY, "7") \
    STEP(ADD, "8") STEP(MULTIPLY, "9") STEP(ADD, "10") STEP(MULTIPLY, "11")
// clang-format on

// Operand 12 is the number 1.
#define SW_TWO_OPERANDS(NAME, CHAIN) NAME " %12, %" CHAIN "\n\t"
#define SW_THREE_OPERANDS(NAME, CHAIN) NAME " %12, %" CHAIN ", %" CHAIN "\n\t"
#define SW_FUSED(NAME, CHAIN) NAME " %12, %12, %" CHAIN "\n\t"

#define SW_LOOP(FUNCTION, TARGET, VECTOR, ONE, CONSTRAINT, STEP, ADD, MULTIPLY)                               \
    __attribute__((target(TARGET))) void FUNCTION(std::int64_t rounds)                                        \
    {                                                                                                         \
        const VECTOR one = ONE;                                                                               \
        VECTOR a[kChains] = {one, one, one, one, one, one, one, one, one, one, one, one};                     \
        for (std::int64_t i = 0; i < rounds; ++i)                                                             \
            asm volatile(SW_ROUND(STEP, ADD, MULTIPLY) : SW_CHAIN_OPERANDS(CONSTRAINT, a) : CONSTRAINT(one)); \
    }

#define SW_ANY_REGISTER(x) "x"(x)
#define SW_WIDE_REGISTER(x) "v"(x)

SW_LOOP(scalarLoop, "sse2", __m128, _mm_set1_ps(1), SW_ANY_REGISTER, SW_TWO_OPERANDS, "addss", "mulss")
SW_LOOP(sseLoop, "sse2", __m128, _mm_set1_ps(1), SW_ANY_REGISTER, SW_TWO_OPERANDS, "addps", "mulps")
SW_LOOP(avxLoop, "avx2", __m256, _mm256_set1_ps(1), SW_ANY_REGISTER, SW_THREE_OPERANDS, "vaddps", "vmulps")
SW_LOOP(avxFusedLoop, "avx2,fma", __m256, _mm256_set1_ps(1), SW_ANY_REGISTER, SW_FUSED, "vfmadd231ps", "vfmadd231ps")
SW_LOOP(wideLoop, "avx512f", __m512, _mm512_set1_ps(1), SW_WIDE_REGISTER, SW_THREE_OPERANDS, "vaddps", "vmulps")
SW_LOOP(wideFusedLoop, "avx512f", __m512, _mm512_set1_ps(1), SW_WIDE_REGISTER, SW_FUSED, "vfmadd231ps", "vfmadd231ps")

#undef SW_WIDE_REGISTER
#undef SW_ANY_REGISTER
#undef SW_LOOP
#undef SW_FUSED
#undef SW_THREE_OPERANDS
#undef SW_TWO_OPERANDS
#undef SW_ROUND
#undef SW_CHAIN_OPERANDS

// VECTOR: what one load takes. Reads go on in four runs, STEP vectors at a time, of which each begins APART vectors after the
// last one; each has a variable of its own, since an array of them would be in memory. PUT writes to the memory.
#define SW_PASS(FUNCTION, TARGET, VECTOR, LOAD, STORE, PUT, ZERO, EITHER, APART, STEP)                   \
    __attribute__((target(TARGET))) std::uint64_t FUNCTION(std::span<std::byte> memory, Traffic traffic) \
    {                                                                                                    \
        const std::size_t count = memory.size() / sizeof(VECTOR);                                        \
        const std::size_t apart = APART;                                                                 \
        auto *const at = reinterpret_cast<VECTOR *>(memory.data());                                      \
        auto *const half = at + count / 2;                                                               \
        VECTOR a = ZERO;                                                                                 \
        VECTOR b = ZERO;                                                                                 \
        VECTOR c = ZERO;                                                                                 \
        VECTOR d = ZERO;                                                                                 \
        switch (traffic) {                                                                               \
        case Traffic::Read:                                                                              \
            for (std::size_t i = 0; i < count / 4 * STEP; i += STEP) {                                   \
                a = EITHER(a, LOAD(at + i));                                                             \
                b = EITHER(b, LOAD(at + i + apart));                                                     \
                c = EITHER(c, LOAD(at + i + 2 * apart));                                                 \
                d = EITHER(d, LOAD(at + i + 3 * apart));                                                 \
            }                                                                                            \
            break;                                                                                       \
        case Traffic::Write:                                                                             \
            for (std::size_t i = 0; i < count; i += 4) {                                                 \
                PUT(at + i, a);                                                                          \
                PUT(at + i + 1, a);                                                                      \
                PUT(at + i + 2, a);                                                                      \
                PUT(at + i + 3, a);                                                                      \
            }                                                                                            \
            break;                                                                                       \
        case Traffic::Copy:                                                                              \
            for (std::size_t i = 0; i < count / 2; i += 4) {                                             \
                PUT(half + i, LOAD(at + i));                                                             \
                PUT(half + i + 1, LOAD(at + i + 1));                                                     \
                PUT(half + i + 2, LOAD(at + i + 2));                                                     \
                PUT(half + i + 3, LOAD(at + i + 3));                                                     \
            }                                                                                            \
            break;                                                                                       \
        }                                                                                                \
        asm volatile("" : : "r"(memory.data()) : "memory"); /* what was written counts */                \
        alignas(sizeof(VECTOR)) std::uint64_t words[sizeof(VECTOR) / 8];                                 \
        STORE(reinterpret_cast<VECTOR *>(words), EITHER(EITHER(a, b), EITHER(c, d)));                    \
        return words[0];                                                                                 \
    }

#define SW_PASSES(BITS, BYTES, TARGET, VECTOR, FORM)                                                                         \
    SW_PASS(passOver##BYTES, TARGET, VECTOR, _mm##BITS##_load_##FORM, _mm##BITS##_store_##FORM, _mm##BITS##_store_##FORM,    \
            _mm##BITS##_setzero_##FORM(), _mm##BITS##_or_##FORM, 1, 4)                                                       \
    SW_PASS(passBeyond##BYTES, TARGET, VECTOR, _mm##BITS##_load_##FORM, _mm##BITS##_store_##FORM, _mm##BITS##_stream_##FORM, \
            _mm##BITS##_setzero_##FORM(), _mm##BITS##_or_##FORM, count / 4, 1)

SW_PASSES(, 16, "sse2", __m128i, si128)
SW_PASSES(256, 32, "avx2", __m256i, si256)
SW_PASSES(512, 64, "avx512f", __m512i, si512)

#undef SW_PASSES
#undef SW_PASS

std::uint64_t passBeyond(std::span<std::byte> memory, Traffic traffic)
{
    if (__builtin_cpu_supports("avx512f"))
        return passBeyond64(memory, traffic);
    return __builtin_cpu_supports("avx2") ? passBeyond32(memory, traffic) : passBeyond16(memory, traffic);
}

std::vector<ArithmeticLoop> loopsHere()
{
    std::vector<ArithmeticLoop> loops{{"scalar", kChains, scalarLoop}, {"SSE", 4 * kChains, sseLoop}};
    if (__builtin_cpu_supports("avx2"))
        loops.push_back({"AVX2", 8 * kChains, avxLoop});
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        loops.push_back({"AVX2 FMA", 16 * kChains, avxFusedLoop});
    if (__builtin_cpu_supports("avx512f")) {
        loops.push_back({"AVX-512", 16 * kChains, wideLoop});
        loops.push_back({"AVX-512 FMA", 32 * kChains, wideFusedLoop});
    }
    return loops;
}

#else

constexpr std::int64_t kPlainChains = 32;

void plainLoop(std::int64_t rounds)
{
    std::array<float, kPlainChains> chains{};
    for (std::int64_t i = 0; i < rounds; ++i) {
        for (float &chain : chains)
            chain = chain * 0.5F + 1.0F;
        asm volatile("" : "+m"(chains));
    }
}

std::vector<ArithmeticLoop> loopsHere()
{
    return {{"arithmetic", 2 * kPlainChains, plainLoop}};
}

#endif

} // namespace

std::string_view nameOf(Traffic traffic)
{
    switch (traffic) {
    case Traffic::Read:
        return "read";
    case Traffic::Write:
        return "write";
    case Traffic::Copy:
        return "copy";
    }
    SW_UNREACHABLE();
}

std::uint64_t passOver(std::span<std::byte> memory, Traffic traffic, [[maybe_unused]] Passage passage)
{
    SW_ASSERT(memory.size() % 1024 == 0 && reinterpret_cast<std::uintptr_t>(memory.data()) % 64 == 0, "whole lines of caches");
#ifdef __x86_64__
    if (passage == Passage::BeyondCaches) {
        const std::uint64_t seen = passBeyond(memory, traffic);
        _mm_sfence(); // what was written past the caches is there
        return seen;
    }
    if (__builtin_cpu_supports("avx512f"))
        return passOver64(memory, traffic);
    return __builtin_cpu_supports("avx2") ? passOver32(memory, traffic) : passOver16(memory, traffic);
#else
    auto *const words = reinterpret_cast<std::uint64_t *>(memory.data());
    const std::size_t count = memory.size() / 8;
    std::uint64_t seen = 0;
    switch (traffic) {
    case Traffic::Read:
        for (std::size_t i = 0; i < count; ++i)
            seen |= words[i];
        break;
    case Traffic::Write:
        for (std::size_t i = 0; i < count; ++i)
            words[i] = i;
        break;
    case Traffic::Copy:
        for (std::size_t i = 0; i < count / 2; ++i)
            words[count / 2 + i] = words[i];
        break;
    }
    asm volatile("" : : "r"(memory.data()) : "memory");
    return seen;
#endif
}

std::span<const ArithmeticLoop> arithmeticLoops()
{
    static const std::vector<ArithmeticLoop> loops = loopsHere();
    return loops;
}

} // namespace sw
