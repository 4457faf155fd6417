#pragma once
// The expressions of Custom nodes: text in the language of a device, where {0}, {1} ... stand for the operands, and {{ and }} for
// braces.

#include <cstddef>
#include <string>
#include <string_view>

namespace sw {

// Says what is wrong and where: "at character 5, there are 2 operands and no {7}". Empty if nothing is wrong.
[[nodiscard]] std::string faultOfExpression(std::string_view expression, std::size_t operands);

} // namespace sw
