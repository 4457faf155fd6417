#pragma once
// How far two results of the same program are apart. Integers and bools must be equal. A float a agrees with the expected e when
// both are NaN, both are the same infinity, or |a - e| <= absolute * max(1, scale) + relative * |e|, where scale is the
// largest finite magnitude in the expected tensor: a sum that cancels is as exact as its terms, not as its result.

#include "engine/types/host_tensor.h"

#include <cstdint>
#include <optional>

namespace sw {

struct Tolerance {
    double relative = 0;
    double absolute = 0;
};

// f32: 1e-4 and 1e-5. f64: 1e-10 and 1e-12. f16 and bf16: four and two of their epsilons. Others: exact.
[[nodiscard]] Tolerance toleranceOf(DType dtype);

struct Divergence {
    std::int64_t flatIndex = 0;
    Scalar expected;
    Scalar actual;
};

struct Comparison {
    bool equal = true; // within the tolerance
    double maxAbsolute = 0;
    double maxRelative = 0;
    std::uint64_t maxUlp = 0;        // steps between representable values; of integers: the difference
    std::optional<Divergence> first; // outside the tolerance
    std::int64_t divergences = 0;
};

// Both must have the same type and shape (asserts).
[[nodiscard]] Comparison compareTensors(const HostTensor &expected, const HostTensor &actual, Tolerance tolerance);

} // namespace sw
