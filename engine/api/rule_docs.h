#pragma once
// What each rule of the passes does, in one sentence from the rule's own row.

#include <string_view>

namespace sw {

// Empty: the rule has no row of its own.
[[nodiscard]] std::string_view ruleDoc(std::string_view pass, std::string_view rule);

} // namespace sw
