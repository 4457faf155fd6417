#pragma once
// The order in which the rules of a pass are shown.

#include "engine/passes/rewrite_log.h"

namespace sw {

// The most frequent first; of equally frequent ones the first in the list.
[[nodiscard]] std::vector<RuleCount> byFrequency(std::span<const RuleCount> rules);

} // namespace sw
