#pragma once

#include "engine/passes/pass_context.h"

namespace sw {

// The options without what a person or the tuner gave single kernels: all that passes see whose results are kept for kernels of
// other compilations.
[[nodiscard]] inline CompileOptions commonOptions(CompileOptions options)
{
    options.overrides = {};
    options.tunings = nullptr;
    return options;
}

} // namespace sw
