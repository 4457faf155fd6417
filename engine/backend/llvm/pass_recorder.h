#pragma once
// What each of LLVM's passes does to one kernel. This header has no LLVM headers.

#include "engine/backend/backend.h"

#include <vector>

namespace sw {

// Runs the passes that compile() runs, for this machine, and keeps the text of the kernel's function around each one that changed
// it. A pass runs once per function, or once per loop; each run is a row. Errors: the text.
[[nodiscard]] Result<std::vector<CompilerPass>> recordedPasses(const RenderedSource &source);

} // namespace sw
