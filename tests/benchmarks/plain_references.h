#pragma once
// What results are checked against, whatever libraries are here: loops as a person writes them down. They compute in f64 and
// round once, so that a difference is an error of the other side.

#include "tests/benchmarks/library_peers.h"

#include <cstddef>

namespace sw::benchmark {

// ---- each row by itself
using OfRow = void (*)(const float *x, float *y, std::size_t count);
void softmaxOf(const float *x, float *y, std::size_t count);
void logSoftmaxOf(const float *x, float *y, std::size_t count);
void layerNormOf(const float *x, float *y, std::size_t count);
void rmsNormOf(const float *x, float *y, std::size_t count);
[[nodiscard]] Computation alongRows(std::size_t rows, std::size_t columns, OfRow body);

// ---- each element by itself
using OfElement = double (*)(double x);
[[nodiscard]] double geluOf(double x);
[[nodiscard]] double chainOf(double x); // of the 12 operations of a case
[[nodiscard]] Computation ofEach(std::size_t elements, OfElement body);

// ---- `count` elements that lie `step` apart
using OfElements = float (*)(const float *x, std::size_t count, std::size_t step);
[[nodiscard]] float sumOf(const float *x, std::size_t count, std::size_t step);
[[nodiscard]] float largestOf(const float *x, std::size_t count, std::size_t step);
[[nodiscard]] float varianceOf(const float *x, std::size_t count, std::size_t step); // in two passes
[[nodiscard]] float placeOfLargest(const float *x, std::size_t count, std::size_t step);
// Of a square matrix: all of it, or one result for each column (its rows are reduced) or row (its columns are).
[[nodiscard]] Computation reducing(std::size_t side, Reduced reduced, OfElements body);

[[nodiscard]] Computation plainConvolution(const ConvolutionSize &size);

// Threefry 4x32 of two double rounds with OCANNL's rotations, written down from its definition: four numbers of each counter from
// 0 on, by the key that is the first input.
[[nodiscard]] Computation threefryUniforms(std::size_t counters);

} // namespace sw::benchmark
