#pragma once
// The passes of a compilation, in order, as data. The graph passes come first, then the passes that make each lower stage.

#include "engine/passes/pass.h"

#include <span>

namespace sw {

[[nodiscard]] std::span<const PassInfo> standardPipeline();

} // namespace sw
