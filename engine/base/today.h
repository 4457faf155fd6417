#pragma once

#include <string>

namespace sw {

// The date of the universal time, "2026-11-22".
[[nodiscard]] std::string today();

} // namespace sw
