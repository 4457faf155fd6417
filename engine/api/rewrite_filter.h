#pragma once
// Which rewrites of a compilation a person wants to see, and where they are.

#include "engine/api/compilation.h"
#include "engine/api/moment.h"

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace sw {

// The rewrites of each pass that the filter lets through, as MomentPlace::rewrites once each is done; empty when it was stopped.
// Rules and kernels are read off the log. For sources, the passes that made rewrites run again, because the log does not keep
// what each one touched.
[[nodiscard]] std::vector<PassMatches> matchingRewrites(const Compilation &compilation, const RewriteFilter &filter,
                                                        const std::stop_token &stop);

// The same of one pass; the sources are sorted.
[[nodiscard]] PassMatches matchesIn(const PassStep &step, const CompileTarget &target, const RewriteFilter &filter,
                                    const std::stop_token &stop);

} // namespace sw
