#pragma once
// Operators of ONNX that the importer has no rule for, and why. Others that it does not know are not ONNX's.

#include <span>
#include <string_view>

namespace sw::onnx {

struct RefusedOperator {
    std::string_view name; // as in OperatorRow
    std::string_view reason;
};

// Sorted by name.
[[nodiscard]] std::span<const RefusedOperator> refusedOperators();
// Empty: it is not among them.
[[nodiscard]] std::string_view whyRefused(std::string_view domain, std::string_view name);

} // namespace sw::onnx
