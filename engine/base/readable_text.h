#pragma once
// Text of users on its way into a message.

#include <string>
#include <string_view>

namespace sw {

// Bytes that are not UTF-8 and control characters as \xNN (lines and tabs stay), and very long words and texts shortened in the
// middle, so that a file of anything gives messages that can be read.
[[nodiscard]] std::string readableText(std::string_view text);

} // namespace sw
