#pragma once
// How far two results of the same program are apart, and whether each element may be: integers and bools must be equal, NaN meets
// NaN and an infinity the same one, -0 is equal to +0. Any other float is judged by the limit that its own computation sets
// (output_limits.h). Where there is none, by a tolerance of the whole tensor, |a - e| <= absolute * scale + relative * |e|, where
// scale is the largest finite magnitude in the expected tensor; how many elements had to be judged so is part of the result.

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

enum class JudgedBy : std::uint8_t { Limit, Tolerance };

struct Divergence {
    std::int64_t flatIndex = 0;
    Scalar expected;
    Scalar actual;
    double allowed = 0; // how far apart the two may be
    JudgedBy by = JudgedBy::Limit;
};

struct Comparison {
    bool equal = true; // all elements are as close as they must be
    double maxAbsolute = 0;
    double maxRelative = 0;
    std::uint64_t maxUlp = 0;        // steps between representable values; of integers: the difference
    std::optional<Divergence> worst; // the element that is furthest off, measured by what is allowed; nothing: all are the same
    std::optional<Divergence> first; // further apart than allowed
    std::int64_t divergences = 0;
    std::int64_t byTolerance = 0; // elements that differ and have no limit of their own
};

// Both must have the same type and shape (asserts). limits: f64, of that shape, infinite where there is none; null: there are
// none.
[[nodiscard]] Comparison compareTensors(const HostTensor &expected, const HostTensor &actual, const HostTensor *limits = nullptr);

} // namespace sw
