#pragma once
// One typed value, kept as the bits of its type, so that no literal loses a bit on its way through the stages.

#include "engine/base/result.h"
#include "engine/types/dtype.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace sw {

class Scalar {
public:
    Scalar() = default; // bool false

    [[nodiscard]] static Scalar fromBits(DType dtype, std::uint64_t bits);
    // A u32x4.
    [[nodiscard]] static Scalar fromWords(const std::array<std::uint32_t, 4> &words);
    // Converts by the rules of the Cast operation: floats round to nearest even, float to integer truncates and saturates,
    // NaN gives 0, integers wrap, bool is "not zero".
    [[nodiscard]] static Scalar of(DType dtype, double value);
    [[nodiscard]] static Scalar of(DType dtype, std::int64_t value);
    [[nodiscard]] static Scalar of(DType dtype, std::uint64_t value);
    [[nodiscard]] static Scalar ofBool(bool value) { return fromBits(DType::Bool, value ? 1 : 0); }

    [[nodiscard]] static Scalar load(DType dtype, const void *bytes);
    void store(void *bytes) const; // bytesOf(dtype()) bytes

    [[nodiscard]] DType dtype() const { return m_dtype; }
    [[nodiscard]] std::uint64_t bits() const { return m_bits; } // of a u32x4: the low two words
    [[nodiscard]] std::array<std::uint32_t, 4> words() const;   // the bits, least significant word first

    // The value as a C++ type; asserts that it is not a u32x4, which has none. asDouble is exact for every type except large
    // 64-bit integers.
    [[nodiscard]] double asDouble() const;
    [[nodiscard]] float asFloat() const;      // exact for f32, f16, bf16
    [[nodiscard]] std::int64_t asInt() const; // integers and bool: sign- or zero-extended; floats: Cast to i64
    [[nodiscard]] std::uint64_t asUnsigned() const;
    [[nodiscard]] bool asBool() const; // not zero (NaN is true)
    [[nodiscard]] bool isNan() const;

    // To u32x4: i32 and u32 spread to {x, x ^ 9e3779b9, x ^ 6c078965, x ^ rotl(x, 16)}; other types give their bits and zeros.
    // From u32x4: the inverse, so that a round trip gives the same value.
    [[nodiscard]] Scalar castTo(DType dtype) const;
    // Like castTo, but a number outside the target's range becomes its largest or smallest number. Infinity and NaN stay where
    // the target has them; in f8e4m3, infinity becomes 448.
    [[nodiscard]] Scalar saturatedTo(DType dtype) const;

    // Same type and same bits (so NaN equals itself, and 0.0 differs from -0.0).
    bool operator==(const Scalar &) const = default;

private:
    std::uint64_t m_bits = 0; // zero-extended
    std::uint64_t m_high = 0; // of a u32x4: the high two words
    DType m_dtype = DType::Bool;
};

// "1.5", "-3", "true", "inf", "nan". A NaN with non-default bits is "nan:0x7fc00001"; a u32x4 is its words in hexadecimal,
// "9c6ca96a:e17eae66:fc10ecd4:5256a7d8". The text reads back to the same bits.
[[nodiscard]] std::string toText(const Scalar &value);
[[nodiscard]] Result<Scalar> parseScalar(DType dtype, std::string_view text);

// The extreme values of the type: -inf and +inf for floats (-448 and 448 for f8e4m3, which has no infinities), false and true for
// bool.
[[nodiscard]] Scalar lowestOf(DType dtype);
[[nodiscard]] Scalar highestOf(DType dtype);
// The largest finite number of a float type.
[[nodiscard]] Scalar largestFiniteOf(DType dtype);

} // namespace sw
