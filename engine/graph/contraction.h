#pragma once
// The subscripts of a tensor contraction, as in numpy.einsum: "ij,jk->ik" names the axes of each operand, then the axes of the
// result; axes that the result does not name are summed over.

#include "engine/types/shape.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sw {

struct Contraction {
    std::vector<std::string> operands; // one letter per axis
    std::string result;
    std::string labels; // every letter once: the letters of the result in its order, then the summed ones
};

// Errors: a character other than letters, commas and one "->"; a letter that appears twice in one operand or in the result; a
// letter of the result that no operand has.
[[nodiscard]] Result<Contraction> parseContraction(std::string_view subscripts);

// The extent of each label. Errors: the operands do not match the subscripts in number or rank, or extents differ.
[[nodiscard]] Result<std::vector<std::int64_t>> labelExtents(const Contraction &contraction, std::span<const Shape> operands);

// The same for operands that match, with extents known only at run time. Error: they differ for some value.
[[nodiscard]] Result<std::vector<SymbolicExpr>> symbolicLabelExtents(const Contraction &contraction,
                                                                     std::span<const Shape> operands);

} // namespace sw
