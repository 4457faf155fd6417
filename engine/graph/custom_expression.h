#pragma once
// The expressions of Custom nodes: text in the language of a device, in which {0}, {1} ... stand for the operands, and {{ and }}
// for braces.

#include <cstddef>
#include <string>
#include <string_view>

namespace sw {

// What is wrong with it and where: "at character 5, there are 2 operands and no {7}". Empty: nothing.
[[nodiscard]] std::string faultOfExpression(std::string_view expression, std::size_t operands);

} // namespace sw
