#pragma once
// Problems inside a function are reported at its call in the user's program; these notes lead from there to the function's line.

#include "engine/base/origin.h"

namespace sw {

// "in softmax" at the item's own place, then "called from here" for each call on the way out; the place `told` is left out
// because it is already shown. Each note names its file: "library/softmax.sw" for a function of the library.
[[nodiscard]] std::vector<Diagnostic> callNotes(const SourceMap &sources, SourceId item, Code code, const SourceRange &told);

// The diagnostic, placed where the origin lies in the program, with notes that lead to the origin itself.
[[nodiscard]] Diagnostic toldAt(const SourceMap &sources, const Origin &origin, Diagnostic diagnostic);

} // namespace sw
