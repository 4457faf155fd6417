#pragma once
// Prepares the user's text for use in a message.

#include <string>
#include <string_view>

namespace sw {

// Writes control characters and non-UTF-8 bytes as \xNN (line ends and tabs stay), and shortens very long words and texts in the
// middle, so that even an arbitrary file gives readable messages.
[[nodiscard]] std::string readableText(std::string_view text);

} // namespace sw
