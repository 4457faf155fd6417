#pragma once
// Joins the text of several kernels into one program: drivers take about as long for many kernels as for a single one.

#include "engine/backend/backend.h"

#include <span>
#include <string>

namespace sw {

// Every text keeps its own file name (SYMBOL.cl) and line numbers. Typedefs and helpers that an earlier text already has are
// left out.
[[nodiscard]] std::string combinedProgram(std::span<const RenderedSource *const> sources);

} // namespace sw
