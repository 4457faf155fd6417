#pragma once
// The scans among the nodes that a builder has so far.

#include "engine/graph/scan.h"

namespace sw {

[[nodiscard]] ScanMap scansOf(const GraphBuilder &builder);

} // namespace sw
