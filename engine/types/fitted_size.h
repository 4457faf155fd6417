#pragma once
// The expression of dimensions that takes given values.

#include "engine/types/symbolic.h"

#include <cstdint>
#include <span>
#include <vector>

namespace sw {

// The sum over the subsets of the variables of a factor times the product of the variables in the subset that takes these values.
// least: a size for each variable. values: by subset, where bit i is variable i, for sizes that are least, and one more for the
// variables in the subset. Numbers wrap where there are such values: then the expression is not theirs, and evaluating it tells.
[[nodiscard]] Result<SymbolicExpr> fittedSize(std::span<const SymbolicVariable> variables, std::span<const std::int64_t> least,
                                              std::span<const std::int64_t> values);

} // namespace sw
