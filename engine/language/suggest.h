#pragma once
// "did you mean ...": the nearest of some names.

#include <span>
#include <string>
#include <string_view>

namespace sw::language {

// "did you mean softmax?", or empty when nothing is near.
[[nodiscard]] std::string suggestion(std::string_view wrong, std::span<const std::string> known);

} // namespace sw::language
