#pragma once
// A stage in the middle of a pass that ran already. Where the pass goes through kernels one after the other, only the kernel at
// hand is computed again: the kernels before it are as the pass left them, those behind it as the pass found them.

#include "engine/pipeline/runner.h"

#include <cstdint>
#include <optional>
#include <stop_token>

namespace sw {

// The stage after so many rewrites of the step; the step's own stages where none or all of them are done.
[[nodiscard]] Stage stageBetween(const PassStep &step, const CompileTarget &target, std::uint32_t rewrites,
                                 const std::stop_token &stop);

// One rewrite of the step, in full; nothing: there is none, or it was stopped.
[[nodiscard]] std::optional<RewriteEvent> rewriteOf(const PassStep &step, const CompileTarget &target, std::uint32_t rewrite,
                                                    const std::stop_token &stop);

} // namespace sw
