#include "engine/types/fitted_size.h"

namespace sw {

namespace {

bool contains(std::size_t subset, std::size_t variable)
{
    return (subset >> variable & 1U) != 0;
}

// Differences, variable by variable, are the factors for sizes counted from the least; then those move to zero.
std::vector<std::int64_t> factorsOf(std::span<const std::int64_t> least, std::span<const std::int64_t> values)
{
    std::vector<std::uint64_t> terms(values.begin(), values.end());
    for (std::size_t i = 0; i < least.size(); ++i) {
        const std::size_t with = std::size_t{1} << i;
        for (std::size_t subset = 0; subset < terms.size(); ++subset)
            if (contains(subset, i))
                terms[subset] -= terms[subset ^ with];
        for (std::size_t subset = 0; subset < terms.size(); ++subset)
            if (contains(subset, i))
                terms[subset ^ with] -= terms[subset] * static_cast<std::uint64_t>(least[i]);
    }
    return {terms.begin(), terms.end()};
}

} // namespace

Result<SymbolicExpr> fittedSize(std::span<const SymbolicVariable> variables, std::span<const std::int64_t> least,
                                std::span<const std::int64_t> values)
{
    const std::vector<std::int64_t> factors = factorsOf(least, values);
    SymbolicExpr sum;
    for (std::size_t subset = 0; subset < factors.size(); ++subset) {
        SymbolicExpr product = factors[subset];
        for (std::size_t i = 0; i < variables.size(); ++i) {
            if (!contains(subset, i))
                continue;
            SW_TRY(product, multiply(product, SymbolicExpr(variables[i])));
        }
        SW_TRY(sum, add(sum, product));
    }
    return sum;
}

} // namespace sw
