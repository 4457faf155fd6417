#pragma once
// The subscripts of a tensor contraction, as in numpy.einsum: "ij,jk->ik" names the axes of each operand, then those of the
// result; the axes that the result does not name are summed over.

#include "engine/types/shape.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sw {

struct Contraction {
    std::vector<std::string> operands; // a letter per axis
    std::string result;
    std::string labels; // every letter once: those of the result in its order, then those that are summed over
};

// Errors: another character than letters, commas and one "->"; a letter twice in one operand or in the result; a letter of the
// result that no operand has.
[[nodiscard]] Result<Contraction> parseContraction(std::string_view subscripts);

// The extent of each of the labels. Errors: as many operands as subscripts, a letter per axis, extents that differ.
[[nodiscard]] Result<std::vector<std::int64_t>> labelExtents(const Contraction &contraction, std::span<const Shape> operands);

// The same of operands that fit, whose extents may be known only when a program runs. Error: they differ for some value.
[[nodiscard]] Result<std::vector<SymbolicExpr>> symbolicLabelExtents(const Contraction &contraction,
                                                                     std::span<const Shape> operands);

} // namespace sw
