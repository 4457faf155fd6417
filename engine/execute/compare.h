#pragma once
// How far apart two results of a program are, and whether each element is close enough: integers and bools must be equal, NaN
// matches NaN, an infinity matches the same infinity, and -0 equals +0. Any other float is judged by the limit that its own
// computation sets (output_limits.h). Without one, a tolerance for the whole tensor applies, |a - e| <= absolute * scale +
// relative * |e|, where scale is the largest finite magnitude in the expected tensor; the result counts such elements.

#include "engine/types/host_tensor.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sw {

struct Tolerance {
    double relative = 0;
    double absolute = 0;
};

// f32: 1e-4 and 1e-5. f64: 1e-10 and 1e-12. f16 and bf16: four and two times their epsilon. Others: exact.
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
    bool equal = true; // all elements are within what is allowed
    double maxAbsolute = 0;
    double maxRelative = 0;
    std::uint64_t maxUlp = 0;        // steps between representable values; for integers the difference
    std::optional<Divergence> worst; // the element furthest off relative to what is allowed; nothing: all are the same
    std::optional<Divergence> first; // the first element that is further off than allowed
    std::int64_t divergences = 0;
    std::int64_t byTolerance = 0; // elements that differ and have no limit of their own
    std::string otherShape = {};  // "[3] instead of [4]", where a count cut the outputs to other sizes: they are not equal
};

// All elements that are further off than allowed, by the same rules as below.
[[nodiscard]] std::vector<Divergence> divergencesOf(const HostTensor &expected, const HostTensor &actual,
                                                    const HostTensor *limits = nullptr);

// Both must have the same type (asserts). limits: f64, of the same shape, infinite for elements without a limit; null, or of
// another shape: no element has one.
[[nodiscard]] Comparison compareTensors(const HostTensor &expected, const HostTensor &actual, const HostTensor *limits = nullptr);

} // namespace sw
