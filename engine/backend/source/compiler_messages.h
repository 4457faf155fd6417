#pragma once
// What C-like compilers print, as diagnostics at the lines of the text.

#include "engine/base/diagnostic.h"

#include <string>
#include <string_view>

namespace sw {

// The errors in lines of the form "anything:LINE:COLUMN: error: message" or, as OpenCL drivers write, without the first "error:".
[[nodiscard]] Diagnostics compilerMessages(std::string_view log, const std::string &fileName);

} // namespace sw
