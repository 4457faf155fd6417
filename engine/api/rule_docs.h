#pragma once
// What the rules of the passes do, a sentence each, from their own rows.

#include <string_view>

namespace sw {

// Empty: the rule has no row of its own.
[[nodiscard]] std::string_view ruleDoc(std::string_view pass, std::string_view rule);

} // namespace sw
