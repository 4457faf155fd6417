#pragma once
// Programs of any size, as text: so each of their values has a place of its own in the source, as in programs that people write.

#include "engine/graph/graph.h"

#include <cstddef>
#include <string>

namespace sw::test {

[[nodiscard]] std::string chainText(std::size_t size);   // elementwise operations, one after the other
[[nodiscard]] std::string sumsText(std::size_t size);    // sums over an axis that have nothing to do with each other
[[nodiscard]] std::string readersText(std::size_t size); // operations that all read one value, and are all outputs
[[nodiscard]] std::string equalText(std::size_t size);   // the same, but each reads an equal value of its own
[[nodiscard]] std::string layersText(std::size_t size);  // a product of matrices and a relu, one after the other
// Permutations between reshapes, which do not cancel in the graph. After four of them every element is where it was, so their
// index arithmetic stays as it is.
[[nodiscard]] std::string viewsText(std::size_t size);
// Permutations between reshapes whose index arithmetic would double with each one, if none was stored.
[[nodiscard]] std::string mixedViewsText(std::size_t size);

// Unary operations on a matrix, one after the other, of enough elements for two threads. Without fusion each is a kernel.
[[nodiscard]] std::string sinesText(std::size_t size);
// Lookups at the indices `at`, one after the other: a kernel each, which checks the indices.
[[nodiscard]] std::string lookupsText(std::size_t size);

// A program with an error in it throws.
[[nodiscard]] GraphPtr graphOf(const std::string &text);

} // namespace sw::test
