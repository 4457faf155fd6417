#pragma once
// "did you mean ...": finds the most similar of some names.

#include <span>
#include <string>
#include <string_view>

namespace sw::language {

// Returns "did you mean softmax?", or nothing when no name is similar.
[[nodiscard]] std::string suggestion(std::string_view wrong, std::span<const std::string> known);

} // namespace sw::language
