#pragma once
// Names of the language for what something else named.

#include <string>
#include <string_view>

namespace sw {

// A name with what an identifier may not have replaced, and that is no keyword.
[[nodiscard]] std::string identifierOf(std::string_view name);

} // namespace sw
