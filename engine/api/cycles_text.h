#pragma once
// Numbers of cycles as people read them.

#include <string>

namespace sw {

// "4.02", "5043"
[[nodiscard]] std::string cyclesText(double cycles);

} // namespace sw
