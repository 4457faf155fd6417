#pragma once
// SHA-256 (FIPS 180-4): says whether a file is the one that somebody else had, and names scripts to a browser.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace sw {

using Sha256 = std::array<std::uint8_t, 32>;

[[nodiscard]] Sha256 sha256Of(std::string_view bytes);
[[nodiscard]] std::string hexText(const Sha256 &digest); // 64 digits
// RFC 4648 with padding.
[[nodiscard]] std::string base64Of(std::string_view bytes);

} // namespace sw
