#pragma once
// The text of a program taken apart into its whole numbers and what stands between them, and numbers that depend on sizes.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sw {

struct SizedText {
    std::vector<std::string> between; // one more than there are numbers
    std::vector<std::int64_t> numbers;
};

// Digits in names, in strings and in numbers with a point or an exponent are no numbers, nor are those that do not fit into 63
// bits.
[[nodiscard]] SizedText takenApart(std::string_view text);

// The sum over the subsets of the dimensions of a coefficient times the product of the sizes in the subset: bit i of a subset's
// index is dimension i.
class SizeTerm {
public:
    // values: by subset, for sizes that are least[i], and one more for the dimensions in the subset.
    SizeTerm(std::vector<std::int64_t> values, const std::vector<std::int64_t> &least);

    [[nodiscard]] bool isConstant() const;
    [[nodiscard]] std::int64_t valueAt(const std::vector<std::int64_t> &sizes) const;
    // "2 * n * m + 1"
    [[nodiscard]] std::string text(const std::vector<std::string> &names) const;
    [[nodiscard]] bool isOneName() const;

private:
    std::vector<std::int64_t> m_coefficients; // by subset
};

} // namespace sw
