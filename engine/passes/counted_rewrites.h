#pragma once
// Threads that work side by side count their rewrites apart; these come into the log of the pass when all is done.

#include "engine/passes/rewrite_log.h"

namespace sw {

// Whether the log tells one of the rewrites in full if they are the next: they then have to be made again, with the log.
[[nodiscard]] bool tellsAnyOf(const RewriteLog &log, const RewriteLog &counted);

// Adds them as the next rewrites, in their order.
void addCounted(RewriteLog &log, const RewriteLog &counted);

} // namespace sw
