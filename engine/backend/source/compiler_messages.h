#pragma once
// Turns the messages of C-like compilers into diagnostics at the lines of the text.

#include "engine/base/diagnostic.h"

#include <string>
#include <string_view>

namespace sw {

// Reads errors of the form "anything:LINE:COLUMN: error: message" or, as OpenCL drivers write, without the first "error:". An
// error in a file that the text includes stands at the line that includes it, and names its own place.
[[nodiscard]] Diagnostics compilerMessages(std::string_view log, const std::string &fileName);

} // namespace sw
