#pragma once
// Several kernels' texts as one program: drivers take about as long for a program of many kernels as for one of a single kernel.

#include "engine/backend/backend.h"

#include <span>
#include <string>

namespace sw {

// Every text keeps its own file name (SYMBOL.cl) and line numbers. Typedefs and helpers that an earlier text has too are left
// out.
[[nodiscard]] std::string combinedProgram(std::span<const RenderedSource *const> sources);

} // namespace sw
